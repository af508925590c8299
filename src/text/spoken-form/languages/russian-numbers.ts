// Russian numbers: ordinals in the cases that dates, years and rulers take, plural forms, gender of one and two.

import type { Gender, WrittenNumber } from '../grammar.ts';

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

export type Case = 'nominative' | 'genitive' | 'prepositional' | 'feminine' | 'neuter';
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
export function ordinal(value: number, grammaticalCase: Case): string {
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

export const sayYear = (year: number, grammaticalCase: Case) =>
  year >= 1 && year < 3000 ? ordinal(year, grammaticalCase) : String(year);

export function plural({ whole, fraction }: WrittenNumber): number {
  if (fraction !== '') return 1;
  const last = Number(whole.slice(-1));
  if (whole.at(-2) === '1' || last === 0 || last > 4) return 2;
  return last === 1 ? 0 : 1;
}

const ONE: Readonly<Record<Gender, string>> = { m: 'один', f: 'одна', n: 'одно' };

/** Below a thousand; the engine says the masculine one and two by itself. */
export function agree(value: number, gender: Gender): string | undefined {
  const last = value % 10;
  if (gender === 'm' || value > 999 || (last !== 1 && last !== 2) || Math.floor(value / 10) % 10 === 1)
    return undefined;
  if (last === 2 && gender === 'n') return undefined;
  const parts = [HUNDREDS[Math.floor(value / 100)], TENS[Math.floor(value / 10) % 10]];
  const larger = parts.filter((part) => part !== undefined && part !== '-');
  return [...larger, last === 1 ? ONE[gender] : 'две'].join(' ');
}
