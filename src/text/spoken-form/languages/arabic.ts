// Arabic as it is said: the dual is one word, three to ten take the plural, hours and days are ordinals. Case endings
// are left to the engine, and so is the gender of the numbers it reads.

import type { CalendarDate, Grammar, WrittenNumber } from '../grammar.ts';
import { rule } from '../rule.ts';

const MONTHS =
  'يناير فبراير مارس أبريل|ابريل|إبريل مايو يونيو|يونيه يوليو|يوليه أغسطس|اغسطس سبتمبر أكتوبر|اكتوبر نوفمبر ديسمبر'.split(
    ' ',
  );
const monthName = (month: number) => MONTHS[month - 1]!.split('|')[0]!;

/** Masculine and feminine ordinals, 1–10; behind a ten the first is another word. */
const ORDINALS = 'الأول الثاني الثالث الرابع الخامس السادس السابع الثامن التاسع العاشر'.split(' ');
const FEMININE = 'الأولى الثانية الثالثة الرابعة الخامسة السادسة السابعة الثامنة التاسعة العاشرة'.split(' ');

/** 1–31. */
function dayOrdinal(value: number): string {
  if (value <= 10) return ORDINALS[value - 1]!;
  if (value === 20) return 'العشرين';
  if (value === 30) return 'الثلاثين';
  const last = value % 10 === 1 ? 'الحادي' : ORDINALS[(value % 10) - 1]!;
  return value < 20 ? `${last} عشر` : `${last} ${value < 30 ? 'والعشرين' : 'والثلاثين'}`;
}

