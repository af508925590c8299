// Mandarin as it is said. Every number is written out: the engine says ten thousand as "ten thousands" and does not
// know that years are read by their digits or that two things are 两.

import type { CalendarDate, Grammar, WrittenNumber } from '../grammar.ts';
import { rule } from '../rule.ts';
import { noPlural, readNumber } from '../written-number.ts';

const DIGITS = [...'零一二三四五六七八九'];
const PLACES = ['', '十', '百', '千'];
const GROUPS = ['', '万', '亿', '万亿'];

/** Up to four digits, the leading zero of a later group left to the caller. */
function sayGroup(value: number): string {
  let said = '';
  let hasGap = false;
  for (let place = 3; place >= 0; place -= 1) {
    const digit = Math.floor(value / 10 ** place) % 10;
    if (digit === 0) {
      hasGap = said !== '';
      continue;
    }
    said += `${hasGap ? '零' : ''}${digit === 2 && place === 3 ? '两' : DIGITS[digit]!}${PLACES[place]!}`;
    hasGap = false;
  }
  return said;
}

/** Of at most 15 digits. */
function sayInteger(digits: string): string {
  const groups = digits.padStart(16, '0').match(/\d{4}/g)!.map(Number);
  let said = '';
  let hasGap = false;
  for (const [index, value] of groups.entries()) {
    if (value === 0) {
      hasGap = said !== '';
      continue;
    }
    const group = value === 2 && index < 3 && said === '' ? '两' : sayGroup(value);
    const zero = said !== '' && (hasGap || value < 1000) ? '零' : '';
    said += `${zero}${group}${GROUPS[3 - index]!}`;
    hasGap = false;
  }
  return said === '' ? '零' : said.replace(/^一十/, '十');
}

const oneByOne = (digits: string) => [...digits].map((digit) => DIGITS[Number(digit)]!).join('');
/** One is 幺 in numbers that must be understood over a line. */
const byLine = (digits: string) => oneByOne(digits).replaceAll('一', '幺');
const sayWhole = (value: number) => sayInteger(String(value));

