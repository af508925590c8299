// Portuguese as it is said: one, two and the hundreds agree with their noun. Where Portugal and Brazil
// write differently the word is Portugal's, as the engine's voice is.

import type { CalendarDate, Gender, Grammar } from '../grammar.ts';
import { createRomanRule } from '../roman-rules.ts';
import { rule } from '../rule.ts';
import { oneMoreOrMillions, withLinked } from '../written-number.ts';

const MONTHS = [
  'janeiro|jan.',
  'fevereiro|fev.',
  'março|mar.',
  'abril|abr.',
  'maio',
  'junho|jun.',
  'julho|jul.',
  'agosto|ago.',
  'setembro|set.',
  'outubro|out.',
  'novembro|nov.',
  'dezembro|dez.',
];
const TENS = '- dez vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'.split(' ');
const HUNDREDS_F =
  '- cento duzentas trezentas quatrocentas quinhentas seiscentas setecentas oitocentas novecentas'.split(' ');
const ORDINALS = '- primeir segund terceir quart quint sext sétim oitav non décim'.split(' ');

/** Below a thousand; undefined where the bare number is right. */
function agree(value: number, gender: Gender): string | undefined {
  if (value === 1) return gender === 'f' ? 'uma' : 'um';
  if (gender !== 'f' || value > 999) return undefined;
  const rest = value % 100;
  const last = rest % 10;
  let tail = String(rest);
  if ((last === 1 || last === 2) && rest !== 11 && rest !== 12) {
    const one = last === 1 ? 'uma' : 'duas';
    tail = rest < 10 ? one : `${TENS[Math.floor(rest / 10)]!} e ${one}`;
  } else if (value < 200) return undefined;
  if (value < 100) return tail;
  const hundreds = HUNDREDS_F[Math.floor(value / 100)]!;
  return rest === 0 ? hundreds : `${hundreds} e ${tail}`;
}

