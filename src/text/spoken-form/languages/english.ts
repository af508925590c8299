// English as it is said: years in pairs, dates month first, ordinals in words, the twelve-hour clock.

import type { Grammar } from '../grammar.ts';
import { createRomanRule } from '../roman-rules.ts';
import { oneOf, rule } from '../rule.ts';
import { oneOrMore } from '../written-number.ts';

// Numbers in words where the engine's own reading is not what people say: ordinals, years, decades.

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** 0–99. */
function words(value: number): string {
  if (value < 20) return SMALL[value]!;
  const tens = TENS[Math.floor(value / 10)]!;
  return value % 10 === 0 ? tens : `${tens}-${SMALL[value % 10]!}`;
}

/** 0–99. */
function ordinal(value: number): string {
  const said = words(value);
  const last = said.slice(said.lastIndexOf('-') + 1);
  const ending = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return said.slice(0, said.length - last.length) + ending;
}

function sayYear(year: number): string {
  if (year < 1000 || year > 2099) return String(year);
  const [century, rest] = [Math.floor(year / 100), year % 100];
  if (century === 20 && rest < 10) return rest === 0 ? 'two thousand' : `two thousand ${words(rest)}`;
  if (century % 10 === 0 && rest < 10) return String(year);
  if (rest === 0) return `${words(century)} hundred`;
  return `${words(century)} ${rest < 10 ? `oh ${words(rest)}` : words(rest)}`;
}

const sayDecade = (decade: number) => {
  const said = words(decade);
  return said.endsWith('y') ? `${said.slice(0, -1)}ies` : decade === 0 ? 'hundreds' : `${said}s`;
};

const MONTHS = [
  'January|Jan|Jan.',
  'February|Feb|Feb.',
  'March|Mar|Mar.',
  'April|Apr|Apr.',
  'May',
  'June|Jun|Jun.',
  'July|Jul|Jul.',
  'August|Aug|Aug.',
  'September|Sept|Sept.|Sep|Sep.',
  'October|Oct|Oct.',
  'November|Nov|Nov.',
  'December|Dec|Dec.',
];
const MONTH_NAMES = MONTHS.map((spellings) => spellings.split('|')[0]!);
const monthOf = new Map(
  MONTHS.flatMap((spellings, index) => spellings.split('|').map((name) => [name, index])),
);
const YEAR = '(1[1-9]\\d{2}|20\\d{2})';
const NOT_A_YEAR =
  '(?![\\d,.:%/-]\\d|[\\p{L}%]| ?(?:[$€£¥]|°|(?:km|kg|cm|mm|ml|mph|dollars|euros|pounds|people|times|percent)\\b)|' +
  // What is counted, and the streets that houses are numbered in.
  ' (?:rooms|homes|houses|cases|cities|towns|villages|schools|places|ways|words|pages|steps|days|hours|minutes|locations|stores|files|lines|items|units|countries|households|apartments|offices|boxes|pieces)\\b|' +
  '(?: \\p{Lu}[\\p{L}.]{0,20}){1,3} (?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Place|Square)\\b)';
