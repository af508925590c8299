// French as it is said: one and twenty-one agree with their noun, kings are counted, only the first day is an ordinal.

import type { CalendarDate, Grammar, WrittenNumber } from '../grammar.ts';
import { createRomanRule, romanValue } from '../roman-rules.ts';
import { rule } from '../rule.ts';
import { oneMoreOrMillions, withLinked } from '../written-number.ts';

const MONTHS = [
  'janvier|janv.',
  'février|févr.',
  'mars',
  'avril|avr.',
  'mai',
  'juin',
  'juillet|juil.',
  'août',
  'septembre|sept.',
  'octobre|oct.',
  'novembre|nov.',
  'décembre|déc.',
];
const monthName = (month: number) => MONTHS[month - 1]!.split('|')[0]!;
const CARDINALS =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt'.split(
    ' ',
  );
/** Tens whose one has "et" before it; 81 has none, 71 and 91 end in eleven. */
const ONES: Readonly<Record<number, string>> = {
  1: 'une',
  21: 'vingt et une',
  31: 'trente et une',
  41: 'quarante et une',
  51: 'cinquante et une',
  61: 'soixante et une',
  81: 'quatre-vingt-une',
};

/** 1–39. */
function cardinal(value: number): string {
  if (value <= 20) return CARDINALS[value]!;
  const tens = value < 30 ? 'vingt' : 'trente';
  const rest = value % 10;
  if (rest === 0) return tens;
  return rest === 1 ? `${tens} et un` : `${tens}-${CARDINALS[rest]!}`;
}

/** 2–39; first has two genders. */
function ordinal(value: number): string {
  const said = cardinal(value);
  if (said.endsWith('cinq')) return `${said}uième`;
  if (said.endsWith('neuf')) return `${said.slice(0, -1)}vième`;
  return `${said.endsWith('e') ? said.slice(0, -1) : said}ième`;
}

