// Dates and times of day in all the ways a language writes them. A date that no calendar has is left as it stands.

import type { Grammar } from './grammar.ts';
import { oneOf, type Rule, rule } from './rule.ts';

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
/** Two digits of a year from here on belong to the last century. */
const PIVOT = 70;

const fullYear = (digits: string) => {
  const year = Number(digits);
  if (digits.length > 2) return year;
  return year >= PIVOT ? 1900 + year : 2000 + year;
};
const isDate = (day: number, month: number) => day >= 1 && day <= (DAYS[month - 1] ?? 0);

/** Months that are written small still begin a sentence or stand in a title. */
const capital = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The forms of a noun as they are written. */
const formsOf = (noun: string): string[] =>
  noun
    .replace(/^[fn]:/, '')
    .split('|')
    .filter((form) => !form.includes('#'));

/** Pattern source: a sign, a unit or a currency, so that the number before it is a quantity. */
function quantityMark({ units, money }: Pick<Grammar, 'units' | 'money'>): string {
  const nouns = Object.values(money.nouns).flatMap((pair) => pair.flatMap((noun) => formsOf(noun ?? '')));
  const words = [
    ...Object.entries(units).flatMap(([sign, noun]) => [sign, ...formsOf(noun)]),
    ...Object.keys(money.nouns),
    ...nouns,
    ...Object.keys(money.thousands),
    ...Object.keys(money.millions),
  ];
  return `[ \\u00a0]?(?:[\\p{Sc}%‰°]|(?:${oneOf(new Set(words.filter((word) => word !== '')))})(?![\\p{L}\\p{M}]))`;
}

export function createDateRules(grammar: Pick<Grammar, 'dates' | 'times' | 'units' | 'money'>): Rule[] {
  const { dates, times } = grammar;
  const monthOf = new Map<string, number>();
  for (const [index, spellings] of dates.months.entries()) {
    for (const name of spellings.split('|')) monthOf.set(name, index + 1).set(capital(name), index + 1);
  }
  const say = (day: number, month: number, year: number | undefined, before: string) =>
    isDate(day, month) ? dates.say({ day, month, year }, before) : undefined;

  const sayTime = (hours = '', minutes = '', seconds = '', tail = '') => {
    const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
    if (hour > 24 || minute > 59 || second > 59) return undefined;
    return times.say({ hour, minute, second: second === 0 ? undefined : second, tail: tail.trim() });
  };
  const iso = rule(
    'digit',
    '(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})(?!\\d|[-/]\\d)(?:T(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:\\.\\d{1,9})?)?Z?(?!\\d))?',
    ([, year, , month, day, hours, minutes, seconds], before) => {
      const date = say(Number(day), Number(month), Number(year), before);
      if (date === undefined || hours === undefined) return date;
      const time = sayTime(hours, minutes, seconds);
      return time === undefined ? undefined : `${date}, ${time}`;
    },
  );
  const digits = rule(
    'digit',
    '(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4}|\\d{2})(?!\\d|[./-]\\d)',
    ([, first, mark, second, year = ''], before) => {
      if (mark === '-' && year.length < 4) return undefined;
      const pair = [Number(first), Number(second)] as const;
      const [day, month] = dates.order === 'month-first' ? ([pair[1], pair[0]] as const) : pair;
      return say(day, month, fullYear(year), before) ?? say(month, day, fullYear(year), before);
    },
  );
  const named = rule(
    'digit',
    `(\\d{1,2})(?:${dates.daySuffix})${dates.beforeMonth}(${oneOf(monthOf.keys())})(?![\\p{L}\\p{M}])(?:${dates.beforeYear}(\\d{4})(?!\\d|[.,:/-]\\d))?`,
    ([, day, month = '', year], before) =>
      say(Number(day), monthOf.get(month)!, year === undefined ? undefined : Number(year), before),
  );
  const time = rule(
    'digit',
    `(\\d{1,2})(?:${times.mark})(\\d{2})(?::(\\d{2}))?(?![\\d:]|[.,]\\d{1,2}(?!\\d))(?:Z|(${times.tail})(?![\\p{L}\\p{N}]))?`,
    ([, hours, minutes, seconds, tail]) => sayTime(hours, minutes, seconds, tail),
  );
  const { dotted } = times;
  const dottedTime = dotted && [
    rule(
      'digit',
      `(\\d{1,2})\\.(\\d{2})(?!\\d|[.,:/-]\\d)(?:(${times.tail})(?![\\p{L}\\p{N}])|(?!${quantityMark(grammar)})(?=${dotted.behind ?? ''}))`,
      ([, hours, minutes, tail], before) =>
        dotted.before.test(before) || (tail !== undefined && dotted.byTail === 'yes')
          ? sayTime(hours, minutes, '', tail)
          : undefined,
    ),
  ];
  const all = [iso, digits, named, time, ...(dottedTime ?? [])];
  return dates.months.length === 0 ? all.filter((one) => one !== named) : all;
}
