// Numbers as they are written: the pattern that finds one in a language's style, and how one is said again.
// A number that the engine reads right stays in digits, without the marks that part its thousands.

import type { Grammar, Noun, WrittenNumber } from './grammar.ts';

/** No-break spaces, which part thousands in every language (SI brochure 5.4.4). */
const GROUP_SPACES = '\\u00a0\\u202f\\u2009';
/** Longer ones are identifiers: a quadrillion is not said as a number. */
export const MAX_NUMBER_DIGITS = 15;

/** Source of a pattern without groups that matches one number to its end, its sign excluded. */
export function numberPattern({ decimal, groups }: Pick<Grammar, 'decimal' | 'groups'>): string {
  const mark = groups.replace(/[\]\\^-]/g, '\\$&');
  const grouped = `\\d{1,3}(?:[${mark}${GROUP_SPACES}]\\d{3}(?!\\d)){1,4}`;
  // Lakh and crore: 12,34,567.
  const indian = groups.includes(',') ? '\\d{1,2}(?:,\\d{2}){1,5},\\d{3}(?!\\d)|' : '';
  // Where the comma is decimal a point may be, too, unless it parts thousands.
  const point = decimal === '.' ? '' : `|\\.(?!\\d{3}(?!\\d))\\d{1,9}`;
  const [foreignGroup, foreignDecimal] = decimal === '.' ? ['\\.', ','] : [',', '\\.'];
  // Both marks: the other style, without a doubt.
  const foreign = `\\d{1,3}(?:${foreignGroup}\\d{3}){1,4}${foreignDecimal}\\d{1,2}`;
  const own = `(?:${indian}${grouped}|\\d{1,${MAX_NUMBER_DIGITS}})(?:[${decimal}]\\d{1,9}${point})?`;
  return `(?:${foreign}|${own})(?!\\d|[.,]\\d)`;
}

/** Reads what `numberPattern` matched. */
export function readNumber(
  text: string,
  { decimal, groups }: Pick<Grammar, 'decimal' | 'groups'>,
): WrittenNumber {
  const [comma, point] = [text.lastIndexOf(','), text.lastIndexOf('.')];
  let at = decimal === ',' ? comma : point;
  if (comma >= 0 && point >= 0) at = Math.max(comma, point);
  else if (at < 0 && decimal === ',' && !(groups.includes('.') && text.length - point === 4)) at = point;
  const whole = (at < 0 ? text : text.slice(0, at)).replace(/\D/g, '');
  const fraction = at < 0 ? '' : text.slice(at + 1);
  const mark = at < 0 ? '' : comma >= 0 && point >= 0 ? decimal : text[at]!;
  return { whole, fraction, mark, value: Number(`${whole}.${fraction}`) };
}

export const wholeNumber = (value: number): WrittenNumber => ({
  whole: String(value),
  fraction: '',
  mark: '',
  value,
});

export const sayNumber = (grammar: Grammar, number: WrittenNumber): string =>
  grammar.cardinal?.(number) ?? `${number.whole}${number.mark}${number.fraction}`;

/** Digit by digit; the engine takes each for a number of its own. */
export const sayDigits = (grammar: Grammar, digits: string): string =>
  grammar.digits?.(digits) ?? [...digits].join(' ');

function readNoun(noun: Noun) {
  const gender = noun.startsWith('f:') ? 'f' : noun.startsWith('n:') ? 'n' : 'm';
  return { gender, forms: (gender === 'm' ? noun : noun.slice(2)).split('|') } as const;
}

/** A number and its noun, e.g. `2 dollars`. `said` takes the number's place where it is more than one number. */
export function countNoun(grammar: Grammar, number: WrittenNumber, noun: Noun, said?: string): string {
  const { gender, forms } = readNoun(noun);
  if (said === undefined) {
    const phrase = grammar.count?.(number, forms);
    if (phrase !== undefined) return phrase;
    const agreed = number.fraction === '' ? grammar.agree?.(number.value, gender) : undefined;
    said = agreed ?? sayNumber(grammar, number);
  }
  const form = forms[Math.min(grammar.plural(number), forms.length - 1)]!;
  return form.includes('#') ? form.replace('#', () => said) : `${said}${grammar.space}${form}`;
}

/** Plurals of languages that part one from all else. */
export const oneOrMore = ({ value }: WrittenNumber): number => (value === 1 ? 0 : 1);
/** Romance languages: behind whole millions the noun is linked with "of", see `withLinked`. */
export const oneMoreOrMillions = ({ value }: WrittenNumber): number =>
  value === 1 ? 0 : value > 0 && value % 1_000_000 === 0 ? 2 : 1;

type MoneyNouns = Grammar['money']['nouns'];

/** Money nouns with a third form for what stands behind "million". */
export const withLinked = (nouns: MoneyNouns, link: (plural: string) => string): MoneyNouns =>
  Object.fromEntries(
    Object.entries(nouns).map(([code, [noun, hundredth]]) => {
      const forms = noun.replace(/^f:/, '').split('|');
      const linked = `${noun}${forms.length === 1 ? `|${noun}` : ''}|${link(forms.at(-1)!)}`;
      return [code, hundredth === undefined ? [linked] : [linked, hundredth]];
    }),
  );

/** Languages whose nouns do not change. */
export const noPlural = (): number => 0;
