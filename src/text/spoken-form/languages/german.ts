// German as it is said: ordinals whose ending follows the article, years in hundreds, "14 Uhr 30".

import type { CalendarDate, Grammar } from '../grammar.ts';
import { createRomanRule } from '../roman-rules.ts';
import { oneOf, rule } from '../rule.ts';
import { oneOrMore } from '../written-number.ts';

const SMALL =
  'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(
    ' ',
  );
const TENS = '- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');
const IRREGULAR: Readonly<Record<number, string>> = { 1: 'erst', 3: 'dritt', 7: 'siebt', 8: 'acht' };

/** 0–99, a final one as it stands inside a word. */
function words(value: number): string {
  if (value < 20) return SMALL[value]!;
  const tens = TENS[Math.floor(value / 10)]!;
  return value % 10 === 0 ? tens : `${SMALL[value % 10]!}und${tens}`;
}

/** Without its ending, 1–99. */
const ordinalStem = (value: number) => IRREGULAR[value] ?? `${words(value)}${value < 20 ? 't' : 'st'}`;

/** What stands between an article and the last of several ordinals: "am 2. und 3. Mai". */
const ORDINALS_BEFORE = /(?:\d{1,2}\.(?:,| und| oder| sowie| bis) )+$/u;
const ARTICLE = /(?:^|[^\p{L}])(?:der|die|das|am|vom|zum|im|zur|den|dem|des|beim) $/iu;
/** Behind these "der" is the dative of a feminine noun. */
const DATIVE_DER =
  /(?:^|[^\p{L}])(?:in|auf|mit|bei|von|zu|nach|aus|an|vor|seit|unter|ab|hinter|neben|über|zwischen) der $/iu;

/** The ending that the word before calls for, the same for several in a row; alone the form of a heading. */
function ordinal(value: number, textBefore: string): string {
  const stem = ordinalStem(value);
  const before = textBefore.replace(ORDINALS_BEFORE, '');
  if (DATIVE_DER.test(before)) return `${stem}en`;
  if (/(?:^|[^\p{L}])(?:der|die|das) $/iu.test(before)) return `${stem}e`;
  if (
    /(?:^|[^\p{L}])(?:am|vom|zum|beim|im|zur|den|dem|des|bis|ab|seit|dieser|jeden|einen|ihren|seinen|meinen|,) $/iu.test(
      before,
    )
  )
    return `${stem}en`;
  return `${stem}er`;
}

function sayYear(year: number): string {
  if (year < 1100 || year > 1999) return String(year);
  const rest = year % 100;
  return `${words(Math.floor(year / 100))}hundert${rest === 0 ? '' : rest === 1 ? 'eins' : words(rest)}`;
}

const MONTHS = [
  'Januar|Jänner|Jan.',
  'Februar|Feber|Feb.',
  'März',
  'April|Apr.',
  'Mai',
  'Juni|Jun.',
  'Juli|Jul.',
  'August|Aug.',
  'September|Sept.|Sep.',
  'Oktober|Okt.',
  'November|Nov.',
  'Dezember|Dez.',
];
const monthName = (month: number) => MONTHS[month - 1]!.split('|')[0]!;
const MORE_ORDINALS = `(?:, \\d{1,2}\\.){0,3} (?:und|oder|sowie|bis|bis zum|auf den) \\d{1,2}\\. ?(?:(${oneOf(MONTHS.flatMap((names) => names.split('|')))})(?!\\p{L})|\\p{Lu}\\p{Ll})`;
/** Measures that are often halved; most others are neuter. */
const MASCULINE_HALVES =
  /^(?:Liter|Meter|Kilometer|Zentimeter|Tag|Monat|Löffel|Becher|Schritt|Euro|Dollar|Apfel)$/;
