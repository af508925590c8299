// English numbers in words where the engine's own reading is not what people say: ordinals, years, decades.

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** 0–99. */
export function words(value: number): string {
  if (value < 20) return SMALL[value]!;
  const tens = TENS[Math.floor(value / 10)]!;
  return value % 10 === 0 ? tens : `${tens}-${SMALL[value % 10]!}`;
}

/** 0–99. */
export function ordinal(value: number): string {
  const said = words(value);
  const last = said.slice(said.lastIndexOf('-') + 1);
  const ending = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return said.slice(0, said.length - last.length) + ending;
}

export function sayYear(year: number): string {
  if (year < 1000 || year > 2099) return String(year);
  const [century, rest] = [Math.floor(year / 100), year % 100];
  if (century === 20 && rest < 10) return rest === 0 ? 'two thousand' : `two thousand ${words(rest)}`;
  if (century % 10 === 0 && rest < 10) return String(year);
  if (rest === 0) return `${words(century)} hundred`;
  return `${words(century)} ${rest < 10 ? `oh ${words(rest)}` : words(rest)}`;
}

export const sayDecade = (decade: number) => {
  const said = words(decade);
  return said.endsWith('y') ? `${said.slice(0, -1)}ies` : decade === 0 ? 'hundreds' : `${said}s`;
};
