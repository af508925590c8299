// Numbers that count nothing: telephone numbers, versions, addresses of machines, identifiers; then every other one.

import type { Grammar } from './grammar.ts';
import { type Rule, rule } from './rule.ts';
import {
  MAX_NUMBER_DIGITS,
  numberPattern,
  readNumber,
  sayDigits,
  sayNumber,
  wholeNumber,
} from './written-number.ts';

/** What stands before a later group of a telephone number, or before a whole one. */
const AFTER_DIGITS = /(?:\d |(?<!\p{L})(?:tel|tél|tfno|тел)\p{L}{0,8}\.?:? )$/iu;

export function createNumberRules(grammar: Grammar): Rule[] {
  const { words, groups, space } = grammar;
  /** Group by group, each digit by digit; where all groups are pairs, as in France, those without a zero as numbers. */
  function sayPhone(text: string): string {
    const groups = text.split(/\D+/).filter((group) => group !== '');
    const arePairs = groups.every((group) => group.length <= 2);
    const say = (group: string) =>
      arePairs && !group.startsWith('0')
        ? sayNumber(grammar, wholeNumber(Number(group)))
        : sayDigits(grammar, group);
    return groups.map(say).join(', ');
  }
  const plusPhone = rule(
    'sign',
    '\\+(\\d{1,3}(?:[ .\\u00a0-]?\\(?\\d{1,5}\\)?){2,6})(?!\\d)',
    ([, digits = '']) =>
      digits.replace(/\D/g, '').length < 8 ? undefined : `${words.plus}${space}${sayPhone(digits)}`,
  );
  const areaPhone = rule(
    'sign',
    '\\((\\d{2,5}\\)[ \\u00a0]?\\d{2,4}(?:[- ]\\d{2,4}){1,3})(?![\\d-])',
    ([, digits = '']) => sayPhone(digits),
  );
  const phone = rule(
    'digit',
    '(0\\d{1,4}(?:[ /.-]\\d{2,8}){1,5}|(?:1[-. ])?[2-9]\\d{2}[-.]\\d{3}[-.]\\d{4})(?!\\d|[.,:/-]\\d)',
    ([, digits = '']) => (digits.replace(/\D/g, '').length < 8 ? undefined : sayPhone(digits)),
  );
  const dotted = rule('digit', '(\\d{1,5}(?:\\.\\d{1,6}){2,5})(?!\\d|[.,]\\d)', ([, text = '']) => {
    const parts = text.split('.');
    const isMachine =
      parts.length === 4 && parts.every((part) => String(Number(part)) === part && Number(part) < 256);
    const isGrouped = groups.includes('.') && parts.slice(1).every((part) => part.length === 3);
    if (isGrouped && !isMachine) return undefined;
    const said = parts.map((part) => sayNumber(grammar, readNumber(part, grammar)));
    return said.join(`${space}${isMachine ? words.dot : words.point}${space}`);
  });
  const version = rule(
    'letter',
    '(?:v|V(?=\\d{1,4}\\.))(\\d{1,4}(?:\\.\\d{1,5}){0,4})(?![\\p{L}\\p{N}]|[.,]\\d)',
    ([, text = '']) => {
      const parts = text.split('.').map((part) => sayNumber(grammar, readNumber(part, grammar)));
      return `${words.version}${space}${parts.join(`${space}${words.point}${space}`)}`;
    },
  );
  const identifier = rule('digit', `\\d{${MAX_NUMBER_DIGITS + 1},4000}`, ([digits]) =>
    sayDigits(grammar, digits),
  );
  // Groups behind plain spaces are thousands unless more groups, or their sizes, tell of a telephone number. Before a
  // unit or a price they always are.
  const ungrouped = { ...grammar, groups: groups.replace(' ', '') };
  const spaced = rule(
    'digit',
    `(?=\\d{1,3} \\d{3})(${numberPattern(grammar)})(?![.:/]\\d| \\d)`,
    ([, text = ''], before) =>
      /^\d{3} \d{3} \d{3}$/.test(text) || AFTER_DIGITS.test(before)
        ? undefined
        : sayNumber(grammar, readNumber(text, grammar)),
  );
  const plain = rule('digit', `(${numberPattern(ungrouped)})(?![.:/]\\d)`, ([, text = '']) =>
    // Digits with a zero in front are no quantity; the engine reads them as they are.
    text.startsWith('0') && /^\d{2,}$/.test(text) && grammar.cardinal === undefined
      ? undefined
      : sayNumber(grammar, readNumber(text, grammar)),
  );
  return [
    plusPhone,
    areaPhone,
    phone,
    dotted,
    version,
    identifier,
    ...(groups.includes(' ') ? [spaced] : []),
    plain,
  ];
}
