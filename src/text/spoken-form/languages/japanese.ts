// Japanese as it is said, in kana throughout: the engine does not read kanji, so a number takes its counter along.

import type { CalendarDate, Grammar, WrittenNumber } from '../grammar.ts';
import { rule } from '../rule.ts';
import { noPlural, readNumber } from '../written-number.ts';

// Numbers and the counters behind them, in hiragana. Both change where they meet: 300 is さんびゃく, one minute いっぷん. Each
// counter lists the digits at which it does.

const DIGITS = ['', 'いち', 'に', 'さん', 'よん', 'ご', 'ろく', 'なな', 'はち', 'きゅう'];
const HUNDREDS: Readonly<Record<number, string>> = {
  1: 'ひゃく',
  3: 'さんびゃく',
  6: 'ろっぴゃく',
  8: 'はっぴゃく',
};
const THOUSANDS: Readonly<Record<number, string>> = { 1: 'せん', 3: 'さんぜん', 8: 'はっせん' };
const GROUPS = ['', 'まん', 'おく', 'ちょう'];

const sayReading = (digit: number): string => (digit === 0 ? 'ゼロ' : DIGITS[digit]!);

function sayGroup(value: number): string {
  const [thousands, hundreds, tens] = [1000, 100, 10].map((place) => Math.floor(value / place) % 10) as [
    number,
    number,
    number,
  ];
  return [
    thousands === 0 ? '' : (THOUSANDS[thousands] ?? `${DIGITS[thousands]!}せん`),
    hundreds === 0 ? '' : (HUNDREDS[hundreds] ?? `${DIGITS[hundreds]!}ひゃく`),
    tens === 0 ? '' : `${tens === 1 ? '' : DIGITS[tens]!}じゅう`,
    DIGITS[value % 10]!,
  ].join('');
}

/** Of at most 15 digits. */
function sayInteger(digits: string): string {
  const groups = digits.padStart(16, '0').match(/\d{4}/g)!.map(Number);
  const said = groups
    .map((value, index) => {
      if (value === 0) return '';
      const group = value === 1000 && index < 3 ? 'いっせん' : sayGroup(value);
      return `${group}${GROUPS[3 - index]!}`;
    })
    .join('')
    .replace('いちちょう', 'いっちょう');
  return said === '' ? 'れい' : said;
}

/** The plain form, then number and counter together by the last digit; 10 is for whole tens. */
type Counter = readonly [plain: string, changed?: Readonly<Record<number, string>>];

const MONTHS_LONG: Counter = [
  'かげつ',
  { 1: 'いっかげつ', 6: 'ろっかげつ', 8: 'はっかげつ', 10: 'じゅっかげつ' },
];
const AGES: Counter = ['さい', { 1: 'いっさい', 8: 'はっさい', 10: 'じゅっさい' }];
const COUNTERS: Readonly<Record<string, Counter>> = {
  時: ['じ', { 4: 'よじ', 7: 'しちじ', 9: 'くじ' }],
  時間: ['じかん', { 4: 'よじかん', 7: 'しちじかん', 9: 'くじかん' }],
  分: [
    'ふん',
    { 1: 'いっぷん', 3: 'さんぷん', 4: 'よんぷん', 6: 'ろっぷん', 8: 'はっぷん', 10: 'じゅっぷん' },
  ],
  秒: ['びょう'],
  年: ['ねん', { 4: 'よねん' }],
  年間: ['ねんかん', { 4: 'よねんかん' }],
  月: ['がつ', { 4: 'しがつ', 7: 'しちがつ', 9: 'くがつ' }],
  か月: MONTHS_LONG,
  ヶ月: MONTHS_LONG,
  ヵ月: MONTHS_LONG,
  カ月: MONTHS_LONG,
  週間: ['しゅうかん', { 1: 'いっしゅうかん', 8: 'はっしゅうかん', 10: 'じゅっしゅうかん' }],
  人: ['にん', { 4: 'よにん' }],
  個: ['こ', { 1: 'いっこ', 6: 'ろっこ', 8: 'はっこ', 10: 'じゅっこ' }],
  本: ['ほん', { 1: 'いっぽん', 3: 'さんぼん', 6: 'ろっぽん', 8: 'はっぽん', 10: 'じゅっぽん' }],
  枚: ['まい'],
  台: ['だい'],
  回: ['かい', { 1: 'いっかい', 6: 'ろっかい', 8: 'はっかい', 10: 'じゅっかい' }],
  階: ['かい', { 1: 'いっかい', 3: 'さんがい', 6: 'ろっかい', 8: 'はっかい', 10: 'じゅっかい' }],
  歳: AGES,
  才: AGES,
  度: ['ど'],
  番: ['ばん'],
  冊: ['さつ', { 1: 'いっさつ', 8: 'はっさつ', 10: 'じゅっさつ' }],
  匹: ['ひき', { 1: 'いっぴき', 3: 'さんびき', 6: 'ろっぴき', 8: 'はっぴき', 10: 'じゅっぴき' }],
  杯: ['はい', { 1: 'いっぱい', 3: 'さんばい', 6: 'ろっぱい', 8: 'はっぱい', 10: 'じゅっぱい' }],
  倍: ['ばい'],
  円: ['えん', { 4: 'よえん' }],
};
/** Of the counter alone; one that is not known stays as it is written. */
const plainReading = (counter: string): string => COUNTERS[counter]?.[0] ?? counter;

