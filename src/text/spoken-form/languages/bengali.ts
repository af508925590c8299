// Bengali as it is said: years before 2000 in hundreds, "9টা 30 মিনিট", dates with the day's own ending.

import type { CalendarDate, Grammar } from '../grammar.ts';
import { rule } from '../rule.ts';
import { noPlural } from '../written-number.ts';

const MONTHS = 'জানুয়ারি|জানুয়ারী ফেব্রুয়ারি|ফেব্রুয়ারী মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর'.split(
  ' ',
);

/** First to tenth; further ones take the suffix that they are written with. */
const ORDINALS = '- প্রথম দ্বিতীয় তৃতীয় চতুর্থ পঞ্চম ষষ্ঠ সপ্তম অষ্টম নবম দশম'.split(' ');

/** Days of a month: 1 পয়লা … 4 চৌঠা, -ই to 18, -এ from 19 on. */
const FIRST_DAYS = '- পয়লা দোসরা তেসরা চৌঠা'.split(' ');
const sayDay = (day: number) => FIRST_DAYS[day] ?? `${day}${day < 19 ? 'ই' : 'শে'}`;

function sayYear(year: number): string {
  if (year < 1100 || year > 1999) return String(year);
  const rest = year % 100;
  return `${Math.floor(year / 100)} শো${rest === 0 ? '' : ` ${rest}`}`;
}

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${sayDay(day)} ${MONTHS[month - 1]!.split('|')[0]!}${year === undefined ? '' : ` ${sayYear(year)}`}`;

export const bengali: Grammar = {
  decimal: '.',
  groups: ',',
  plural: noPlural,
  space: ' ',
  words: {
    at: 'অ্যাট',
    dot: 'ডট',
    slash: 'স্ল্যাশ',
    per: 'প্রতি',
    dash: 'ড্যাশ',
    underscore: 'আন্ডারস্কোর',
    point: 'পয়েন্ট',
    version: 'সংস্করণ',
    hashtag: 'হ্যাশট্যাগ',
    number: 'নম্বর',
    section: 'ধারা',
    copyright: 'কপিরাইট',
    and: 'এবং',
    plus: 'যোগ',
    minus: 'মাইনাস',
    equals: 'সমান',
    times: 'গুণ',
    dividedBy: 'ভাগ',
    plusMinus: 'প্লাস মাইনাস',
    about: 'প্রায়',
    lessThan: 'এর চেয়ে কম',
    greaterThan: 'এর চেয়ে বেশি',
    to: 'থেকে',
  },
  money: {
    nouns: {
      BDT: ['টাকা', 'পয়সা'],
      INR: ['রুপি', 'পয়সা'],
      USD: ['ডলার', 'সেন্ট'],
      EUR: ['ইউরো', 'সেন্ট'],
      GBP: ['পাউন্ড', 'পেন্স'],
      JPY: ['ইয়েন'],
      CNY: ['ইউয়ান'],
      RUB: ['রুবল'],
      PKR: ['পাকিস্তানি রুপি'],
      SAR: ['রিয়াল'],
      AED: ['দিরহাম'],
      CHF: ['সুইস ফ্রাঁ'],
    },
    signs: { Tk: 'BDT', 'Tk.': 'BDT', Rs: 'INR', 'Rs.': 'INR' },
    thousands: { হাজার: 'হাজার' },
    millions: { লাখ: 'লাখ', লক্ষ: 'লক্ষ', কোটি: 'কোটি', মিলিয়ন: 'মিলিয়ন', বিলিয়ন: 'বিলিয়ন' },
    say: (units, hundredths) => `${units} ${hundredths}`,
  },
  units: {
    '%': 'শতাংশ',
    km: 'কিলোমিটার',
    কিমি: 'কিলোমিটার',
    'কি.মি.': 'কিলোমিটার',
    m: 'মিটার',
    মি: 'মিটার',
    cm: 'সেন্টিমিটার',
    সেমি: 'সেন্টিমিটার',
    mm: 'মিলিমিটার',
    'km²': 'বর্গকিলোমিটার',
    'm²': 'বর্গমিটার',
    'm³': 'ঘনমিটার',
    kg: 'কিলোগ্রাম',
    কেজি: 'কেজি',
    g: 'গ্রাম',
    mg: 'মিলিগ্রাম',
    t: 'টন',
    l: 'লিটার',
    L: 'লিটার',
    ml: 'মিলিলিটার',
    mL: 'মিলিলিটার',
    '°C': 'ডিগ্রি সেলসিয়াস',
    '°সে': 'ডিগ্রি সেলসিয়াস',
    '°F': 'ডিগ্রি ফারেনহাইট',
    '°': 'ডিগ্রি',
    'km/h': 'কিলোমিটার প্রতি ঘণ্টা',
    'কিমি/ঘণ্টা': 'কিলোমিটার প্রতি ঘণ্টা',
    'm/s': 'মিটার প্রতি সেকেন্ড',
    W: 'ওয়াট',
    kW: 'কিলোওয়াট',
    kWh: 'কিলোওয়াট ঘণ্টা',
    V: 'ভোল্ট',
    Hz: 'হার্টজ',
    MHz: 'মেগাহার্টজ',
    GHz: 'গিগাহার্টজ',
    KB: 'কিলোবাইট',
    MB: 'মেগাবাইট',
    GB: 'গিগাবাইট',
    TB: 'টেরাবাইট',
    Mbps: 'মেগাবিট প্রতি সেকেন্ড',
    h: 'ঘণ্টা',
    min: 'মিনিট',
    ms: 'মিলিসেকেন্ড',
  },
  fractions: {
    '1/2': 'অর্ধেক',
    '1/3': 'এক তৃতীয়াংশ',
    '2/3': 'দুই তৃতীয়াংশ',
    '1/4': 'এক চতুর্থাংশ',
    '3/4': 'তিন চতুর্থাংশ',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '(?:লা|রা|ঠা|ই|শে|এ)?',
    beforeMonth: '[ \\u00a0]',
    beforeYear: ',?[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0]?(?:টা|মিনিটে?)',
    say: ({ hour, minute, second, tail }) => {
      const seconds = second === undefined ? '' : ` ${second} সেকেন্ড`;
      return `${hour}টা${minute === 0 ? '' : ` ${minute} ${tail === 'মিনিটে' ? tail : 'মিনিট'}`}${seconds}`;
    },
  },
  rules: [
    rule(
      'digit',
      '(\\d{1,2})\\.([0-5]\\d)টা(য়?)(?!\\p{L})',
      ([, hour, minute, ending]) => `${hour}টা ${Number(minute)} মিনিট${ending === '' ? '' : 'ে'}`,
    ),
    rule('digit', '(10|[1-9])(?:ম|য়|র্থ|ষ্ঠ)(?![\\p{L}\\p{M}])', ([, value]) => ORDINALS[Number(value)]),
    rule('digit', '(1[1-9]\\d{2})(?= (?:সালে|সালের|সাল|খ্রিস্টাব্দ))', ([, year]) => sayYear(Number(year))),
    rule('letter', 'ডা\\.|ডাঃ', () => 'ডাক্তার'),
    rule('letter', 'ড\\.', () => 'ডক্টর'),
    rule('letter', 'মো\\.|মোঃ', () => 'মোহাম্মদ'),
  ],
};
