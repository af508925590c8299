// Japanese numbers and the counters behind them, in hiragana. Both change where they meet: 300 is さんびゃく, one minute
// いっぷん. Each counter lists the digits at which it does.

const DIGITS = ['', 'いち', 'に', 'さん', 'よん', 'ご', 'ろく', 'なな', 'はち', 'きゅう'];
const HUNDREDS: Readonly<Record<number, string>> = {
  1: 'ひゃく',
  3: 'さんびゃく',
  6: 'ろっぴゃく',
  8: 'はっぴゃく',
};
const THOUSANDS: Readonly<Record<number, string>> = { 1: 'せん', 3: 'さんぜん', 8: 'はっせん' };
const GROUPS = ['', 'まん', 'おく', 'ちょう'];

export const sayReading = (digit: number): string => (digit === 0 ? 'ゼロ' : DIGITS[digit]!);

function sayGroup(value: number): string {
  const [thousands, hundreds, tens] = [1000, 100, 10].map((place) => Math.floor(value / place) % 10) as [
    number,
    number,
    number,
  ];
  return [
    thousands === 0 ? '' : (THOUSANDS[thousands] ?? `${DIGITS[thousands]!}せん`),
    hundreds === 0 ? '' : (HUNDREDS[hundreds] ?? `${DIGITS[hundreds]!}ひゃく`),
    tens === 0 ? '' : `${tens === 1 ? '' : DIGITS[tens]!}じゅう`,
    DIGITS[value % 10]!,
  ].join('');
}

/** Of at most 15 digits. */
export function sayInteger(digits: string): string {
  const groups = digits.padStart(16, '0').match(/\d{4}/g)!.map(Number);
  const said = groups
    .map((value, index) => {
      if (value === 0) return '';
      const group = value === 1000 && index < 3 ? 'いっせん' : sayGroup(value);
      return `${group}${GROUPS[3 - index]!}`;
    })
    .join('')
    .replace('いちちょう', 'いっちょう');
  return said === '' ? 'れい' : said;
}

/** The plain form, then number and counter together by the last digit; 10 is for whole tens. */
type Counter = readonly [plain: string, changed?: Readonly<Record<number, string>>];

const MONTHS_LONG: Counter = [
  'かげつ',
  { 1: 'いっかげつ', 6: 'ろっかげつ', 8: 'はっかげつ', 10: 'じゅっかげつ' },
];
const AGES: Counter = ['さい', { 1: 'いっさい', 8: 'はっさい', 10: 'じゅっさい' }];
const COUNTERS: Readonly<Record<string, Counter>> = {
  時: ['じ', { 4: 'よじ', 7: 'しちじ', 9: 'くじ' }],
  時間: ['じかん', { 4: 'よじかん', 7: 'しちじかん', 9: 'くじかん' }],
  分: [
    'ふん',
    { 1: 'いっぷん', 3: 'さんぷん', 4: 'よんぷん', 6: 'ろっぷん', 8: 'はっぷん', 10: 'じゅっぷん' },
  ],
  秒: ['びょう'],
  年: ['ねん', { 4: 'よねん' }],
  年間: ['ねんかん', { 4: 'よねんかん' }],
  月: ['がつ', { 4: 'しがつ', 7: 'しちがつ', 9: 'くがつ' }],
  か月: MONTHS_LONG,
  ヶ月: MONTHS_LONG,
  ヵ月: MONTHS_LONG,
  カ月: MONTHS_LONG,
  週間: ['しゅうかん', { 1: 'いっしゅうかん', 8: 'はっしゅうかん', 10: 'じゅっしゅうかん' }],
  人: ['にん', { 4: 'よにん' }],
  個: ['こ', { 1: 'いっこ', 6: 'ろっこ', 8: 'はっこ', 10: 'じゅっこ' }],
  本: ['ほん', { 1: 'いっぽん', 3: 'さんぼん', 6: 'ろっぽん', 8: 'はっぽん', 10: 'じゅっぽん' }],
  枚: ['まい'],
  台: ['だい'],
  回: ['かい', { 1: 'いっかい', 6: 'ろっかい', 8: 'はっかい', 10: 'じゅっかい' }],
  階: ['かい', { 1: 'いっかい', 3: 'さんがい', 6: 'ろっかい', 8: 'はっかい', 10: 'じゅっかい' }],
  歳: AGES,
  才: AGES,
  度: ['ど'],
  番: ['ばん'],
  冊: ['さつ', { 1: 'いっさつ', 8: 'はっさつ', 10: 'じゅっさつ' }],
  匹: ['ひき', { 1: 'いっぴき', 3: 'さんびき', 6: 'ろっぴき', 8: 'はっぴき', 10: 'じゅっぴき' }],
  杯: ['はい', { 1: 'いっぱい', 3: 'さんばい', 6: 'ろっぱい', 8: 'はっぱい', 10: 'じゅっぱい' }],
  倍: ['ばい'],
  円: ['えん', { 4: 'よえん' }],
};
/** Of the counter alone; one that is not known stays as it is written. */
export const plainReading = (counter: string): string => COUNTERS[counter]?.[0] ?? counter;

/** Readings that follow no rule. */
const WHOLE: Readonly<Record<string, string>> = {
  '1つ': 'ひとつ',
  '2つ': 'ふたつ',
  '3つ': 'みっつ',
  '4つ': 'よっつ',
  '5つ': 'いつつ',
  '6つ': 'むっつ',
  '7つ': 'ななつ',
  '8つ': 'やっつ',
  '9つ': 'ここのつ',

  '1人': 'ひとり',
  '2人': 'ふたり',
  '20歳': 'はたち',
  '20才': 'はたち',
};
const DAYS: Readonly<Record<number, string>> = {
  1: 'ついたち',
  2: 'ふつか',
  3: 'みっか',
  4: 'よっか',
  5: 'いつか',
  6: 'むいか',
  7: 'なのか',
  8: 'ようか',
  9: 'ここのか',
  10: 'とおか',
  14: 'じゅうよっか',
  17: 'じゅうしちにち',
  19: 'じゅうくにち',
  20: 'はつか',
  24: 'にじゅうよっか',
  27: 'にじゅうしちにち',
  29: 'にじゅうくにち',
};

export const sayDay = (day: number): string => DAYS[day] ?? `${sayInteger(String(day))}にち`;

/** A whole number of at most 15 digits with its counter, e.g. 3 and 分. An unknown counter stays as it is written. */
export function sayCount(value: number, counter: string): string {
  if (counter === '日') return sayDay(value);
  if (counter === '日間') return value === 1 ? 'いちにちかん' : `${sayDay(value)}かん`;
  const whole = WHOLE[`${value}${counter}`];
  if (whole !== undefined) return whole;
  const [plain, changed] = COUNTERS[counter] ?? [counter];
  const last = value % 10;
  const tens = sayInteger(String(value));
  if (last === 0 && value % 100 !== 0 && changed?.[10] !== undefined)
    return `${tens.slice(0, -'じゅう'.length)}${changed[10]}`;
  const together = last === 0 ? undefined : changed?.[last];
  if (together === undefined) return `${tens}${plain}`;
  return `${value === last ? '' : sayInteger(String(value - last))}${together}`;
}
