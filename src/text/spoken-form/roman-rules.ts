// Roman numerals behind the names of rulers and popes and behind words such as "chapter". Elsewhere a row of capitals
// is not touched: it may be initials, a size or a word.

import { oneOf, type Rule, rule } from './rule.ts';

const NUMERAL = 'X{0,3}(?:IX|IV|V?I{0,3})';
const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

/** Of a numeral below 40; 0 for an empty one. */
export function romanValue(numeral: string): number {
  let value = 0;
  for (let at = 0; at < numeral.length; at += 1) {
    const here = VALUES[numeral[at]!]!;
    value += here < (VALUES[numeral[at + 1] ?? ''] ?? 0) ? -here : here;
  }
  return value;
}

/** `names` parted by white space; `say` gets the value, 1–39, the name and the text before it. `tail` is a pattern source to take along. */
export function createRomanRule(
  names: string,
  say: (value: number, name: string, before: string) => string | undefined,
  tail = '',
): Rule {
  const source = `(${oneOf(names.trim().split(/\s+/))})([ \\u00a0])(?=[IVX])(${NUMERAL})(?:${tail})(?![\\p{L}\\p{M}\\p{N}]|[-’'][\\p{L}])`;
  return rule('letter', source, ([, name = '', blank, numeral = ''], before) => {
    const said = say(romanValue(numeral), name, before);
    return said === undefined ? undefined : `${name}${blank}${said}`;
  });
}
