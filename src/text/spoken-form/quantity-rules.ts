// Numbers that count something: money, units, percentages, fractions.

import type { Grammar, WrittenNumber } from './grammar.ts';
import { oneOf, type Rule, rule, UNSPACED } from './rule.ts';
import { countNoun, numberPattern, readNumber, sayNumber, wholeNumber } from './written-number.ts';

/** Where several countries share a sign the one that is meant most often; a language may say otherwise. */
const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  R$: 'BRL',
  '৳': 'BDT',
  元: 'CNY',
  円: 'JPY',
};
const VULGAR: Readonly<Record<string, string>> = {
  '½': '1/2',
  '⅓': '1/3',
  '⅔': '2/3',
  '¼': '1/4',
  '¾': '3/4',
};
const BLANK = '[ \\u00a0\\u202f]?';
const NOT_IN_WORD = `(?![\\p{M}\\p{N}]|(?!${UNSPACED})\\p{L})`;

/** The next words; no more than a pattern looks at. */
const behind = (match: RegExpExecArray) =>
  match.input.slice(match.index + match[0].length, match.index + match[0].length + 24);

function createMoneyRules(grammar: Grammar): Rule[] {
  const { money, words } = grammar;
  const codeOf = new Map(
    [...Object.entries(SIGNS), ...Object.entries(money.signs)].filter(([, code]) => money.nouns[code]),
  );
  for (const code of Object.keys(money.nouns)) codeOf.set(code, code);
  const signs = oneOf(codeOf.keys());
  const number = numberPattern(grammar);
  const scales = { ...money.thousands, ...money.millions };
  const magnitudes = oneOf(Object.keys(scales));
  const magnitude = magnitudes === '' ? '()' : `(?:${BLANK}(${magnitudes})${NOT_IN_WORD})?`;

  /** A number that a unit behind the magnitude agrees with. */
  const scaled = (scale: string) => wholeNumber(money.millions[scale] ? 1_000_000 : 1000);

  function say(sign: string, written: WrittenNumber, scale: string | undefined): string {
    const [unit, hundredth] = money.nouns[codeOf.get(sign)!]!;
    if (scale) return countNoun(grammar, scaled(scale), unit, countNoun(grammar, written, scales[scale]!));
    if (hundredth === undefined || written.fraction.length !== 2) return countNoun(grammar, written, unit);
    const part = wholeNumber(Number(written.fraction));
    const hundredths = countNoun(grammar, part, hundredth);
    const whole = wholeNumber(Number(written.whole));
    if (part.value === 0) return countNoun(grammar, whole, unit);
    if (whole.value === 0) return hundredths;
    return money.say(countNoun(grammar, whole, unit), hundredths, sayNumber(grammar, part));
  }
  /** The noun without its plural, as before another noun. */
  function sayAttribute(sign: string, written: WrittenNumber, scale: string | undefined): string {
    const number = sayNumber(grammar, written);
    return countNoun(
      grammar,
      wholeNumber(1),
      money.nouns[codeOf.get(sign)!]![0],
      scale ? `${number} ${scales[scale]!}` : number,
    );
  }
  const isInWord = (before: string) => /[\p{Script=Latin}\p{N}]$/u.test(before);
  const isAttribute = (before: string, after: string) =>
    money.attributeAfter?.test(before) || money.attributeBefore?.test(after);
  const signFirst: Rule['say'] = (match, before) => {
    const [, sign = '', first = '', last, scale] = match;
    if (isInWord(before)) return undefined;
    const from = readNumber(first, grammar);
    if (last === undefined && isAttribute(before, behind(match))) return sayAttribute(sign, from, scale);
    if (last === undefined) return say(sign, from, scale);
    const [unit] = money.nouns[codeOf.get(sign)!]!;
    const to = readNumber(last, grammar);
    const blank = grammar.space;
    const range = `${sayNumber(grammar, from)}${blank}${words.to}${blank}${sayNumber(grammar, to)}`;
    return scale
      ? countNoun(grammar, scaled(scale), unit, countNoun(grammar, to, scales[scale]!, range))
      : countNoun(grammar, to, unit, range);
  };
  const source = `(${signs})${BLANK}(${number})(?:[-–—](?:${signs})?(${number}))?${magnitude}`;
  return [
    rule('sign', source, signFirst),
    rule('letter', source, signFirst),
    rule(
      'digit',
      `(${number})${magnitude}${BLANK}(${signs})${NOT_IN_WORD}`,
      ([, first = '', scale, sign = '']) => say(sign, readNumber(first, grammar), scale),
    ),
  ];
}

export function createQuantityRules(grammar: Grammar): Rule[] {
  const { units, fractions, words, space } = grammar;
  const number = numberPattern(grammar);
  const unit = rule(
    'digit',
    `(${number})${BLANK}(${oneOf(Object.keys(units))})(?!²|³|['’/]\\p{L})${NOT_IN_WORD}`,
    ([, written = '', symbol = '']) => countNoun(grammar, readNumber(written, grammar), units[symbol]!),
  );
  const sayFraction = (whole: string | undefined, fraction: string) => {
    const said = fractions[fraction];
    if (said === undefined || whole === undefined || whole === '') return said;
    return `${sayNumber(grammar, readNumber(whole, grammar))}${space}${fractions.and ?? words.and}${space}${said}`;
  };
  const vulgar: Rule['say'] = ([, whole, sign = '']) => sayFraction(whole, VULGAR[sign]!);
  return [
    ...createMoneyRules(grammar),
    unit,
    rule('sign', `()([${Object.keys(VULGAR).join('')}])`, vulgar),
    rule('digit', `(\\d{1,6}) ?([${Object.keys(VULGAR).join('')}])`, vulgar),
    // No date: all-digit dates without a year are nowhere as usual as these five fractions.
    rule('digit', '(?:(\\d{1,4}) )?([123]/[234])(?![\\d/]|[.,]\\d)', ([, whole, fraction = ''], before) =>
      before.endsWith('/') ? undefined : sayFraction(whole, fraction),
    ),
  ];
}
