// Random lives of turns: what a client, an upstream, a socket and time may do, in any order.

import fc from 'fast-check';
import { AppError } from '../../src/base/app-error.ts';
import { speechMp3 } from './codecs.ts';
import type { MemoryUpstream } from './memory-upstream.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const text = fc.constantFrom(
  'Hello there, my dear friend. ',
  'One two three. Four five six. ',
  'and then',
  ' ',
  '\n',
  '😀 ',
  '…',
  '**Bold** words & more; ',
  'naïve café — ünd 你好，世界。',
  '3.14 is \ud83d',
  '\ude00 a pie. ',
  'x'.repeat(150),
  'word '.repeat(70),
);

/** One thing that a client, an upstream, a socket or time does. */
export type Act =
  | { readonly do: 'send'; readonly message: Record<string, unknown> & { readonly type: string } }
  | { readonly do: 'run'; readonly ms: number }
  | {
      readonly do: 'upstream';
      readonly act: 'send' | 'end' | 'fail' | 'queued';
      readonly pick: number;
      readonly ms: number;
      /** Whether it is over before the next act, or falls into the same moment. */
      readonly settles: boolean;
    }
  | { readonly do: 'socket'; readonly state: 'congested' | 'clear' };

const message = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('speak'), turn: id, text }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('speak'),
      turn: id,
      dialogue: fc.array(fc.record({ speaker: fc.constantFrom(1, 2), text }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('append'), turn: id, text }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('append'), turn: id, text, speaker: fc.constantFrom(1, 2) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('append'), turn: id, text, seed: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('flush'), turn: id }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('end'), turn: id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel') }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel'), turn: id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel'), turn: id, playedMs: fc.nat(2000) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('mark'), turn: id, name: fc.constantFrom('m', 'n') }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('played'), turn: id, ms: fc.nat(3000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('configure'),
      pace: fc.constantFrom('realtime', 'burst'),
      flow: fc.constantFrom('clock', 'credit'),
      audio: fc.constantFrom('binary', 'base64'),
      leadMs: fc.constantFrom(40, 200, 1000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('speak'), turn: id, text, format: fc.constant('opus') }),
  },
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), message }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      ms: fc.constantFrom(0, 10, 35, 200, 600, 1500, 5000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('upstream' as const),
      act: fc.constantFrom('send', 'send', 'send', 'end', 'end', 'end', 'fail', 'queued'),
      pick: fc.nat(3),
      ms: fc.constantFrom(100, 700, 1500),
      settles: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('socket' as const),
      state: fc.constantFrom('congested', 'clear'),
    }),
  },
);

export const acts: fc.Arbitrary<Act[]> = fc.array(act, { maxLength: 40, size: 'max' });

/** Has one of the requests under way go on, end or break. */
export function doToUpstream(
  { live }: MemoryUpstream,
  { act, pick, ms }: Extract<Act, { do: 'upstream' }>,
): void {
  const request = live[pick % Math.max(1, live.length)];
  if (act === 'send') request?.send(speechMp3(ms));
  else if (act === 'end') {
    if (request?.state === 'asked') request.send(speechMp3(ms));
    request?.end();
  } else if (act === 'fail') request?.fail(new AppError('upstream_broken', 'The connection broke.'));
  else request?.queued({ reason: 'quota', position: 1, etaMs: 100 });
}
