// What a language must tell so that numbers, dates, money, units and signs can be said in it: data first, and a few
// functions where a language has grammar that no table holds. The rules that find them in a text are elsewhere.

import type { Rule } from './rule.ts';

export type Gender = 'm' | 'f' | 'n';

/** A number as it stands in a text, its thousands marks removed. */
export type WrittenNumber = {
  /** At least one digit. */
  readonly whole: string;
  /** Digits behind the decimal mark, `''` without one. */
  readonly fraction: string;
  /** The decimal mark that was written: eSpeak NG names both. */
  readonly mark: string;
  readonly value: number;
};

/**
 * Forms of a noun in the order of `Grammar.plural`, parted by `|`; the last one stands for all further. `f:` or `n:`
 * before them tells a gender other than masculine. `#` in a form is where the number goes; without it, in front.
 */
export type Noun = string;

export type CalendarDate = {
  readonly day: number;
  /** 1–12. */
  readonly month: number;
  readonly year: number | undefined;
};

export type TimeOfDay = {
  readonly hour: number;
  readonly minute: number;
  readonly second: number | undefined;
  /** What `Times.tail` found behind it, `''` for nothing. */
  readonly tail: string;
};

/** Said in place of a sign, or in an address. */
export type Words = {
  readonly at: string;
  readonly dot: string;
  readonly slash: string;
  /** For the slash behind a price or a quantity. */
  readonly per: string;
  readonly dash: string;
  readonly underscore: string;
  /** Between the parts of a version. */
  readonly point: string;
  readonly version: string;
  readonly hashtag: string;
  readonly number: string;
  readonly section: string;
  readonly copyright: string;
  readonly and: string;
  readonly plus: string;
  readonly minus: string;
  readonly equals: string;
  readonly times: string;
  readonly dividedBy: string;
  readonly plusMinus: string;
  readonly about: string;
  readonly lessThan: string;
  readonly greaterThan: string;
  /** Between the ends of a range. */
  readonly to: string;
};

export type Dates = {
  /** How an all-digit date is meant where its first number is not a year. */
  readonly order: 'day-first' | 'month-first';
  /** Spellings of each month parted by `|`, in the letter case that they need; the first one is said. */
  readonly months: readonly string[];
  /** Pattern sources: what may stand behind the day, between it and the month's name, and before the year. */
  readonly daySuffix: string;
  readonly beforeMonth: string;
  readonly beforeYear: string;
  /** `before` is the text before the date, for an article that decides the case. */
  say(date: CalendarDate, before: string): string;
};

export type Times = {
  /** Pattern sources: what parts hours and minutes, and what belongs to the time behind it. */
  readonly mark: string;
  readonly tail: string;
  /** Where times are written with a dot, too: what makes 9.45 a time of day. Without it they are decimals. */
  readonly dotted?: DottedTimes;
  say(time: TimeOfDay): string;
};

export type DottedTimes = {
  /** What the text before it must end with. Money and measures behind the number speak against a time all the same. */
  readonly before: RegExp;
  /** Pattern source: one of these must be behind it, where `before` alone says too little. */
  readonly behind?: string;
  /** Whether `Times.tail` makes a time of it without `before`. */
  readonly byTail: 'yes' | 'no';
};

export type Money = {
  /** By ISO 4217 code: the unit and, where there is one, its hundredth. */
  readonly nouns: Readonly<Record<string, readonly [Noun, Noun?]>>;
  /** Signs that mean something else or more than in `money-rules.ts`. */
  readonly signs: Readonly<Record<string, string>>;
  /** Written magnitudes and their nouns, e.g. `bn` → `billion`: thousands, and millions or more. */
  readonly thousands: Readonly<Record<string, Noun>>;
  readonly millions: Readonly<Record<string, Noun>>;
  /** Text before a price by which it is an attribute, where the unit has no plural: a $5 bill. */
  readonly attributeAfter?: RegExp;
  /** The same of the text behind it: $100 bills. */
  readonly attributeBefore?: RegExp;
  /** A price with hundredths: `units` and `hundredths` are whole phrases, `count` the bare number of the latter. */
  say(units: string, hundredths: string, count: string): string;
};

export type Grammar = {
  readonly decimal: '.' | ',';
  /** Characters that part thousands, besides the no-break spaces. */
  readonly groups: string;
  /** Which form of a noun a number takes. */
  readonly plural: (number: WrittenNumber) => number;
  /** How a number is given to the engine; default: in digits, which it reads. */
  readonly cardinal?: (number: WrittenNumber) => string;
  /** Digits that are said one by one; default: parted by spaces. */
  readonly digits?: (digits: string) => string;
  /** A whole number before a noun, where it agrees with its gender; undefined: as `cardinal`. */
  readonly agree?: (value: number, gender: Gender) => string | undefined;
  /** A whole counted phrase where number and noun are not simply put together; undefined: they are. */
  readonly count?: (number: WrittenNumber, forms: readonly string[]) => string | undefined;
  readonly words: Words;
  readonly money: Money;
  /** By the symbol that is written. */
  readonly units: Readonly<Record<string, Noun>>;
  /** By `1/2`, `1/3`, `2/3`, `1/4`, `3/4`; `and` links one to a whole number, default `words.and`. */
  readonly fractions: Readonly<Record<string, string>>;
  readonly dates: Dates;
  readonly times: Times;
  /** The language's own rules, tried before the common ones. */
  readonly rules?: readonly Rule[];
  /** Between a number and its noun. */
  readonly space: ' ' | '';
};
