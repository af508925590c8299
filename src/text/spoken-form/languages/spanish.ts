// Spanish as it is said: one and the hundreds agree with their noun, kings are ordinals up to ten.

import type { CalendarDate, Gender, Grammar } from '../grammar.ts';
import { createRomanRule } from '../roman-rules.ts';
import { rule } from '../rule.ts';
import { oneMoreOrMillions, withLinked } from '../written-number.ts';

const MONTHS = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'septiembre|setiembre',
  'octubre',
  'noviembre',
  'diciembre',
];
const TENS = '- - veinti treinta cuarenta cincuenta sesenta setenta ochenta noventa'.split(' ');
const HUNDREDS_F =
  '- - doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas'.split(
    ' ',
  );
const ORDINALS = '- primer segund tercer cuart quint sext séptim octav noven décim'.split(' ');

/** Below a thousand; undefined where the bare number is right. */
function agree(value: number, gender: Gender): string | undefined {
  if (value > 999) return undefined;
  const rest = value % 100;
  const one = gender === 'f' ? 'una' : 'un';
  let tail: string | undefined;
  if (rest === 1) tail = one;
  else if (rest === 21) tail = gender === 'f' ? 'veintiuna' : 'veintiún';
  else if (rest % 10 === 1 && rest !== 11) tail = `${TENS[Math.floor(rest / 10)]!} y ${one}`;
  if (value < 100) return tail;
  const hundreds = Math.floor(value / 100);
  if (gender === 'f' && hundreds > 1)
    return `${HUNDREDS_F[hundreds]!}${rest === 0 ? '' : ` ${tail ?? rest}`}`;
  if (tail === undefined) return undefined;
  return hundreds === 1 ? `ciento ${tail}` : `${hundreds * 100} ${tail}`;
}