const sayOrdinal = (value: number, ending: string) => {
  if (value === 1) return /^(?:re|ère)/.test(ending) ? 'première' : 'premier';
  return value < 40 ? ordinal(value) : undefined;
};

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${day === 1 ? 'premier' : day} ${monthName(month)}${year === undefined ? '' : ` ${year}`}`;

/** Below two there is no plural. */
const plural = (number: WrittenNumber) => (number.value < 2 ? 0 : oneMoreOrMillions(number));
const ENDING = '(er|re|ère|ème|e|nde?|d)';

export const french: Grammar = {
  decimal: ',',
  groups: " .'’",
  plural,
  space: ' ',
  agree: (value, gender) => (gender === 'f' ? ONES[value] : value === 1 ? 'un' : undefined),
  words: {
    at: 'arobase',
    dot: 'point',
    slash: 'barre oblique',
    per: 'par',
    dash: 'tiret',
    underscore: 'tiret bas',
    point: 'point',
    version: 'version',
    hashtag: 'hashtag',
    number: 'numéro',
    section: 'paragraphe',
    copyright: 'copyright',
    and: 'et',
    plus: 'plus',
    minus: 'moins',
    equals: 'égale',
    times: 'fois',
    dividedBy: 'divisé par',
    plusMinus: 'plus ou moins',
    about: 'environ',
    lessThan: 'inférieur à',
    greaterThan: 'supérieur à',
    to: 'à',
  },
  money: {
    nouns: withLinked(
      {
        EUR: ['euro|euros', 'centime|centimes'],
        USD: ['dollar|dollars', 'cent|cents'],
        GBP: ['f:livre|livres', 'penny|pence'],
        CHF: ['franc suisse|francs suisses', 'centime|centimes'],
        CAD: ['dollar canadien|dollars canadiens', 'cent|cents'],
        JPY: ['yen|yens'],
        CNY: ['yuan|yuans'],
        INR: ['f:roupie|roupies'],
        RUB: ['rouble|roubles', 'kopeck|kopecks'],
        KRW: ['won|wons'],
        BRL: ['réal|réaux', 'centavo|centavos'],
      },
      (plural) => (plural === 'euros' ? "d'euros" : `de ${plural}`),
    ),
    signs: { C$: 'CAD' },
    thousands: { mille: 'mille', k: 'mille' },
    millions: {
      million: 'million',
      millions: 'millions',
      M: 'million|millions',
      milliard: 'milliard',
      milliards: 'milliards',
      Md: 'milliard|milliards',
      Mds: 'milliard|milliards',
    },
    say: (units, _, count) => `${units} ${count}`,
  },
  units: {
    '%': 'pour cent',
    '‰': 'pour mille',
    km: 'kilomètre|kilomètres',
    m: 'mètre|mètres',
    cm: 'centimètre|centimètres',
    mm: 'millimètre|millimètres',
    'km²': 'kilomètre carré|kilomètres carrés',
    'm²': 'mètre carré|mètres carrés',
    'm³': 'mètre cube|mètres cubes',
    ha: 'hectare|hectares',
    kg: 'kilogramme|kilogrammes',
    g: 'gramme|grammes',
    mg: 'milligramme|milligrammes',
    t: 'f:tonne|tonnes',
    l: 'litre|litres',
    L: 'litre|litres',
    cl: 'centilitre|centilitres',
    ml: 'millilitre|millilitres',
    mL: 'millilitre|millilitres',
    '°C': 'degré Celsius|degrés Celsius',
    '°F': 'degré Fahrenheit|degrés Fahrenheit',
    '°': 'degré|degrés',
    'km/h': 'kilomètre-heure|kilomètres-heure',
    'm/s': 'mètre par seconde|mètres par seconde',
    W: 'watt|watts',
    kW: 'kilowatt|kilowatts',
    MW: 'mégawatt|mégawatts',
    kWh: 'kilowattheure|kilowattheures',
    V: 'volt|volts',
    Hz: 'hertz',
    MHz: 'mégahertz',
    GHz: 'gigahertz',
    Ko: 'kilooctet|kilooctets',
    Mo: 'mégaoctet|mégaoctets',
    Go: 'gigaoctet|gigaoctets',
    To: 'téraoctet|téraoctets',
    MB: 'mégaoctet|mégaoctets',
    GB: 'gigaoctet|gigaoctets',
    TB: 'téraoctet|téraoctets',
    'Mbit/s': 'mégabit par seconde|mégabits par seconde',
    kcal: 'kilocalorie|kilocalories',
    dB: 'décibel|décibels',
    min: 'f:minute|minutes',
    s: 'f:seconde|secondes',
    ms: 'f:milliseconde|millisecondes',
  },
  fractions: {
    '1/2': 'un demi',
    '1/3': 'un tiers',
    '2/3': 'deux tiers',
    '1/4': 'un quart',
    '3/4': 'trois quarts',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '(?:er)?',
    beforeMonth: '[ \\u00a0]',
    beforeYear: '[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':|[ \\u00a0]?[hH][ \\u00a0]?',
    tail: '[ \\u00a0]?(?:h|min)',
    say: ({ hour, minute, second }) => {
      const hours = `${ONES[hour] ?? hour} heure${hour < 2 ? '' : 's'}`;
      const seconds =
        second === undefined ? '' : ` et ${ONES[second] ?? second} seconde${second < 2 ? '' : 's'}`;
      return `${hours}${minute === 0 ? '' : ` ${ONES[minute] ?? minute}`}${seconds}`;
    },
  },
  rules: [
    rule('letter', 'et/ou(?!\\p{L})', () => 'et ou'),
    rule('digit', '(\\d{1,2})[ \\u00a0]?[hH](?![\\p{L}\\d/])', ([, hour]) =>
      Number(hour) > 24
        ? undefined
        : french.times.say({ hour: Number(hour), minute: 0, second: undefined, tail: '' }),
    ),
    rule('digit', `(\\d{1,2})${ENDING}(?![\\p{L}\\d])`, ([, value, ending = '']) => {
      if (Number(value) === 2 && ending.startsWith('n')) return ending === 'nd' ? 'second' : 'seconde';
      return Number(value) > 0 ? sayOrdinal(Number(value), ending) : undefined;
    }),
    rule('letter', `([IVX]{1,7})${ENDING}(?![\\p{L}\\d])`, ([, numeral = '', ending = '']) =>
      sayOrdinal(romanValue(numeral), ending),
    ),
    rule('letter', '[Pp]\\. ?ex\\.', ([written]) => `${written.startsWith('P') ? 'P' : 'p'}ar exemple`),
    rule(
      'letter',
      "[Cc](?:\\.|['’]est)[ -]?à[ .-]{1,2}d\\.",
      ([written]) => `${written.slice(0, 1)}'est-à-dire`,
    ),
    rule('letter', '[Nn][°º]s? ?(?=\\d)', () => 'numéro '),
    createRomanRule(
      'Louis Henri Charles Philippe François Napoléon Jean Jean-Paul Paul Pie Benoît Élisabeth Elizabeth Catherine Pierre Nicolas Alexandre Guillaume Frédéric Georges Édouard Léopold Albert Grégoire Léon',
      (value, name) =>
        value === 1
          ? /^(?:Élisabeth|Elizabeth|Catherine)$/.test(name)
            ? 'première'
            : 'premier'
          : cardinal(value),
      '(?:er|re)?',
    ),
    createRomanRule('chapitre Chapitre tome Tome acte Acte article Article', cardinal),
  ],
};
