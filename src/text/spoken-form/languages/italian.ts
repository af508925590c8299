// Italian as it is said: only one agrees, centuries and kings are ordinals, "le 14 e 30".

import type { CalendarDate, Grammar } from '../grammar.ts';
import { createRomanRule, romanValue } from '../roman-rules.ts';
import { rule } from '../rule.ts';
import { oneMoreOrMillions, withLinked } from '../written-number.ts';

const MONTHS = [
  'gennaio|gen.',
  'febbraio|feb.',
  'marzo|mar.',
  'aprile|apr.',
  'maggio',
  'giugno|giu.',
  'luglio|lug.',
  'agosto|ago.',
  'settembre|set.',
  'ottobre|ott.',
  'novembre|nov.',
  'dicembre|dic.',
];
const ORDINALS = '- prim second terz quart quint sest settim ottav non decim'.split(' ');
const TEENS =
  'dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti ventuno ventidue ventitré'.split(
    ' ',
  );

/** Without its ending, 1–23. */
function ordinalStem(value: number): string | undefined {
  if (value <= 10) return ORDINALS[value];
  const cardinal = TEENS[value - 10];
  return cardinal?.replace(/(?:[aeiou]|é)$/, (vowel) => (vowel === 'é' ? 'e' : '')).concat('esim');
}

