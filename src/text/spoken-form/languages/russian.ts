// Russian as it is said: three plural forms, gender of one and two, ordinals in the case that a date or a year takes.

import type { CalendarDate, Gender, Grammar, WrittenNumber } from '../grammar.ts';
import { createRomanRule, romanValue } from '../roman-rules.ts';
import { rule } from '../rule.ts';
import { countNoun, readNumber } from '../written-number.ts';

// Numbers: ordinals in the cases that dates, years and rulers take, plural forms, gender of one and two.

const split = (text: string) => text.trim().split(/\s+/);

const TENS = split('- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто');
const HUNDREDS = split('- сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот');
/** Masculine ordinals of 1–20 without their ending; third has a soft stem. */
const ORDINAL_STEMS = split(`
  - перв втор трет четвёрт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат
  шестнадцат семнадцат восемнадцат девятнадцат двадцат`);
const TENS_STEMS = split(
  '- десят двадцат тридцат сороков пятидесят шестидесят семидесят восьмидесят девяност',
);
const HUNDRED_STEMS = split('- сот двухсот трёхсот четырёхсот пятисот шестисот семисот восьмисот девятисот');
const ENDINGS_STRESSED = [2, 6, 7, 8, 40];

type Case = 'nominative' | 'genitive' | 'prepositional' | 'feminine' | 'neuter';
const HARD: Readonly<Record<Case, string>> = {
  nominative: 'ый',
  genitive: 'ого',
  prepositional: 'ом',
  feminine: 'ая',
  neuter: 'ое',
};
const SOFT: Readonly<Record<Case, string>> = {
  nominative: 'ий',
  genitive: 'ьего',
  prepositional: 'ьем',
  feminine: 'ья',
  neuter: 'ье',
};

function ending(value: number, grammaticalCase: Case): string {
  if (value === 3) return SOFT[grammaticalCase];
  if (grammaticalCase === 'nominative' && ENDINGS_STRESSED.includes(value)) return 'ой';
  return HARD[grammaticalCase];
}

/** 1–99. */
function smallOrdinal(value: number, grammaticalCase: Case): string {
  if (value <= 20) return ORDINAL_STEMS[value]! + ending(value, grammaticalCase);
  const last = value % 10;
  if (last === 0) return TENS_STEMS[value / 10]! + ending(value, grammaticalCase);
  return `${TENS[Math.floor(value / 10)]!} ${ORDINAL_STEMS[last]!}${ending(last, grammaticalCase)}`;
}

/** 1–2999 but the round thousands above the second. */
function ordinal(value: number, grammaticalCase: Case): string {
  const thousands = Math.floor(value / 1000);
  const rest = value % 1000;
  if (rest === 0) return `${thousands === 1 ? '' : 'двух'}тысячн${HARD[grammaticalCase]}`;
  const parts = thousands === 0 ? [] : [thousands === 1 ? 'тысяча' : 'две тысячи'];
  const hundreds = Math.floor(rest / 100);
  const small = rest % 100;
  if (small === 0) parts.push(HUNDRED_STEMS[hundreds]! + HARD[grammaticalCase]);
  else {
    if (hundreds > 0) parts.push(HUNDREDS[hundreds]!);
    parts.push(smallOrdinal(small, grammaticalCase));
  }
  return parts.join(' ');
}

const sayYear = (year: number, grammaticalCase: Case) =>
  year >= 1 && year < 3000 ? ordinal(year, grammaticalCase) : String(year);

function plural({ whole, fraction }: WrittenNumber): number {
  if (fraction !== '') return 1;
  const last = Number(whole.slice(-1));
  if (whole.at(-2) === '1' || last === 0 || last > 4) return 2;
  return last === 1 ? 0 : 1;
}

const ONE: Readonly<Record<Gender, string>> = { m: 'один', f: 'одна', n: 'одно' };