/** Readings that follow no rule. */
const WHOLE: Readonly<Record<string, string>> = {
  '1つ': 'ひとつ',
  '2つ': 'ふたつ',
  '3つ': 'みっつ',
  '4つ': 'よっつ',
  '5つ': 'いつつ',
  '6つ': 'むっつ',
  '7つ': 'ななつ',
  '8つ': 'やっつ',
  '9つ': 'ここのつ',

  '1人': 'ひとり',
  '2人': 'ふたり',
  '20歳': 'はたち',
  '20才': 'はたち',
};
const DAYS: Readonly<Record<number, string>> = {
  1: 'ついたち',
  2: 'ふつか',
  3: 'みっか',
  4: 'よっか',
  5: 'いつか',
  6: 'むいか',
  7: 'なのか',
  8: 'ようか',
  9: 'ここのか',
  10: 'とおか',
  14: 'じゅうよっか',
  17: 'じゅうしちにち',
  19: 'じゅうくにち',
  20: 'はつか',
  24: 'にじゅうよっか',
  27: 'にじゅうしちにち',
  29: 'にじゅうくにち',
};

const sayDay = (day: number): string => DAYS[day] ?? `${sayInteger(String(day))}にち`;

/** A whole number of at most 15 digits with its counter, e.g. 3 and 分. An unknown counter stays as it is written. */
function sayCount(value: number, counter: string): string {
  if (counter === '日') return sayDay(value);
  if (counter === '日間') return value === 1 ? 'いちにちかん' : `${sayDay(value)}かん`;
  const whole = WHOLE[`${value}${counter}`];
  if (whole !== undefined) return whole;
  const [plain, changed] = COUNTERS[counter] ?? [counter];
  const last = value % 10;
  const tens = sayInteger(String(value));
  if (last === 0 && value % 100 !== 0 && changed?.[10] !== undefined)
    return `${tens.slice(0, -'じゅう'.length)}${changed[10]}`;
  const together = last === 0 ? undefined : changed?.[last];
  if (together === undefined) return `${tens}${plain}`;
  return `${value === last ? '' : sayInteger(String(value - last))}${together}`;
}

const sayFraction = (digits: string) => [...digits].map((digit) => sayReading(Number(digit))).join('');

function cardinal({ whole, fraction }: WrittenNumber): string {
  if (/^0\d/.test(whole)) return sayFraction(whole);
  return `${sayInteger(whole)}${fraction === '' ? '' : `てん${sayFraction(fraction)}`}`;
}

const sayDate = ({ day, month, year }: CalendarDate) => {
  const date = `${sayCount(month, '月')}${sayDay(day)}`;
  return year === undefined ? date : `${sayCount(year, '年')}${date}`;
};

/** Years and days have readings of their own. */
const COUNTER_NAMES =
  'か月|ヶ月|ヵ月|カ月|時間|週間|日間|年間|時|分|秒|年|月|日|人|個|本|枚|台|回|階|歳|才|度|番|冊|匹|杯|円|つ';

const AMOUNT = '\\d{1,3}(?:,\\d{3}){1,4}|\\d{1,9}';
const SCALES: Readonly<Record<string, string>> = { 千: 'せん', 万: 'まん', 億: 'おく', 兆: 'ちょう' };

