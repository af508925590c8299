// Indonesian as it is said: nouns do not change; a time after "pukul" or "jam" is written with a point.

import type { CalendarDate, Grammar } from '../grammar.ts';
import { createRomanRule, romanValue } from '../roman-rules.ts';
import { rule } from '../rule.ts';
import { noPlural } from '../written-number.ts';

const MONTHS = [
  'Januari|Jan',
  'Februari|Feb',
  'Maret|Mar',
  'April|Apr',
  'Mei',
  'Juni|Jun',
  'Juli|Jul',
  'Agustus|Agu|Agt',
  'September|Sep|Sept',
  'Oktober|Okt',
  'November|Nov',
  'Desember|Des',
];

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${day} ${MONTHS[month - 1]!.split('|')[0]!}${year === undefined ? '' : ` ${year}`}`;

export const indonesian: Grammar = {
  decimal: ',',
  groups: '.',
  plural: noPlural,
  space: ' ',
  agree: (value) => (value === 1 ? 'satu' : undefined),
  words: {
    at: 'et',
    dot: 'titik',
    slash: 'garis miring',
    per: 'per',
    dash: 'strip',
    underscore: 'garis bawah',
    point: 'titik',
    version: 'versi',
    hashtag: 'tagar',
    number: 'nomor',
    section: 'pasal',
    copyright: 'hak cipta',
    and: 'dan',
    plus: 'tambah',
    minus: 'minus',
    equals: 'sama dengan',
    times: 'kali',
    dividedBy: 'dibagi',
    plusMinus: 'plus minus',
    about: 'sekitar',
    lessThan: 'kurang dari',
    greaterThan: 'lebih dari',
    to: 'sampai',
  },
  money: {
    nouns: {
      IDR: ['rupiah', 'sen'],
      USD: ['dolar', 'sen'],
      EUR: ['euro', 'sen'],
      GBP: ['pound', 'penny'],
      MYR: ['ringgit', 'sen'],
      SGD: ['dolar Singapura', 'sen'],
      JPY: ['yen'],
      CNY: ['yuan'],
      INR: ['rupee'],
      RUB: ['rubel'],
      CHF: ['franc Swiss'],
      KRW: ['won'],
      SAR: ['riyal'],
    },
    signs: { Rp: 'IDR', 'Rp.': 'IDR', RM: 'MYR', S$: 'SGD' },
    thousands: { ribu: 'ribu', rb: 'ribu' },
    millions: { juta: 'juta', jt: 'juta', miliar: 'miliar', M: 'miliar', triliun: 'triliun', T: 'triliun' },
    say: (units, hundredths) => `${units} ${hundredths}`,
  },
  units: {
    rb: 'ribu',
    jt: 'juta',
    '%': 'persen',
    '‰': 'per mil',
    km: 'kilometer',
    m: 'meter',
    cm: 'sentimeter',
    mm: 'milimeter',
    'km²': 'kilometer persegi',
    'm²': 'meter persegi',
    'm³': 'meter kubik',
    ha: 'hektare',
    kg: 'kilogram',
    g: 'gram',
    gr: 'gram',
    mg: 'miligram',
    t: 'ton',
    l: 'liter',
    L: 'liter',
    ml: 'mililiter',
    mL: 'mililiter',
    '°C': 'derajat Celsius',
    '°F': 'derajat Fahrenheit',
    '°': 'derajat',
    'km/jam': 'kilometer per jam',
    'km/h': 'kilometer per jam',
    'm/s': 'meter per detik',
    W: 'watt',
    kW: 'kilowatt',
    MW: 'megawatt',
    kWh: 'kilowatt jam',
    V: 'volt',
    Hz: 'hertz',
    MHz: 'megahertz',
    GHz: 'gigahertz',
    KB: 'kilobita',
    MB: 'megabita',
    GB: 'gigabita',
    TB: 'terabita',
    Mbps: 'megabit per detik',
    kcal: 'kilokalori',
    kkal: 'kilokalori',
    dB: 'desibel',
    min: 'menit',
    ms: 'milidetik',
  },
  fractions: {
    '1/2': 'setengah',
    '1/3': 'sepertiga',
    '2/3': 'dua pertiga',
    '1/4': 'seperempat',
    '3/4': 'tiga perempat',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '',
    beforeMonth: '[ \\u00a0]',
    beforeYear: '[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0](?:jam)',
    dotted: { before: /(?:pukul|jam|pkl\.?) $/i, byTail: 'no' },
    say: ({ hour, minute, second }) => {
      const past = minute === 0 ? '' : ` lewat ${minute} menit`;
      return `${hour}${past}${second === undefined ? '' : ` ${second} detik`}`;
    },
  },
  rules: [
    rule('letter', 'dan/atau(?!\\p{L})', () => 'dan atau'),
    rule('letter', '(ke-)([IVX]{1,7}|\\d{1,4})(?!\\p{L}|\\d)', ([, , text = '']) => {
      const value = /\d/.test(text) ? Number(text) : romanValue(text);
      return value === 1 ? 'pertama' : `ke ${value}`;
    }),
    rule('letter', '[Nn]o\\. ?(?=\\d)', () => 'nomor '),
    rule('letter', 'dll\\.', () => 'dan lain-lain'),
    rule('letter', 'dsb\\.', () => 'dan sebagainya'),
    createRomanRule(
      'Louis Henry Charles George Edward William Elizabeth Paulus Yohanes Pius Hamengkubuwono Pakubuwono Bab bab Jilid Pasal Perang',
      (value, name) =>
        /^(?:Elizabeth|\p{L}{4,})$/u.test(name) && !/^(?:Bab|bab|Jilid|Pasal)$/.test(name)
          ? `ke ${value}`
          : String(value),
    ),
  ],
};
