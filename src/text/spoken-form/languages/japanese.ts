// Japanese as it is said, in kana throughout: the engine does not read kanji, so a number takes its counter along.

import type { CalendarDate, Grammar, WrittenNumber } from '../grammar.ts';
import { rule } from '../rule.ts';
import { noPlural, readNumber } from '../written-number.ts';
import { plainReading, sayCount, sayDay, sayInteger, sayReading } from './japanese-counters.ts';

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
const COUNTERS =
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
    rule('digit', `(${AMOUNT})(${COUNTERS})`, ([, value = '', counter = '']) =>
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