/** Below a thousand; the engine says the masculine one and two by itself. */
function agree(value: number, gender: Gender): string | undefined {
  const last = value % 10;
  if (gender === 'm' || value > 999 || (last !== 1 && last !== 2) || Math.floor(value / 10) % 10 === 1)
    return undefined;
  if (last === 2 && gender === 'n') return undefined;
  const parts = [HUNDREDS[Math.floor(value / 100)], TENS[Math.floor(value / 10) % 10]];
  const larger = parts.filter((part) => part !== undefined && part !== '-');
  return [...larger, last === 1 ? ONE[gender] : 'две'].join(' ');
}

const MONTHS =
  'января|янв. февраля|февр.|фев. марта апреля|апр. мая июня июля августа|авг. сентября|сент.|сен. октября|окт. ноября|нояб.|ноя. декабря|дек.'.split(
    ' ',
  );

const sayDate = ({ day, month, year }: CalendarDate, before: string) => {
  const grammaticalCase = /(?:^|[^\p{L}])(?:по|на) $/iu.test(before) ? 'neuter' : 'genitive';
  const date = `${ordinal(day, grammaticalCase)} ${MONTHS[month - 1]!.split('|')[0]!}`;
  return year === undefined ? date : `${date} ${sayYear(year, 'genitive')} года`;
};

const ENDING_CASES: Readonly<Record<string, Case>> = {
  й: 'nominative',
  ый: 'nominative',
  ой: 'nominative',
  ий: 'nominative',
  го: 'genitive',
  ого: 'genitive',
  м: 'prepositional',
  ом: 'prepositional',
  я: 'feminine',
  ая: 'feminine',
  е: 'neuter',
  ое: 'neuter',
};
const FEMALE = /^(?:Екатерина|Елизавета|Анна)$/;
const isPrepositional = (before: string) => /(?:^|[^\p{L}])(?:в|о|об|во) $/iu.test(before);
const YEAR = '([12]\\d{3})';

