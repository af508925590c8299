// Urdu as it is said: years before 2000 in hundreds, "9 بج کر 30 منٹ"; digits of its own script are read one by one
// by the engine, so they come as others.

import type { CalendarDate, Grammar } from '../grammar.ts';
import { rule } from '../rule.ts';
import { oneOrMore } from '../written-number.ts';

const MONTHS = 'جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر'.split(' ');
/** Masculine and feminine. */
const ORDINALS: Readonly<Record<string, readonly [string, string]>> = {
  1: ['پہلا', 'پہلی'],
  2: ['دوسرا', 'دوسری'],
  3: ['تیسرا', 'تیسری'],
  4: ['چوتھا', 'چوتھی'],
  6: ['چھٹا', 'چھٹی'],
};

function sayYear(year: number): string {
  if (year < 1100 || year > 1999) return String(year);
  const rest = year % 100;
  return `${Math.floor(year / 100)} سو${rest === 0 ? '' : ` ${rest}`}`;
}

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${day === 1 ? 'یکم' : day} ${MONTHS[month - 1]!}${year === undefined ? '' : ` ${sayYear(year)}`}`;

export const urdu: Grammar = {
  decimal: '.',
  groups: ',',
  plural: oneOrMore,
  space: ' ',
  words: {
    at: 'ایٹ',
    dot: 'ڈاٹ',
    slash: 'سلیش',
    per: 'فی',
    dash: 'ڈیش',
    underscore: 'انڈر سکور',
    point: 'پوائنٹ',
    version: 'ورژن',
    hashtag: 'ہیش ٹیگ',
    number: 'نمبر',
    section: 'دفعہ',
    copyright: 'کاپی رائٹ',
    and: 'اور',
    plus: 'جمع',
    minus: 'منفی',
    equals: 'برابر',
    times: 'ضرب',
    dividedBy: 'تقسیم',
    plusMinus: 'جمع منفی',
    about: 'تقریباً',
    lessThan: 'سے کم',
    greaterThan: 'سے زیادہ',
    to: 'سے',
  },
  money: {
    nouns: {
      PKR: ['روپیہ|روپے', 'پیسہ|پیسے'],
      INR: ['بھارتی روپیہ|بھارتی روپے', 'پیسہ|پیسے'],
      USD: ['ڈالر', 'سینٹ'],
      EUR: ['یورو', 'سینٹ'],
      GBP: ['پاؤنڈ', 'پینس'],
      JPY: ['ین'],
      CNY: ['یوان'],
      RUB: ['روبل'],
      SAR: ['ریال', 'ہللہ|ہللے'],
      AED: ['درہم', 'فلس'],
      BDT: ['ٹکا'],
      CHF: ['سوئس فرانک'],
    },
    signs: { Rs: 'PKR', 'Rs.': 'PKR', '₨': 'PKR' },
    thousands: { ہزار: 'ہزار' },
    millions: { لاکھ: 'لاکھ', کروڑ: 'کروڑ', ارب: 'ارب', ملین: 'ملین', بلین: 'بلین' },
    say: (units, hundredths) => `${units} ${hundredths}`,
  },
  units: {
    '%': 'فیصد',
    km: 'کلومیٹر',
    m: 'میٹر',
    cm: 'سینٹی میٹر',
    mm: 'ملی میٹر',
    'km²': 'مربع کلومیٹر',
    'm²': 'مربع میٹر',
    'm³': 'مکعب میٹر',
    kg: 'کلوگرام',
    g: 'گرام',
    mg: 'ملی گرام',
    t: 'ٹن',
    l: 'لیٹر',
    L: 'لیٹر',
    ml: 'ملی لیٹر',
    mL: 'ملی لیٹر',
    '°C': 'ڈگری سینٹی گریڈ',
    '°F': 'ڈگری فارن ہائیٹ',
    '°': 'ڈگری',
    'km/h': 'کلومیٹر فی گھنٹہ',
    'm/s': 'میٹر فی سیکنڈ',
    W: 'واٹ',
    kW: 'کلوواٹ',
    kWh: 'کلوواٹ گھنٹہ|کلوواٹ گھنٹے',
    V: 'وولٹ',
    Hz: 'ہرٹز',
    MHz: 'میگا ہرٹز',
    GHz: 'گیگا ہرٹز',
    KB: 'کلو بائٹ',
    MB: 'میگا بائٹ',
    GB: 'گیگا بائٹ',
    TB: 'ٹیرا بائٹ',
    Mbps: 'میگا بٹ فی سیکنڈ',
    h: 'گھنٹہ|گھنٹے',
    min: 'منٹ',
    ms: 'ملی سیکنڈ',
  },
  fractions: {
    '1/2': 'آدھا',
    '1/3': 'ایک تہائی',
    '2/3': 'دو تہائی',
    '1/4': 'ایک چوتھائی',
    '3/4': 'تین چوتھائی',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '',
    beforeMonth: '[ \\u00a0]',
    beforeYear: '[،,]?[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0]بجے',
    say: ({ hour, minute, second }) => {
      const seconds = second === undefined ? '' : ` ${second} سیکنڈ`;
      return minute === 0 && second === undefined ? `${hour} بجے` : `${hour} بج کر ${minute} منٹ${seconds}`;
    },
  },
  rules: [
    rule('digit', '(\\d{1,3})[ -]?(واں|ویں)(?!\\p{L})', ([, value = '', suffix]) => {
      const known = ORDINALS[value];
      return known === undefined ? `${value} ${suffix}` : known[suffix === 'واں' ? 0 : 1];
    }),
    rule('digit', '(1[1-9]\\d{2})(?= (?:میں|ء|تک))|(1[1-9]\\d{2})ء', ([, year, dated]) =>
      sayYear(Number(year ?? dated)),
    ),
    rule('digit', '(20\\d{2})ء', ([, year]) => year),
    rule('letter', 'ڈاکٹر\\.', () => 'ڈاکٹر'),
  ],
};