/** Words after which a four-digit number is a year. */
const YEAR_CUE =
  /(?:\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Tt]ill|[Bb]y|[Yy]ear|[Ee]arly|[Ll]ate|[Mm]id|[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter|[Cc]irca|[Cc]a\.|©|copyright)|(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: of)?) $|[(©][ ]?$/;

const pastHour = (minute: number) => {
  if (minute === 0) return '';
  return minute < 10 ? `oh ${words(minute)}` : words(minute);
};
const HALF_DAY: Readonly<Record<string, string>> = { a: 'AM', p: 'PM' };
const TAIL = '[ \\u00a0]?(?:[aApP]\\.[mM]\\.|[aApP][mM])';

export const english: Grammar = {
  decimal: '.',
  groups: ',',
  plural: oneOrMore,
  space: ' ',
  words: {
    at: 'at',
    dot: 'dot',
    slash: 'slash',
    per: 'per',
    dash: 'dash',
    underscore: 'underscore',
    point: 'point',
    version: 'version',
    hashtag: 'hashtag',
    number: 'number',
    section: 'section',
    copyright: 'copyright',
    and: 'and',
    plus: 'plus',
    minus: 'minus',
    equals: 'equals',
    times: 'times',
    dividedBy: 'divided by',
    plusMinus: 'plus or minus',
    about: 'about',
    lessThan: 'less than',
    greaterThan: 'greater than',
    to: 'to',
  },
  money: {
    nouns: {
      USD: ['dollar|dollars', 'cent|cents'],
      EUR: ['euro|euros', 'cent|cents'],
      GBP: ['pound|pounds', 'penny|pence'],
      JPY: ['yen'],
      CNY: ['yuan'],
      INR: ['rupee|rupees', 'paisa|paise'],
      RUB: ['rouble|roubles', 'kopeck|kopecks'],
      KRW: ['won'],
      BRL: ['real|reals', 'centavo|centavos'],
      CHF: ['Swiss franc|Swiss francs', 'centime|centimes'],
      CAD: ['Canadian dollar|Canadian dollars', 'cent|cents'],
      AUD: ['Australian dollar|Australian dollars', 'cent|cents'],
      MXN: ['Mexican peso|Mexican pesos', 'centavo|centavos'],
    },
    signs: { C$: 'CAD', A$: 'AUD', Rs: 'INR', 'Rs.': 'INR' },
    thousands: { thousand: 'thousand', k: 'thousand', K: 'thousand' },
    millions: {
      million: 'million',
      m: 'million',
      M: 'million',
      mn: 'million',
      billion: 'billion',
      bn: 'billion',
      B: 'billion',
      trillion: 'trillion',
      tn: 'trillion',
    },
    attributeAfter: /(?:^|\P{L})an? $/iu,
    attributeBefore:
      /^[ -](?:bill|note|coin|ticket|voucher|coupon|gift card|gift certificate|fee|fine|deposit|discount|deal|budget|bet|prize|grant|loan|check|cheque|donation|bonus|reward|refund|limit|charge|surcharge|investment|price tag|subscription|meal|item|stamp)s?(?!\p{L})/u,
    say: (units, hundredths) => `${units} and ${hundredths}`,
  },
  units: {
    bn: 'billion',
    '%': 'percent',
    '‰': 'per mille',
    km: 'kilometer|kilometers',
    m: 'meter|meters',
    cm: 'centimeter|centimeters',
    mm: 'millimeter|millimeters',
    µm: 'micrometer|micrometers',
    'km²': 'square kilometer|square kilometers',
    'm²': 'square meter|square meters',
    'cm²': 'square centimeter|square centimeters',
    'm³': 'cubic meter|cubic meters',
    ha: 'hectare|hectares',
    mi: 'mile|miles',
    ft: 'foot|feet',
    yd: 'yard|yards',
    kg: 'kilogram|kilograms',
    g: 'gram|grams',
    mg: 'milligram|milligrams',
    t: 'ton|tons',
    lb: 'pound|pounds',
    lbs: 'pound|pounds',
    'lbs.': 'pound|pounds',
    'ft.': 'foot|feet',
    oz: 'ounce|ounces',
    l: 'liter|liters',
    L: 'liter|liters',
    ml: 'milliliter|milliliters',
    mL: 'milliliter|milliliters',
    '°C': 'degree Celsius|degrees Celsius',
    '°F': 'degree Fahrenheit|degrees Fahrenheit',
    '°': 'degree|degrees',
    'km/h': 'kilometer per hour|kilometers per hour',
    kmh: 'kilometer per hour|kilometers per hour',
    mph: 'mile per hour|miles per hour',
    'm/s': 'meter per second|meters per second',
    W: 'watt|watts',
    kW: 'kilowatt|kilowatts',
    MW: 'megawatt|megawatts',
    kWh: 'kilowatt hour|kilowatt hours',
    V: 'volt|volts',
    Hz: 'hertz',
    kHz: 'kilohertz',
    MHz: 'megahertz',
    GHz: 'gigahertz',
    KB: 'kilobyte|kilobytes',
    kB: 'kilobyte|kilobytes',
    MB: 'megabyte|megabytes',
    GB: 'gigabyte|gigabytes',
    TB: 'terabyte|terabytes',
    Mbps: 'megabit per second|megabits per second',
    'Mbit/s': 'megabit per second|megabits per second',
    Gbps: 'gigabit per second|gigabits per second',
    kcal: 'kilocalorie|kilocalories',
    dB: 'decibel|decibels',
    h: 'hour|hours',
    hrs: 'hour|hours',
    min: 'minute|minutes',
    sec: 'second|seconds',
    ms: 'millisecond|milliseconds',
    px: 'pixel|pixels',
  },
  fractions: {
    '1/2': 'a half',
    '1/3': 'one third',
    '2/3': 'two thirds',
    '1/4': 'a quarter',
    '3/4': 'three quarters',
  },
  dates: {
    order: 'month-first',
    months: MONTHS,
    daySuffix: '(?:st|nd|rd|th)?',
    beforeMonth: '(?: of)?[ \\u00a0]',
    beforeYear: ',?[ \\u00a0]',
    say: ({ day, month, year }) => {
      const date = `${MONTH_NAMES[month - 1]!} ${ordinal(day)}`;
      return year === undefined ? date : `${date}, ${sayYear(year)}`;
    },
  },
  times: {
    mark: ':',
    tail: TAIL,
    dotted: {
      // A rate or a price that something is at is none.
      before:
        /(?:^|[^\p{L}])(?<!(?:price|trad|sell|sold|bought|valu|rate|averag|interest|yield|ratio|index|scor)\p{L}{0,4} )[Aa]t $/iu,
      behind:
        '[,;:!?)”"]|\\.(?!\\d)|$|[ ](?:on|this|tonight|today|tomorrow|yesterday|sharp|every|from|in the (?:morning|afternoon|evening))(?!\\p{L})',
      byTail: 'yes',
    },
    say: ({ hour, minute, second, tail }) => {
      const half = HALF_DAY[tail.slice(0, 1).toLowerCase()];
      const past = pastHour(minute);
      const full = half === undefined ? (hour > 12 || hour === 0 ? 'hundred' : "o'clock") : '';
      const time = `${words(hour)} ${past === '' && second === undefined ? full : past || 'hundred'}`.trim();
      const seconds = second === undefined ? '' : ` and ${words(second)} second${second === 1 ? '' : 's'}`;
      return `${time}${seconds}${half === undefined ? '' : ` ${half}`}`;
    },
  },
  rules: [
    rule('letter', '[Aa]nd/or(?!\\p{L})', () => 'and or'),
    rule(
      'letter',
      `(${oneOf(monthOf.keys())})[ \\u00a0](\\d{1,2})(?:st|nd|rd|th)?(?:[-–](\\d{1,2})(?:st|nd|rd|th)?)?(?:,?[ \\u00a0](\\d{4}))?(?![\\p{L}\\d%]|[.,:/-]\\d|[ ](?:million|percent|people))`,
      ([, month = '', first, last, year]) => {
        const days = last === undefined ? [Number(first)] : [Number(first), Number(last)];
        if (days.some((day) => day < 1 || day > 31)) return undefined;
        const date = `${MONTH_NAMES[monthOf.get(month)!]!} ${days.map(ordinal).join(' to ')}`;
        return year === undefined ? date : `${date}, ${sayYear(Number(year))}`;
      },
    ),
    rule(
      'letter',
      `(${oneOf(monthOf.keys())})[ \\u00a0]${YEAR}${NOT_A_YEAR}`,
      ([, month = '', year]) => `${MONTH_NAMES[monthOf.get(month)!]!} ${sayYear(Number(year))}`,
    ),
    rule('digit', `(\\d{1,2})(?:st|nd|rd|th)(?!\\p{L})`, ([, day]) => ordinal(Number(day))),
    rule('digit', `(1[0-2]|[1-9])(${TAIL})(?![\\p{L}\\p{N}])`, ([, hour, tail = '']) =>
      english.times.say({ hour: Number(hour), minute: 0, second: undefined, tail: tail.trim() }),
    ),
    rule('digit', `${YEAR}[-–]${YEAR}${NOT_A_YEAR}`, ([, from, to]) =>
      Number(from) < Number(to) ? `${sayYear(Number(from))} to ${sayYear(Number(to))}` : undefined,
    ),
    rule('digit', `(1[1-9]|20)(\\d)0['’]?s(?!\\p{L})`, ([, century, decade]) =>
      century === '20' && decade === '0'
        ? 'two thousands'
        : `${words(Number(century))} ${sayDecade(Number(decade) * 10)}`,
    ),
    rule('digit', `${YEAR}${NOT_A_YEAR}`, ([, year], before) =>
      YEAR_CUE.test(before) ? sayYear(Number(year)) : undefined,
    ),
    rule('digit', '24/7(?![\\d/])', () => 'twenty-four seven'),
    rule(
      'digit',
      '([2-9]\\d{2})-(\\d{4})(?![\\d-])',
      ([, exchange = '', line = '']) => `${[...exchange].join(' ')}, ${[...line].join(' ')}`,
    ),
    rule('letter', '[Nn]os?\\. ?(?=\\d)', () => 'number '),
    rule('letter', 'e\\.g\\.', () => 'for example'),
    rule('letter', 'i\\.e\\.', () => 'that is'),
    createRomanRule(
      'Louis Henry Charles George Edward William James Richard John Philip Elizabeth Mary Catherine Peter Nicholas Alexander Frederick Pius Benedict Paul Francis Gregory Leo Innocent Napoleon Ramses Ptolemy Otto Ferdinand Leopold Albert',
      (value, _, before) =>
        // The pronoun may follow any name.
        value === 1 && !/(?:King|Queen|Pope|Emperor|Tsar|Kaiser) $/.test(before)
          ? undefined
          : `the ${ordinal(value).replace(/^\p{L}/u, (first) => first.toUpperCase())}`,
    ),
    createRomanRule('War Chapter Part Volume Vol. Act Book Phase Type Article Section Bowl Title', (value) =>
      words(value).replace(/^\p{L}/u, (first) => first.toUpperCase()),
    ),
  ],
};