export const russian: Grammar = {
  decimal: ',',
  groups: ' ',
  plural,
  space: ' ',
  agree,
  words: {
    at: 'собака',
    dot: 'точка',
    slash: 'слэш',
    per: 'в',
    dash: 'дефис',
    underscore: 'нижнее подчёркивание',
    point: 'точка',
    version: 'версия',
    hashtag: 'хештег',
    number: 'номер',
    section: 'параграф',
    copyright: 'копирайт',
    and: 'и',
    plus: 'плюс',
    minus: 'минус',
    equals: 'равно',
    times: 'умножить на',
    dividedBy: 'разделить на',
    plusMinus: 'плюс-минус',
    about: 'примерно',
    lessThan: 'меньше',
    greaterThan: 'больше',
    to: '–',
  },
  money: {
    nouns: {
      RUB: ['рубль|рубля|рублей', 'f:копейка|копейки|копеек'],
      USD: ['доллар|доллара|долларов', 'цент|цента|центов'],
      EUR: ['евро', 'цент|цента|центов'],
      GBP: ['фунт|фунта|фунтов', 'пенни'],
      CHF: ['франк|франка|франков', 'сантим|сантима|сантимов'],
      JPY: ['f:иена|иены|иен'],
      CNY: ['юань|юаня|юаней'],
      INR: ['f:рупия|рупии|рупий'],
      UAH: ['f:гривна|гривны|гривен', 'f:копейка|копейки|копеек'],
      KZT: ['тенге'],
      KRW: ['f:вона|воны|вон'],
      BRL: ['реал|реала|реалов'],
    },
    signs: { 'руб.': 'RUB', руб: 'RUB', 'р.': 'RUB', '₴': 'UAH', '₸': 'KZT' },
    thousands: { 'тыс.': 'f:тысяча|тысячи|тысяч', тыс: 'f:тысяча|тысячи|тысяч', тысяч: 'f:тысяч' },
    millions: {
      'млн.': 'миллион|миллиона|миллионов',
      млн: 'миллион|миллиона|миллионов',
      миллионов: 'миллионов',
      'млрд.': 'миллиард|миллиарда|миллиардов',
      млрд: 'миллиард|миллиарда|миллиардов',
      миллиардов: 'миллиардов',
    },
    say: (units, hundredths) => `${units} ${hundredths}`,
  },
  units: {
    'тыс.': 'f:тысяча|тысячи|тысяч',
    млн: 'миллион|миллиона|миллионов',
    'млн.': 'миллион|миллиона|миллионов',
    млрд: 'миллиард|миллиарда|миллиардов',
    'млрд.': 'миллиард|миллиарда|миллиардов',
    '%': 'процент|процента|процентов',
    '‰': 'f:промилле',
    км: 'километр|километра|километров',
    м: 'метр|метра|метров',
    см: 'сантиметр|сантиметра|сантиметров',
    мм: 'миллиметр|миллиметра|миллиметров',
    'км²': 'квадратный километр|квадратных километра|квадратных километров',
    'м²': 'квадратный метр|квадратных метра|квадратных метров',
    'кв. м': 'квадратный метр|квадратных метра|квадратных метров',
    'м³': 'кубический метр|кубических метра|кубических метров',
    га: 'гектар|гектара|гектаров',
    кг: 'килограмм|килограмма|килограммов',
    мг: 'миллиграмм|миллиграмма|миллиграммов',
    гр: 'грамм|грамма|граммов',
    т: 'f:тонна|тонны|тонн',
    л: 'литр|литра|литров',
    мл: 'миллилитр|миллилитра|миллилитров',
    km: 'километр|километра|километров',
    kg: 'килограмм|килограмма|килограммов',
    '°C': 'градус|градуса|градусов',
    '°С': 'градус|градуса|градусов',
    '°F': 'градус Фаренгейта|градуса Фаренгейта|градусов Фаренгейта',
    '°': 'градус|градуса|градусов',
    'км/ч': 'километр в час|километра в час|километров в час',
    'м/с': 'метр в секунду|метра в секунду|метров в секунду',
    Вт: 'ватт|ватта|ватт',
    кВт: 'киловатт|киловатта|киловатт',
    кВт·ч: 'киловатт-час|киловатт-часа|киловатт-часов',
    В: 'вольт|вольта|вольт',
    Гц: 'герц|герца|герц',
    МГц: 'мегагерц|мегагерца|мегагерц',
    ГГц: 'гигагерц|гигагерца|гигагерц',
    КБ: 'килобайт|килобайта|килобайт',
    МБ: 'мегабайт|мегабайта|мегабайт',
    ГБ: 'гигабайт|гигабайта|гигабайт',
    Гб: 'гигабайт|гигабайта|гигабайт',
    GB: 'гигабайт|гигабайта|гигабайт',
    MB: 'мегабайт|мегабайта|мегабайт',
    ТБ: 'терабайт|терабайта|терабайт',
    'Мбит/с': 'мегабит в секунду|мегабита в секунду|мегабит в секунду',
    ккал: 'f:килокалория|килокалории|килокалорий',
    ч: 'час|часа|часов',
    'ч.': 'час|часа|часов',
    мин: 'f:минута|минуты|минут',
    'мин.': 'f:минута|минуты|минут',
    сек: 'f:секунда|секунды|секунд',
    'сек.': 'f:секунда|секунды|секунд',
    шт: 'f:штука|штуки|штук',
    'шт.': 'f:штука|штуки|штук',
  },
  fractions: {
    '1/2': 'одна вторая',
    '1/3': 'одна третья',
    '2/3': 'две третьих',
    '1/4': 'одна четвёртая',
    '3/4': 'три четвёртых',
  },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '(?:-?го)?',
    beforeMonth: '[ \\u00a0]',
    beforeYear: '[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0](?:час(?:а|ов)?|ч\\.?)',
    dotted: {
      before: /(?:^|[^\p{L}])в $/iu,
      behind: '(?! (?:раз|г(?:од)?)(?:а|у)?(?!\\p{L}))',
      byTail: 'no',
    },
    say: ({ hour, minute, second }) => {
      const time = { whole: String(hour), fraction: '', mark: '', value: hour };
      const past = minute < 10 ? `ноль ${minute}` : String(minute);
      const seconds = second === undefined ? '' : ` ${second < 10 ? `ноль ${second}` : second}`;
      if (minute > 0 || second !== undefined) return `${hour} ${minute === 0 ? 'ноль ноль' : past}${seconds}`;
      return `${hour} ${['час', 'часа', 'часов'][plural(time)]!}`;
    },
  },
  rules: [
    rule('letter', 'и/или(?!\\p{L})', () => 'и или'),
    // A written-out date takes its "г." along, which says "года" already.
    rule(
      'digit',
      `(\\d{1,2})(?:\\.(\\d{1,2})\\.|[ \\u00a0](${MONTHS.map((names) => names.split('|')[0]!).join('|')})[ \\u00a0])${YEAR}[ \\u00a0]?(?:г\\.|года)`,
      ([, day, digits, name, year], before) => {
        const month =
          digits === undefined
            ? MONTHS.findIndex((names) => names.split('|')[0] === name) + 1
            : Number(digits);
        if (month < 1 || month > 12 || Number(day) < 1 || Number(day) > 31) return undefined;
        return sayDate({ day: Number(day), month, year: Number(year) }, before);
      },
    ),
    rule(
      'digit',
      `${YEAR}[-–]${YEAR}[ \\u00a0]?(?:гг\\.|годы)`,
      ([, from, to]) => `${sayYear(Number(from), 'nominative')} – ${sayYear(Number(to), 'nominative')} годы`,
    ),
    // More than three digits before it is a year.
    rule('digit', '(\\d{1,3}(?:,\\d{1,3})?)[ \\u00a0]?г(?![\\p{L}.])', ([, value = '']) =>
      countNoun(russian, readNumber(value, russian), 'грамм|грамма|граммов'),
    ),
    rule('digit', `${YEAR}[ \\u00a0]?(год[уае]?|г\\.)(?!\\p{L})`, ([, year, word], before) => {
      if (word === 'году' || (word === 'г.' && isPrepositional(before)))
        return `${sayYear(Number(year), 'prepositional')} году`;
      if (word === 'год') return `${sayYear(Number(year), 'nominative')} год`;
      if (word === 'годе') return undefined;
      return `${sayYear(Number(year), 'genitive')} года`;
    }),
    rule('digit', '(\\d{1,4})-(ый|ой|ий|й|ого|го|ом|м|ая|я|ое|е)(?!\\p{L})', ([, value, suffix = '']) =>
      Number(value) > 0 && Number(value) < 3000 && Number(value) % 1000 !== 0
        ? ordinal(Number(value), ENDING_CASES[suffix]!)
        : undefined,
    ),
    rule(
      'letter',
      '([IVX]{1,7})([ \\u00a0])(век(?:а|е)?|в\\.)(?!\\p{L})',
      ([, numeral = '', blank, word], before) => {
        const value = romanValue(numeral);
        if (word === 'веке' || (word === 'в.' && isPrepositional(before)))
          return `${ordinal(value, 'prepositional')}${blank}веке`;
        return word === 'века' ? `${ordinal(value, 'genitive')} века` : `${ordinal(value, 'nominative')} век`;
      },
    ),
    rule('letter', 'т\\. ?е\\.', () => 'то есть'),
    rule('letter', 'т\\. ?д\\.', () => 'так далее'),
    createRomanRule(
      'Пётр Петр Павел Александр Николай Иван Людовик Генрих Карл Георг Фридрих Вильгельм Наполеон Филипп Пий Иоанн Екатерина Елизавета Анна Эдуард Ричард',
      (value, name) =>
        ordinal(value, FEMALE.test(name) ? 'feminine' : 'nominative').replace(/^\p{L}/u, (first) =>
          first.toUpperCase(),
        ),
    ),
  ],
};