export const japanese: Grammar = {
  decimal: '.',
  groups: ',',
  plural: noPlural,
  cardinal,
  digits: (digits) => [...digits].map((digit) => sayReading(Number(digit))).join(' '),
  count: ({ value, fraction }, [form]) =>
    form === 'えん' && fraction === '' ? sayCount(value, '円') : undefined,
  space: '',
  words: {
    at: 'アットマーク',
    dot: 'ドット',
    slash: 'スラッシュ',
    per: 'スラッシュ',
    dash: 'ハイフン',
    underscore: 'アンダーバー',
    point: 'てん',
    version: 'バージョン',
    hashtag: 'ハッシュタグ',
    number: 'ナンバー',
    section: 'セクション',
    copyright: 'コピーライト',
    and: 'アンド',
    plus: 'プラス',
    minus: 'マイナス',
    equals: 'イコール',
    times: 'かける',
    dividedBy: 'わる',
    plusMinus: 'プラスマイナス',
    about: 'やく',
    lessThan: 'しょうなり',
    greaterThan: 'だいなり',
    to: 'から',
  },
  money: {
    nouns: {
      JPY: ['えん'],
      USD: ['ドル'],
      EUR: ['ユーロ'],
      GBP: ['ポンド'],
      CNY: ['げん'],
      INR: ['ルピー'],
      RUB: ['ルーブル'],
      KRW: ['ウォン'],
      CHF: ['スイスフラン'],
      BRL: ['レアル'],
    },
    signs: { ドル: 'USD', ユーロ: 'EUR', ポンド: 'GBP' },
    thousands: { 千: 'せん' },
    millions: { 万: 'まん', 億: 'おく', 兆: 'ちょう' },
    say: (units) => units,
  },
  units: {
    '%': 'パーセント',
    '‰': 'パーミル',
    km: 'キロメートル',
    m: 'メートル',
    cm: 'センチメートル',
    mm: 'ミリメートル',
    'km²': 'へいほうキロメートル',
    'm²': 'へいほうメートル',
    '㎡': 'へいほうメートル',
    'm³': 'りっぽうメートル',
    kg: 'キログラム',
    g: 'グラム',
    mg: 'ミリグラム',
    t: 'トン',
    l: 'リットル',
    L: 'リットル',
    ml: 'ミリリットル',
    mL: 'ミリリットル',
    '°C': 'ど',
    '℃': 'ど',
    '°F': 'かし#ど',
    '°': 'ど',
    'km/h': 'じそく#キロメートル',
    'm/s': 'びょうそく#メートル',
    W: 'ワット',
    kW: 'キロワット',
    kWh: 'キロワットじ',
    V: 'ボルト',
    Hz: 'ヘルツ',
    kHz: 'キロヘルツ',
    MHz: 'メガヘルツ',
    GHz: 'ギガヘルツ',
    KB: 'キロバイト',
    MB: 'メガバイト',
    GB: 'ギガバイト',
    TB: 'テラバイト',
    Mbps: 'メガビーピーエス',
    kcal: 'キロカロリー',
    dB: 'デシベル',
    ms: 'ミリびょう',
  },
  fractions: {
    '1/2': 'にぶんのいち',
    '1/3': 'さんぶんのいち',
    '2/3': 'さんぶんのに',
    '1/4': 'よんぶんのいち',
    '3/4': 'よんぶんのさん',
    and: 'と',
  },
  dates: { order: 'day-first', months: [], daySuffix: '', beforeMonth: '', beforeYear: '', say: sayDate },
  times: {
    mark: ':',
    tail: '',
    say: ({ hour, minute, second }) => {
      const minutes = minute === 0 && second === undefined ? '' : sayCount(minute, '分');
      return `${sayCount(hour, '時')}${minutes}${second === undefined ? '' : sayCount(second, '秒')}`;
    },
  },
  rules: [
    rule('letter', '午前(?=\\d)', () => 'ごぜん'),
    rule('letter', '午後(?=\\d)', () => 'ごご'),
    rule('digit', `(${AMOUNT})(${COUNTER_NAMES})`, ([, value = '', counter = '']) =>
      sayCount(Number(value.replaceAll(',', '')), counter),
    ),
    rule(
      'digit',
      '(\\d{1,12}(?:\\.\\d{1,4})?)([千万億兆])(円?)(?!ドル|ユーロ)',
      ([, text = '', scale = '', yen]) => {
        const value = cardinal(readNumber(text, japanese));
        return `${value === 'せん' ? 'いっせん' : value}${SCALES[scale]!}${yen === '' ? '' : 'えん'}`;
      },
    ),
    rule('letter', '[Nn]o\\. ?(?=\\d)', () => 'ナンバー'),
    rule(
      'digit',
      '(\\d{1,6}\\.\\d{1,6})(度|時間|年|秒|倍|歳)',
      ([, value = '', counter = '']) => `${cardinal(readNumber(value, japanese))}${plainReading(counter)}`,
    ),
    rule('sign', '℃|°C', () => 'ど'),
  ],
};