function cardinal({ whole, fraction }: WrittenNumber): string {
  if (/^0\d/.test(whole)) return oneByOne(whole);
  return `${sayInteger(whole)}${fraction === '' ? '' : `点${oneByOne(fraction)}`}`;
}

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${year === undefined ? '' : `${oneByOne(String(year))}年`}${sayWhole(month)}月${sayWhole(day)}日`;

const MEASURES =
  '个|只|位|名|本|条|张|件|台|辆|次|家|年(?!级)|天|岁|周|小时|分钟|秒钟|种|杯|瓶|块|元|倍|套|层|间|双|对|遍|点(?!\\d)';

export const mandarin: Grammar = {
  decimal: '.',
  groups: ',',
  plural: noPlural,
  cardinal,
  digits: byLine,
  // A percentage, which is `n:` here, does not count things.
  agree: (value, gender) => (value === 2 && gender === 'm' ? '两' : undefined),
  space: '',
  words: {
    at: '艾特',
    dot: '点',
    slash: '斜杠',
    per: '每',
    dash: '横杠',
    underscore: '下划线',
    point: '点',
    version: '版本',
    hashtag: '话题',
    number: '号码',
    section: '第',
    copyright: '版权所有',
    and: '和',
    plus: '加',
    minus: '负',
    equals: '等于',
    times: '乘以',
    dividedBy: '除以',
    plusMinus: '正负',
    about: '大约',
    lessThan: '小于',
    greaterThan: '大于',
    to: '到',
  },
  money: {
    nouns: {
      CNY: ['元'],
      USD: ['美元'],
      EUR: ['欧元'],
      GBP: ['英镑'],
      JPY: ['日元'],
      HKD: ['港元'],
      TWD: ['新台币'],
      INR: ['卢比'],
      RUB: ['卢布'],
      KRW: ['韩元'],
      CHF: ['瑞士法郎'],
      BRL: ['雷亚尔'],
    },
    signs: { '¥': 'CNY', HK$: 'HKD', NT$: 'TWD', RMB: 'CNY' },
    thousands: { 千: '千' },
    millions: { 万: '万', 百万: '百万', 千万: '千万', 亿: '亿', 万亿: '万亿' },
    say: (units) => units,
  },
  units: {
    '%': 'n:百分之#',
    '‰': 'n:千分之#',
    km: '公里',
    m: '米',
    cm: '厘米',
    mm: '毫米',
    'km²': '平方公里',
    'm²': '平方米',
    '㎡': '平方米',
    'm³': '立方米',
    kg: '公斤',
    g: '克',
    mg: '毫克',
    t: '吨',
    l: '升',
    L: '升',
    ml: '毫升',
    mL: '毫升',
    '°C': '摄氏度',
    '℃': '摄氏度',
    '°F': '华氏度',
    '℉': '华氏度',
    '°': '度',
    'km/h': '每小时#公里',
    'm/s': '每秒#米',
    W: '瓦',
    kW: '千瓦',
    MW: '兆瓦',
    kWh: '千瓦时',
    V: '伏',
    Hz: '赫兹',
    kHz: '千赫',
    MHz: '兆赫',
    GHz: '吉赫',
    KB: '千字节',
    MB: '兆字节',
    GB: '吉字节',
    TB: '太字节',
    Mbps: '兆比特每秒',
    dB: '分贝',
    h: '小时',
    min: '分钟',
    s: '秒',
    ms: '毫秒',
  },
  fractions: {
    '1/2': '二分之一',
    '1/3': '三分之一',
    '2/3': '三分之二',
    '1/4': '四分之一',
    '3/4': '四分之三',
    and: '又',
  },
  dates: { order: 'day-first', months: [], daySuffix: '', beforeMonth: '', beforeYear: '', say: sayDate },
  times: {
    mark: ':',
    tail: '点',
    say: ({ hour, minute, second }) => {
      const part = (value: number) => `${value > 0 && value < 10 ? '零' : ''}${sayWhole(value)}`;
      const time = `${hour === 2 ? '两' : sayWhole(hour)}点`;
      if (second !== undefined) return `${time}${part(minute)}分${part(second)}秒`;
      return minute === 0 ? time : `${time}${part(minute)}分`;
    },
  },
  rules: [
    rule('digit', '(\\d0)(?=后(?!面|天|年|来))', ([, decade = '']) => oneByOne(decade)),
    rule('digit', '(\\d{4})(?=年)', ([, year = '']) => oneByOne(year)),
    rule(
      'digit',
      '(\\d{4})[-–—~](\\d{4})(?=年)',
      ([, from = '', to = '']) => `${oneByOne(from)}到${oneByOne(to)}`,
    ),
    rule('digit', '(1[3-9]\\d)[- ]?(\\d{4})[- ]?(\\d{4})(?!\\d)', ([, ...groups]) =>
      groups.map((group) => byLine(String(group))).join(' '),
    ),
    rule('digit', `2(?=${MEASURES})`, (_, before) => (before.endsWith('第') ? undefined : '两')),
    rule('digit', '(\\d{1,12}(?:\\.\\d{1,4})?)(?=[万亿])', ([, text = '']) => {
      const number = readNumber(text, mandarin);
      return number.value === 2 ? '两' : cardinal(number);
    }),
    rule('sign', '[-−](?=\\d{1,3}(?:\\.\\d)? ?(?:°C|℃|度))', () => '零下'),
    rule('sign', '§ ?(\\d{1,5})', ([, value = '']) => `第${sayInteger(value)}条`),
    rule('letter', '[Nn]o\\. ?(?=\\d)', () => '第'),
    rule('sign', '№ ?|#(?=\\d)', () => '第'),
  ],
};