/** 1–10. */
const ordinal = (value: number, ending: 'o' | 'a') =>
  value >= 1 && value <= 10 ? `${ORDINALS[value]!}${ending}` : undefined;

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${day} de ${MONTHS[month - 1]!.split('|')[0]!}${year === undefined ? '' : ` de ${year}`}`;

const isFemale = (name: string) => /^(?:Isabel|Catalina|María)$/.test(name);

export const spanish: Grammar = {
  decimal: ',',
  groups: ' .',
  plural: oneMoreOrMillions,
  space: ' ',
  agree,
  words: {
    at: 'arroba',
    dot: 'punto',
    slash: 'barra',
    per: 'por',
    dash: 'guion',
    underscore: 'guion bajo',
    point: 'punto',
    version: 'versión',
    hashtag: 'hashtag',
    number: 'número',
    section: 'sección',
    copyright: 'copyright',
    and: 'y',
    plus: 'más',
    minus: 'menos',
    equals: 'igual a',
    times: 'por',
    dividedBy: 'dividido entre',
    plusMinus: 'más menos',
    about: 'aproximadamente',
    lessThan: 'menor que',
    greaterThan: 'mayor que',
    to: 'a',
  },
  money: {
    nouns: withLinked(
      {
        EUR: ['euro|euros', 'céntimo|céntimos'],
        USD: ['dólar|dólares', 'centavo|centavos'],
        GBP: ['f:libra|libras', 'penique|peniques'],
        MXN: ['peso mexicano|pesos mexicanos', 'centavo|centavos'],
        CHF: ['franco suizo|francos suizos', 'céntimo|céntimos'],
        JPY: ['yen|yenes'],
        CNY: ['yuan|yuanes'],
        INR: ['f:rupia|rupias'],
        RUB: ['rublo|rublos', 'kopek|kopeks'],
        KRW: ['won|wones'],
        BRL: ['real|reales', 'centavo|centavos'],
        ARS: ['peso argentino|pesos argentinos', 'centavo|centavos'],
        COP: ['peso colombiano|pesos colombianos'],
      },
      (plural) => `de ${plural}`,
    ),
    signs: { MX$: 'MXN' },
    thousands: { mil: 'mil' },
    millions: {
      millón: 'millón',
      millones: 'millones',
      M: 'millón|millones',
      'mil millones': 'mil millones',
    },
    say: (units, hundredths) => `${units} con ${hundredths}`,
  },
  units: {
    '%': 'por ciento',
    '‰': 'por mil',
    km: 'kilómetro|kilómetros',
    m: 'metro|metros',
    cm: 'centímetro|centímetros',
    mm: 'milímetro|milímetros',
    'km²': 'kilómetro cuadrado|kilómetros cuadrados',
    'm²': 'metro cuadrado|metros cuadrados',
    'm³': 'metro cúbico|metros cúbicos',
    ha: 'f:hectárea|hectáreas',
    kg: 'kilogramo|kilogramos',
    g: 'gramo|gramos',
    mg: 'miligramo|miligramos',
    t: 'f:tonelada|toneladas',
    l: 'litro|litros',
    L: 'litro|litros',
    ml: 'mililitro|mililitros',
    mL: 'mililitro|mililitros',
    '°C': 'grado Celsius|grados Celsius',
    '°F': 'grado Fahrenheit|grados Fahrenheit',
    '°': 'grado|grados',
    'km/h': 'kilómetro por hora|kilómetros por hora',
    'm/s': 'metro por segundo|metros por segundo',
    W: 'vatio|vatios',
    kW: 'kilovatio|kilovatios',
    MW: 'megavatio|megavatios',
    kWh: 'kilovatio hora|kilovatios hora',
    V: 'voltio|voltios',
    Hz: 'hercio|hercios',
    MHz: 'megahercio|megahercios',
    GHz: 'gigahercio|gigahercios',
    KB: 'kilobyte|kilobytes',
    MB: 'megabyte|megabytes',
    GB: 'gigabyte|gigabytes',
    TB: 'terabyte|terabytes',
    Mbps: 'megabit por segundo|megabits por segundo',
    kcal: 'f:kilocaloría|kilocalorías',
    dB: 'decibelio|decibelios',
    h: 'f:hora|horas',
    min: 'minuto|minutos',
    s: 'segundo|segundos',
    ms: 'milisegundo|milisegundos',
  },
  fractions: {
    '1/2': 'medio',
    '1/3': 'un tercio',
    '2/3': 'dos tercios',
    '1/4': 'un cuarto',
    '3/4': 'tres cuartos',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '[.]?º?',
    beforeMonth: ' de ',
    beforeYear: ' del? ',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0]?(?:horas|hrs?\\.?|h|a\\. ?m\\.|p\\. ?m\\.|am|pm|AM|PM)',
    dotted: { before: /(?:^|[^\p{L}])(?:a|de|desde|hasta|sobre|son|y) las $/iu, byTail: 'no' },
    say: ({ hour, minute, second, tail }) => {
      const half = /^a/i.test(tail) ? ' a eme' : /^p/i.test(tail) ? ' pe eme' : '';
      const time = `${hour === 1 ? 'una' : hour === 21 ? 'veintiuna' : hour}`;
      const past = minute === 0 ? (half === '' && second === undefined ? ' en punto' : '') : ` y ${minute}`;
      return `${time}${past}${second === undefined ? '' : ` y ${second} segundos`}${half}`;
    },
  },
  rules: [
    rule(
      'digit',
      '(1[0-2]|[1-9])[ \\u00a0]?([ap])\\. ?m\\.',
      ([, hour, half]) => `${hour === '1' ? 'una' : hour} ${half === 'a' ? 'a' : 'pe'} eme`,
    ),
    rule('letter', 'y/o(?!\\p{L})', () => 'y o'),
    rule('digit', '(\\d{1,2})(?:\\.?([ºª])|\\.?(er)\\b)(?![CFcf])', ([, value, sign, short]) => {
      if (short !== undefined) return value === '1' ? 'primer' : value === '3' ? 'tercer' : undefined;
      return ordinal(Number(value), sign === 'ª' ? 'a' : 'o');
    }),
    rule('letter', '[Nn](?:\\.[ºo°]|[º°]|úm\\.) ?(?=\\d)', () => 'número '),
    rule('letter', 'EE\\. ?UU\\.', () => 'Estados Unidos'),
    rule('letter', 'p\\. ?ej\\.', () => 'por ejemplo'),
    createRomanRule(
      'Felipe Carlos Fernando Alfonso Juan Luis Enrique Isabel Catalina María Pablo Pío Benedicto Francisco Napoleón Jorge Guillermo Pedro Nicolás Alejandro Federico Jaime Sancho Gregorio León',
      (value, name) => ordinal(value, isFemale(name) ? 'a' : 'o') ?? String(value),
    ),
    createRomanRule('siglo Siglo capítulo Capítulo tomo Tomo volumen acto artículo', (value) =>
      value === 1 ? 'uno' : String(value),
    ),
  ],
};