/** 1–10. */
const ordinal = (value: number, ending: 'o' | 'a') =>
  value >= 1 && value <= 10 ? `${ORDINALS[value]!}${ending}` : undefined;

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${day === 1 ? 'primeiro' : day} de ${MONTHS[month - 1]!.split('|')[0]!}${year === undefined ? '' : ` de ${year}`}`;

const feminine = (value: number) => agree(value, 'f') ?? String(value);
const isFemale = (name: string) => /^(?:Maria|Isabel|Catarina|Elizabeth)$/.test(name);

export const portuguese: Grammar = {
  decimal: ',',
  groups: ' .',
  plural: oneMoreOrMillions,
  space: ' ',
  agree,
  words: {
    at: 'arroba',
    dot: 'ponto',
    slash: 'barra',
    per: 'por',
    dash: 'hífen',
    underscore: 'sublinhado',
    point: 'ponto',
    version: 'versão',
    hashtag: 'hashtag',
    number: 'número',
    section: 'parágrafo',
    copyright: 'copyright',
    and: 'e',
    plus: 'mais',
    minus: 'menos',
    equals: 'igual a',
    times: 'vezes',
    dividedBy: 'dividido por',
    plusMinus: 'mais ou menos',
    about: 'cerca de',
    lessThan: 'menor que',
    greaterThan: 'maior que',
    to: 'a',
  },
  money: {
    nouns: withLinked(
      {
        BRL: ['real|reais', 'centavo|centavos'],
        EUR: ['euro|euros', 'cêntimo|cêntimos'],
        USD: ['dólar|dólares', 'centavo|centavos'],
        GBP: ['f:libra|libras', 'pêni|pence'],
        CHF: ['franco suíço|francos suíços', 'cêntimo|cêntimos'],
        JPY: ['iene|ienes'],
        CNY: ['yuan|yuans'],
        INR: ['f:rupia|rupias'],
        RUB: ['rublo|rublos', 'copeque|copeques'],
        KRW: ['won|wons'],
      },
      (plural) => `de ${plural}`,
    ),
    signs: {},
    thousands: { mil: 'mil' },
    millions: {
      milhão: 'milhão',
      milhões: 'milhões',
      mi: 'milhão|milhões',
      bilhão: 'bilhão',
      bilhões: 'bilhões',
      bi: 'bilhão|bilhões',
      'mil milhões': 'mil milhões',
    },
    say: (units, hundredths) => `${units} e ${hundredths}`,
  },
  units: {
    '%': 'por cento',
    '‰': 'por mil',
    km: 'quilómetro|quilómetros',
    m: 'metro|metros',
    cm: 'centímetro|centímetros',
    mm: 'milímetro|milímetros',
    'km²': 'quilómetro quadrado|quilómetros quadrados',
    'm²': 'metro quadrado|metros quadrados',
    'm³': 'metro cúbico|metros cúbicos',
    ha: 'hectare|hectares',
    kg: 'quilograma|quilogramas',
    g: 'grama|gramas',
    mg: 'miligrama|miligramas',
    t: 'f:tonelada|toneladas',
    l: 'litro|litros',
    L: 'litro|litros',
    ml: 'mililitro|mililitros',
    mL: 'mililitro|mililitros',
    '°C': 'grau Celsius|graus Celsius',
    '°F': 'grau Fahrenheit|graus Fahrenheit',
    '°': 'grau|graus',
    'km/h': 'quilómetro por hora|quilómetros por hora',
    'm/s': 'metro por segundo|metros por segundo',
    W: 'watt|watts',
    kW: 'quilowatt|quilowatts',
    MW: 'megawatt|megawatts',
    kWh: 'quilowatt-hora|quilowatts-hora',
    V: 'volt|volts',
    Hz: 'hertz',
    MHz: 'megahertz',
    GHz: 'gigahertz',
    KB: 'quilobyte|quilobytes',
    MB: 'megabyte|megabytes',
    GB: 'gigabyte|gigabytes',
    TB: 'terabyte|terabytes',
    Mbps: 'megabit por segundo|megabits por segundo',
    kcal: 'f:quilocaloria|quilocalorias',
    dB: 'decibel|decibéis',
    min: 'minuto|minutos',
    s: 'segundo|segundos',
    ms: 'milissegundo|milissegundos',
  },
  fractions: {
    '1/2': 'meio',
    '1/3': 'um terço',
    '2/3': 'dois terços',
    '1/4': 'um quarto',
    '3/4': 'três quartos',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '[.]?º?',
    beforeMonth: ' de ',
    beforeYear: ' de ',
    say: sayDate,
  },
  times: {
    mark: ':|h',
    tail: '[ \\u00a0]?(?:horas|hs?|min)',
    dotted: { before: /(?:^|[^\p{L}])(?:às|das|pelas|são) $/iu, byTail: 'no' },
    say: ({ hour, minute, second }) => {
      const hours = `${feminine(hour)} hora${hour === 1 ? '' : 's'}`;
      const seconds = second === undefined ? '' : ` e ${second} segundos`;
      return `${hours}${minute === 0 ? '' : ` e ${minute}`}${seconds}`;
    },
  },
  rules: [
    rule('letter', 'e/ou(?!\\p{L})', () => 'e ou'),
    rule('digit', '(\\d{1,2})[ \\u00a0]?h(?![\\p{L}\\d/])', ([, hour]) =>
      Number(hour) > 24
        ? undefined
        : portuguese.times.say({ hour: Number(hour), minute: 0, second: undefined, tail: '' }),
    ),
    rule('digit', '(\\d{1,2})\\.?([ºª])(?![CF])', ([, value, sign]) =>
      ordinal(Number(value), sign === 'ª' ? 'a' : 'o'),
    ),
    rule('letter', '[Nn](?:\\.[ºo°]|[º°]) ?(?=\\d)', () => 'número '),
    createRomanRule(
      'João Pedro Luís Henrique Carlos Filipe Afonso Sancho Dinis Manuel José Maria Isabel Catarina Elizabeth Paulo Pio Bento Napoleão Jorge Guilherme Nicolau Alexandre Frederico Gregório Leão',
      (value, name) => ordinal(value, isFemale(name) ? 'a' : 'o') ?? String(value),
    ),
    createRomanRule('século Século capítulo Capítulo tomo volume ato artigo', (value) =>
      value === 1 ? 'um' : String(value),
    ),
  ],
};