/** 0–24. */
function hourOrdinal(value: number): string {
  if (value === 0) return 'صفر';
  if (value === 1) return 'الواحدة';
  if (value <= 10) return FEMININE[value - 1]!;
  if (value === 20) return 'العشرون';
  const last = value % 10 === 1 ? 'الحادية' : FEMININE[(value % 10) - 1]!;
  return value < 20 ? `${last} عشرة` : `${last} والعشرون`;
}

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${dayOrdinal(day)} من ${monthName(month)}${year === undefined ? '' : ` ${year}`}`;

/** Forms: singular, dual, plural. */
function plural({ whole, fraction }: WrittenNumber): number {
  if (fraction !== '') return 0;
  const small = Number(whole.slice(-2));
  return small >= 3 && small <= 10 ? 2 : 0;
}

export const arabic: Grammar = {
  decimal: '.',
  groups: ',',
  plural,
  space: ' ',
  count: ({ value, fraction }, forms) => {
    if (fraction !== '' || forms.length < 3) return undefined;
    if (value === 1) return `${forms[0]!} واحد`;
    return value === 2 ? forms[1]! : undefined;
  },
  words: {
    at: 'آت',
    dot: 'نقطة',
    slash: 'شرطة مائلة',
    per: 'لكل',
    dash: 'شرطة',
    underscore: 'شرطة سفلية',
    point: 'نقطة',
    version: 'الإصدار',
    hashtag: 'وسم',
    number: 'رقم',
    section: 'المادة',
    copyright: 'حقوق النشر',
    and: 'و',
    plus: 'زائد',
    minus: 'ناقص',
    equals: 'يساوي',
    times: 'في',
    dividedBy: 'على',
    plusMinus: 'زائد أو ناقص',
    about: 'حوالي',
    lessThan: 'أقل من',
    greaterThan: 'أكثر من',
    to: 'إلى',
  },
  money: {
    nouns: {
      USD: ['دولار|دولاران|دولارات', 'سنت|سنتان|سنتات'],
      EUR: ['يورو', 'سنت|سنتان|سنتات'],
      GBP: ['جنيه إسترليني|جنيهان إسترلينيان|جنيهات إسترلينية', 'بنس|بنسان|بنسات'],
      SAR: ['ريال|ريالان|ريالات', 'f:هللة|هللتان|هللات'],
      AED: ['درهم|درهمان|دراهم', 'فلس|فلسان|فلوس'],
      EGP: ['جنيه|جنيهان|جنيهات', 'قرش|قرشان|قروش'],
      MAD: ['درهم|درهمان|دراهم', 'سنتيم|سنتيمان|سنتيمات'],
      KWD: ['دينار|ديناران|دنانير'],
      JPY: ['ين'],
      CNY: ['يوان'],
      INR: ['روبية|روبيتان|روبيات'],
      RUB: ['روبل|روبلان|روبلات'],
      CHF: ['فرنك سويسري|فرنكان سويسريان|فرنكات سويسرية'],
    },
    signs: { 'ر.س': 'SAR', 'ر.س.': 'SAR', '﷼': 'SAR', 'د.إ': 'AED', 'ج.م': 'EGP' },
    thousands: { ألف: 'ألف', آلاف: 'آلاف' },
    millions: { مليون: 'مليون', ملايين: 'ملايين', مليار: 'مليار', مليارات: 'مليارات' },
    say: (units, hundredths) => `${units} و ${hundredths}`,
  },
  units: {
    '%': 'بالمئة',
    '‰': 'بالألف',
    km: 'كيلومتر|كيلومتران|كيلومترات',
    كم: 'كيلومتر|كيلومتران|كيلومترات',
    m: 'متر|متران|أمتار',
    م: 'متر|متران|أمتار',
    cm: 'سنتيمتر|سنتيمتران|سنتيمترات',
    سم: 'سنتيمتر|سنتيمتران|سنتيمترات',
    mm: 'مليمتر|مليمتران|مليمترات',
    مم: 'مليمتر|مليمتران|مليمترات',
    'km²': 'كيلومتر مربع|كيلومتران مربعان|كيلومترات مربعة',
    'كم²': 'كيلومتر مربع|كيلومتران مربعان|كيلومترات مربعة',
    'm²': 'متر مربع|متران مربعان|أمتار مربعة',
    'م²': 'متر مربع|متران مربعان|أمتار مربعة',
    kg: 'كيلوغرام|كيلوغرامان|كيلوغرامات',
    كغ: 'كيلوغرام|كيلوغرامان|كيلوغرامات',
    كجم: 'كيلوغرام|كيلوغرامان|كيلوغرامات',
    g: 'غرام|غرامان|غرامات',
    غ: 'غرام|غرامان|غرامات',
    mg: 'مليغرام|مليغرامان|مليغرامات',
    l: 'لتر|لتران|لترات',
    L: 'لتر|لتران|لترات',
    ml: 'مليلتر|مليلتران|مليلترات',
    مل: 'مليلتر|مليلتران|مليلترات',
    '°C': 'درجة مئوية|درجتان مئويتان|درجات مئوية',
    '°م': 'درجة مئوية|درجتان مئويتان|درجات مئوية',
    '°F': 'درجة فهرنهايت|درجتا فهرنهايت|درجات فهرنهايت',
    '°': 'درجة|درجتان|درجات',
    'km/h': 'كيلومتر في الساعة|كيلومتران في الساعة|كيلومترات في الساعة',
    'كم/س': 'كيلومتر في الساعة|كيلومتران في الساعة|كيلومترات في الساعة',
    'كم/ساعة': 'كيلومتر في الساعة|كيلومتران في الساعة|كيلومترات في الساعة',
    W: 'واط',
    kW: 'كيلوواط',
    kWh: 'كيلوواط ساعة',
    Hz: 'هرتز',
    MHz: 'ميغاهرتز',
    GHz: 'غيغاهرتز',
    KB: 'كيلوبايت',
    MB: 'ميغابايت',
    GB: 'غيغابايت',
    TB: 'تيرابايت',
    Mbps: 'ميغابت في الثانية',
    min: 'دقيقة|دقيقتان|دقائق',
    ms: 'مللي ثانية',
  },
  fractions: { '1/2': 'نصف', '1/3': 'ثلث', '2/3': 'ثلثان', '1/4': 'ربع', '3/4': 'ثلاثة أرباع' },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '',
    beforeMonth: '[ \\u00a0](?:من )?',
    beforeYear: '(?:[ \\u00a0]|، )',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0](?:صباحا|صباحًا|مساء|مساءً|[صم])',
    say: ({ hour, minute, second, tail }) => {
      const minutes = minute === 0 ? '' : ` و ${minute} دقيقة`;
      const seconds = second === undefined ? '' : ` و ${second} ثانية`;
      const half = tail.startsWith('ص') ? ' صباحًا' : tail.startsWith('م') ? ' مساءً' : '';
      return `${hourOrdinal(hour)}${minutes}${seconds}${half}`;
    },
  },
  rules: [
    rule('digit', '([0-9]{4})(?:[ \\u00a0]?م\\.?)(?!\\p{L})', ([, year]) => `${year} ميلادي`),
    rule('digit', '([0-9]{3,4})(?:[ \\u00a0]?هـ\\.?)(?!\\p{L})', ([, year]) => `${year} هجري`),
  ],
};