const YEAR_CUE =
  /(?:^|[^\p{L}])(?:in|im Jahre?|Jahre?|seit|von|bis|ab|anno|Frühjahr|Frühling|Sommer|Herbst|Winter|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember) $|[(–-]$/iu;

const sayDate = ({ day, month, year }: CalendarDate, before: string) =>
  `${ordinal(day, before)} ${monthName(month)}${year === undefined ? '' : ` ${sayYear(year)}`}`;

export const german: Grammar = {
  decimal: ',',
  groups: ".'’",
  plural: oneOrMore,
  space: ' ',
  agree: (value, gender) => (value === 1 ? (gender === 'f' ? 'eine' : 'ein') : undefined),
  words: {
    at: 'ät',
    dot: 'Punkt',
    slash: 'Schrägstrich',
    per: 'pro',
    dash: 'Bindestrich',
    underscore: 'Unterstrich',
    point: 'Punkt',
    version: 'Version',
    hashtag: 'Hashtag',
    number: 'Nummer',
    section: 'Paragraf',
    copyright: 'Copyright',
    and: 'und',
    plus: 'plus',
    minus: 'minus',
    equals: 'gleich',
    times: 'mal',
    dividedBy: 'geteilt durch',
    plusMinus: 'plus minus',
    about: 'etwa',
    lessThan: 'kleiner als',
    greaterThan: 'größer als',
    to: 'bis',
  },
  money: {
    nouns: {
      EUR: ['Euro', 'Cent'],
      USD: ['Dollar', 'Cent'],
      GBP: ['n:Pfund', 'Penny|Pence'],
      CHF: ['Franken', 'Rappen'],
      JPY: ['Yen'],
      CNY: ['Yuan'],
      INR: ['f:Rupie|Rupien', 'Paisa'],
      RUB: ['Rubel', 'f:Kopeke|Kopeken'],
      KRW: ['Won'],
      BRL: ['Real|Reais', 'Centavo|Centavos'],
    },
    signs: { SFr: 'CHF' },
    thousands: { 'Tsd.': 'tausend' },
    millions: {
      Million: 'f:Million',
      Millionen: 'f:Millionen',
      'Mio.': 'f:Million|Millionen',
      Mio: 'f:Million|Millionen',
      Milliarde: 'f:Milliarde',
      Milliarden: 'f:Milliarden',
      'Mrd.': 'f:Milliarde|Milliarden',
      Mrd: 'f:Milliarde|Milliarden',
    },
    say: (units, _, count) => `${units} ${count}`,
  },
  units: {
    'Mio.': 'f:Million|Millionen',
    'Mrd.': 'f:Milliarde|Milliarden',
    '%': 'Prozent',
    '‰': 'Promille',
    km: 'Kilometer',
    m: 'Meter',
    cm: 'Zentimeter',
    mm: 'Millimeter',
    'km²': 'Quadratkilometer',
    'm²': 'Quadratmeter',
    qm: 'Quadratmeter',
    'cm²': 'Quadratzentimeter',
    'm³': 'Kubikmeter',
    ha: 'Hektar',
    kg: 'n:Kilogramm',
    g: 'n:Gramm',
    mg: 'n:Milligramm',
    t: 'f:Tonne|Tonnen',
    l: 'Liter',
    L: 'Liter',
    ml: 'Milliliter',
    '°C': 'n:Grad Celsius',
    '°F': 'n:Grad Fahrenheit',
    '°': 'n:Grad',
    'km/h': 'Stundenkilometer',
    'm/s': 'Meter pro Sekunde',
    W: 'n:Watt',
    kW: 'n:Kilowatt',
    MW: 'n:Megawatt',
    kWh: 'f:Kilowattstunde|Kilowattstunden',
    PS: 'PS',
    V: 'n:Volt',
    Hz: 'n:Hertz',
    kHz: 'n:Kilohertz',
    MHz: 'n:Megahertz',
    GHz: 'n:Gigahertz',
    kB: 'n:Kilobyte',
    KB: 'n:Kilobyte',
    MB: 'n:Megabyte',
    GB: 'n:Gigabyte',
    TB: 'n:Terabyte',
    'Mbit/s': 'n:Megabit pro Sekunde',
    kcal: 'f:Kilokalorie|Kilokalorien',
    dB: 'n:Dezibel',
    h: 'f:Stunde|Stunden',
    Std: 'f:Stunde|Stunden',
    'Std.': 'f:Stunde|Stunden',
    min: 'f:Minute|Minuten',
    'Min.': 'f:Minute|Minuten',
    s: 'f:Sekunde|Sekunden',
    ms: 'f:Millisekunde|Millisekunden',
  },
  fractions: {
    '1/2': 'ein halb',
    '1/3': 'ein Drittel',
    '2/3': 'zwei Drittel',
    '1/4': 'ein Viertel',
    '3/4': 'drei Viertel',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '\\.',
    beforeMonth: '[ \\u00a0]?',
    beforeYear: '[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0](?:Uhr|h)',
    dotted: { before: /(?:^|[^\p{L}])(?:um|gegen) $/iu, byTail: 'yes' },
    say: ({ hour, minute, second }) => {
      const time = `${hour === 1 ? 'ein' : hour} Uhr${minute === 0 ? '' : ` ${minute}`}`;
      return second === undefined ? time : `${time} und ${second} Sekunden`;
    },
  },
  rules: [
    rule('letter', '[Uu]nd/oder(?!\\p{L})', () => 'und oder'),
    rule('digit', '(\\d{1,2})\\.(\\d{2})[ \\u00a0](?:Uhr|h)(?!\\p{L})', ([, hour, minute]) =>
      Number(hour) > 24 || Number(minute) > 59
        ? undefined
        : german.times.say({ hour: Number(hour), minute: Number(minute), second: undefined, tail: '' }),
    ),
    rule('digit', '1 Uhr(?!\\p{L})', () => 'ein Uhr'),
    // 3.4. – day and month without a year.
    rule('digit', '(\\d{1,2})\\.[ ]?(1[0-2]|0?[1-9])\\.(?![\\d])', ([, day, month], before) =>
      Number(day) < 1 || Number(day) > 31
        ? undefined
        : sayDate({ day: Number(day), month: Number(month), year: undefined }, before),
    ),
    // A point behind a number makes an ordinal only where a noun goes on: Nouns have a capital.
    rule('digit', '(\\d{1,2})\\.(?= \\p{Lu}\\p{Ll})', ([, value], before) =>
      Number(value) > 0 && ARTICLE.test(before.replace(ORDINALS_BEFORE, ''))
        ? ordinal(Number(value), before)
        : undefined,
    ),
    // One of several ordinals stands before no noun: the article, or the month behind the last one, tells.
    rule('digit', `(\\d{1,2})\\.(?=${MORE_ORDINALS})`, ([, value, month], before) =>
      Number(value) > 0 && (month !== undefined || ARTICLE.test(before.replace(ORDINALS_BEFORE, '')))
        ? ordinal(Number(value), before)
        : undefined,
    ),
    rule(
      'letter',
      '([Ee]ine?[mnrs]?) (?:1/2|½)(?= (\\p{Lu}\\p{Ll}{1,20}))',
      ([, article = '', noun = '']) => {
        if (/e$/.test(article)) return `${article} halbe`;
        if (/ein$/i.test(article)) return `${article} ${MASCULINE_HALVES.test(noun) ? 'halber' : 'halbes'}`;
        return `${article} halben`;
      },
    ),
    rule(
      'digit',
      '(1[1-9]\\d{2})(?![\\d.,:%/]\\d|[\\p{L}%]| ?[€$£°]| (?:Euro|Dollar|Meter|Kilometer|Menschen|Mal)\\b)',
      ([, year], before) =>
        YEAR_CUE.test(before) || /\d{4}[-–]$/.test(before) ? sayYear(Number(year)) : undefined,
    ),
    rule('digit', '(1[1-9]\\d{2})[-–]((?:1[1-9]|20)\\d{2})(?![\\d.,:%/]|[\\p{L}%])', ([, from, to]) =>
      Number(from) < Number(to) ? `${sayYear(Number(from))} bis ${sayYear(Number(to))}` : undefined,
    ),
    rule('letter', 'Nr\\. ?(?=\\d)', () => 'Nummer '),
    rule('letter', 'z\\. ?B\\.', () => 'zum Beispiel'),
    rule('letter', 'd\\. ?h\\.', () => 'das heißt'),
    createRomanRule(
      'Ludwig Heinrich Karl Friedrich Wilhelm Otto Franz Joseph Leopold Johannes Paul Pius Benedikt Georg Elisabeth Katharina Maria Peter Alexander Nikolaus Philipp Gregor Leo Eduard Richard Jakob Maximilian',
      (value, name) => {
        const isFemale = /^(?:Elisabeth|Katharina|Maria)$/.test(name);
        const said = ordinalStem(value);
        return `${isFemale ? 'die' : 'der'} ${said.slice(0, 1).toUpperCase()}${said.slice(1)}e`;
      },
      '\\.?',
    ),
  ],
};