const ordinal = (value: number, ending: 'o' | 'a') => {
  const stem = value >= 1 ? ordinalStem(value) : undefined;
  return stem === undefined ? undefined : `${stem}${ending}`;
};

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${day === 1 ? 'primo' : day} ${MONTHS[month - 1]!.split('|')[0]!}${year === undefined ? '' : ` ${year}`}`;

const isFemale = (name: string) => /^(?:Elisabetta|Caterina|Maria)$/.test(name);

export const italian: Grammar = {
  decimal: ',',
  groups: " .'’",
  plural: oneMoreOrMillions,
  space: ' ',
  agree: (value, gender) => (value === 1 ? (gender === 'f' ? 'una' : 'un') : undefined),
  words: {
    at: 'chiocciola',
    dot: 'punto',
    slash: 'barra',
    per: 'al',
    dash: 'trattino',
    underscore: 'trattino basso',
    point: 'punto',
    version: 'versione',
    hashtag: 'hashtag',
    number: 'numero',
    section: 'paragrafo',
    copyright: 'copyright',
    and: 'e',
    plus: 'più',
    minus: 'meno',
    equals: 'uguale',
    times: 'per',
    dividedBy: 'diviso',
    plusMinus: 'più o meno',
    about: 'circa',
    lessThan: 'minore di',
    greaterThan: 'maggiore di',
    to: 'a',
  },
  money: {
    nouns: withLinked(
      {
        EUR: ['euro', 'centesimo|centesimi'],
        USD: ['dollaro|dollari', 'centesimo|centesimi'],
        GBP: ['f:sterlina|sterline', 'penny|pence'],
        CHF: ['franco svizzero|franchi svizzeri', 'centesimo|centesimi'],
        JPY: ['yen'],
        CNY: ['yuan'],
        INR: ['f:rupia|rupie'],
        RUB: ['rublo|rubli', 'copeco|copechi'],
        KRW: ['won'],
        BRL: ['real|reais', 'centavo|centavos'],
      },
      (plural) => `di ${plural}`,
    ),
    signs: {},
    thousands: { mila: 'mila' },
    millions: {
      milione: 'milione',
      milioni: 'milioni',
      mln: 'milione|milioni',
      miliardo: 'miliardo',
      miliardi: 'miliardi',
      mld: 'miliardo|miliardi',
    },
    say: (units, _, count) => `${units} e ${count}`,
  },
  units: {
    mln: 'milione|milioni',
    mld: 'miliardo|miliardi',
    '%': 'per cento',
    '‰': 'per mille',
    km: 'chilometro|chilometri',
    m: 'metro|metri',
    cm: 'centimetro|centimetri',
    mm: 'millimetro|millimetri',
    'km²': 'chilometro quadrato|chilometri quadrati',
    'm²': 'metro quadrato|metri quadrati',
    mq: 'metro quadrato|metri quadrati',
    'm³': 'metro cubo|metri cubi',
    ha: 'ettaro|ettari',
    kg: 'chilogrammo|chilogrammi',
    g: 'grammo|grammi',
    mg: 'milligrammo|milligrammi',
    t: 'f:tonnellata|tonnellate',
    l: 'litro|litri',
    L: 'litro|litri',
    ml: 'millilitro|millilitri',
    '°C': 'grado Celsius|gradi Celsius',
    '°F': 'grado Fahrenheit|gradi Fahrenheit',
    'km/h': 'chilometro orario|chilometri orari',
    'm/s': 'metro al secondo|metri al secondo',
    W: 'watt',
    kW: 'chilowatt',
    MW: 'megawatt',
    kWh: 'chilowattora',
    V: 'volt',
    Hz: 'hertz',
    MHz: 'megahertz',
    GHz: 'gigahertz',
    KB: 'kilobyte',
    MB: 'megabyte',
    GB: 'gigabyte',
    TB: 'terabyte',
    'Mbit/s': 'megabit al secondo',
    kcal: 'f:chilocaloria|chilocalorie',
    dB: 'decibel',
    h: 'f:ora|ore',
    min: 'minuto|minuti',
    s: 'secondo|secondi',
    ms: 'millisecondo|millisecondi',
  },
  fractions: {
    '1/2': 'mezzo',
    '1/3': 'un terzo',
    '2/3': 'due terzi',
    '1/4': 'un quarto',
    '3/4': 'tre quarti',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '[°º]?',
    beforeMonth: '[ \\u00a0]',
    beforeYear: '[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0](?:ore|h)',
    dotted: { before: /(?:^|[^\p{L}])(?:alle|dalle|ore|verso le|entro le|per le|sono le) $/iu, byTail: 'no' },
    say: ({ hour, minute, second }) => {
      const time = `${hour === 1 ? 'una' : hour}${minute === 0 ? '' : ` e ${minute}`}`;
      return second === undefined ? time : `${time} e ${second} secondi`;
    },
  },
  rules: [
    rule('letter', 'e/o(?!\\p{L})', () => 'e o'),
    rule(
      'digit',
      '(\\d{1,2})([°ºª])(?= \\p{L}|[^\\p{L}]|$)(?! ?[CF](?!\\p{L}))',
      ([, value, sign], before) =>
        // A degree sign stands for º on many keyboards: an article tells it from a temperature.
        sign !== '°' ||
        /(?:^|[^\p{L}])(?:il|lo|la|l['’]|al|alla|del|della|nel|nella|dal|dalla) ?$/iu.test(before)
          ? ordinal(Number(value), sign === 'ª' || /(?:la|lla) $/.test(before) ? 'a' : 'o')
          : undefined,
    ),
    rule(
      'digit',
      `(\\d{1,3})°(?! ?[CF](?!\\p{L})| (?:${MONTHS.map((names) => names.split('|')[0]!).join('|')}))`,
      ([, value]) => `${value === '1' ? 'un grado' : `${value} gradi`}`,
    ),
    rule('letter', '([IVX]{1,6}) secolo', ([, numeral = '']) => {
      const said = ordinal(romanValue(numeral), 'o');
      return said === undefined ? undefined : `${said} secolo`;
    }),
    rule('letter', '[Nn](?:\\.[ °]?|[°º] ?)(?=\\d)', () => 'numero '),
    rule('letter', 'Dott\\.', () => 'Dottor'),
    rule('letter', 'Sig\\.ra', () => 'Signora'),
    rule('letter', 'Sig\\.', () => 'Signor'),
    createRomanRule(
      'Luigi Enrico Carlo Filippo Federico Vittorio Emanuele Umberto Giovanni Paolo Pio Benedetto Francesco Napoleone Giorgio Guglielmo Pietro Nicola Alessandro Elisabetta Caterina Maria Gregorio Leone',
      (value, name) =>
        ordinal(value, isFemale(name) ? 'a' : 'o')?.replace(/^\p{L}/u, (first) => first.toUpperCase()),
    ),
    createRomanRule('capitolo Capitolo tomo volume atto articolo', (value) =>
      value === 1 ? 'uno' : String(value),
    ),
  ],
};
