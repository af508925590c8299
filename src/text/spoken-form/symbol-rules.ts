// Signs between words and numbers: what is said for each, and which mean something only where they stand.

import type { Words } from './grammar.ts';
import { type Rule, rule } from './rule.ts';

/** A time of day that its tail tells from other numbers: 5pm, 17h30. */
const TIME = '\\d{1,2}(?:[:.]\\d\\d)? ?(?:[aApP]\\.?[mM]|[hH](?:\\d\\d)?)(?![\\p{L}\\d])';
const TIME_BEFORE = new RegExp(`(?<!\\d)${TIME}\\.?$`, 'u');
const AMOUNT = '\\d{1,4}(?:[.,]\\d{1,3}){0,3}';
const RANGE_FROM = new RegExp(`(?:^|[^\\d.,:/-])(${AMOUNT})$`);
const RANGE_TO = new RegExp(`^(${AMOUNT})(?![\\d/-])`);

/** Marks before three digits part thousands, others are decimal: good enough to tell which of two is larger. */
const sizeOf = (amount: string) => Number(amount.replace(/[.,](?=\d{3})/g, '').replace(',', '.'));

/** A hyphen makes a range of two short amounts that rise. Two numbers of four digits are years or no range. */
function isRange(before: string, after: string): boolean {
  const from = RANGE_FROM.exec(before)?.[1];
  const to = RANGE_TO.exec(after)?.[1];
  if (from === undefined || to === undefined || /^0\d/.test(from) || /^0\d/.test(to)) return false;
  const areWhole = /^\d+$/.test(from) && /^\d+$/.test(to);
  if (areWhole && from.length === 4 && to.length === 2) return Number(to) > Number(from.slice(2));
  if (areWhole && to.length === 4 && Number(to) >= 3000) return false;
  return sizeOf(from) < sizeOf(to);
}

export function createSymbolRules(words: Words): Rule[] {
  const isNumberEnd = (before: string) =>
    /[\d%‰€£¥₽₹]\s?$|\d ?(?:°[CF]?|[ap]m|[AP]M|[kcm]?[mgl]|h)$/u.test(before);
  const mark = (sign: string, word: string) => rule('sign', sign, () => word);
  return [
    // Two ends with a dash; a hyphen may be much else, so what it joins must look like two ends.
    rule('sign', '[–—~～〜](?= ?[$€£¥₽₹]?\\d)', (_, before) => (isNumberEnd(before) ? words.to : undefined)),
    rule('sign', '-(?=[$€£¥₽₹]?(\\d[\\d.,/-]{0,16}))', ([, after = ''], before) =>
      isRange(before, after) || /(?::\d\d|\d[%‰€£¥₽₹])$/u.test(before) ? words.to : undefined,
    ),
    rule('sign', `-(?=${TIME})`, (_, before) => (TIME_BEFORE.test(before) ? words.to : undefined)),
    // Behind a space, a bracket or another sign it is a minus.
    rule('sign', '[-−–](?=[$€£¥₽₹]?\\d)', (_, before) =>
      /(?:^|[\s([=×÷*/+<>≤≥,:;~]|[\u3000-\u9fff])$/u.test(before) ? words.minus : undefined,
    ),
    rule('sign', '−(?= ?[\\d\\p{L}])', () => words.minus),
    rule('sign', '[~≈∼](?= ?[$€£¥₽₹]?\\d)', () => words.about),
    mark('±|\\+/-', words.plusMinus),
    mark('&', words.and),
    mark('\\+', words.plus),
    mark('[→⇒➔➜]|[-=]>', words.to),
    mark('={1,3}', words.equals),
    mark('×', words.times),
    mark('÷', words.dividedBy),
    mark('©', words.copyright),
    mark('§{1,2}', words.section),
    mark('№', words.number),
    rule('sign', '[<>](?= ?[\\d])', ([sign]) => (sign === '<' ? words.lessThan : words.greaterThan)),
    rule('sign', '/(?=\\p{L})', (_, before) => {
      if (/[\d$€£¥₽₹]$/.test(before)) return words.per;
      return /\p{L}$/u.test(before) ? words.slash : undefined;
    }),
    // Never said.
    mark('[™®•‣▪■●◦✓★]', ''),
  ];
}
