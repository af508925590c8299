// Frames that are almost what a platform says: cut, with values of other kinds, with bytes changed, or anything at all.

import type { LegFrame } from '../../src/legs/leg.ts';

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  'x',
  '__proto__',
  'constructor',
  'toString',
  '8000',
  [],
  [1],
  {},
  { name: 7 },
  { payload: {} },
];

type Numbers = () => number;

const pick = <T>(from: readonly T[], number: Numbers): T =>
  from[Math.min(from.length - 1, Math.floor(number() * from.length))]!;

/** One value somewhere in it is another, or gone. */
function spoiled(value: unknown, number: Numbers): unknown {
  if (typeof value !== 'object' || value === null || number() < 0.2) return pick(VALUES, number);
  const entries = Object.entries(value);
  if (entries.length === 0) return pick(VALUES, number);
  const [chosen] = pick(entries, number);
  const isDropped = number() < 0.2;
  return Object.fromEntries(
    entries.flatMap(([key, each]) => {
      if (key !== chosen) return [[key, each]];
      return isDropped ? [] : [[key, spoiled(each, number)]];
    }),
  );
}

function spoil(example: LegFrame, number: Numbers): LegFrame {
  const way = number();
  if (typeof example !== 'string')
    return way < 0.5
      ? example.subarray(0, Math.floor(number() * 7))
      : Buffer.from(example).toString('latin1');
  if (way < 0.6) return JSON.stringify(spoiled(JSON.parse(example), number));
  const at = Math.floor(number() * example.length);
  if (way < 0.75) return example.slice(0, at);
  if (way < 0.9)
    return (
      example.slice(0, at) + pick(['"', '{', '\u0000', '}', '\ud800', '9'], number) + example.slice(at + 1)
    );
  if (way < 0.95) return Buffer.from(example);
  return Array.from({ length: Math.floor(number() * 20) }, () =>
    String.fromCharCode(Math.floor(number() * 256)),
  ).join('');
}

export function* malformedFrames(
  examples: readonly LegFrame[],
  number: Numbers,
  count: number,
): Generator<LegFrame> {
  for (let made = 0; made < count; made += 1) yield spoil(pick(examples, number), number);
}
