// How loud the second service is beside the first where it goes on in mid-speech: active levels by ITU-T P.56 of what was heard of each, for
// services whose levels differ by −12 to 12 dB. With FUZZ=all there are 64 joins of each kind, and their figures are printed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { VOICES } from '../../src/engine/voices.ts';
import { openVoices, type Voices } from '../support/breaking-service.ts';
import { decodedMp3 } from '../support/decoded-mp3.ts';
import { createFailingServices } from '../support/failing-services.ts';
import { startSession } from '../support/live-session.ts';
import { activeLevel } from '../support/p56.ts';
import { trialSize } from '../support/trial-size.ts';

const TEXTS = [
  'Good evening, and welcome back. The last train to the harbour leaves in ten minutes, so please do not wait for me.',
  'We have found your order in the northern store. It will be with you tomorrow morning, unless the river rises again.',
  'Please hold the line while I look for your name. There are three people before you, and each of them takes a while.',
  'The garden behind the house was quiet that summer. Nobody came, and the old gate stayed shut until the autumn winds.',
];
const BEFORE = 'This was said in another call, and it tells how loud the voice is that says it.';
const RATE = 24_000;
const ids = VOICES.filter(({ id }) => id !== '').map(({ id }) => id);

let voices: Voices;
beforeAll(async () => {
  voices = await openVoices();
}, 60_000);
afterAll(() => voices.close());

type Join = { readonly withoutDb: number; readonly offDb: number };
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const share = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]!;

async function join(n: number, known: 'heard-before' | 'new'): Promise<Join> {
  const random = seededNumbers(98, n);
  const [a, b] = [ids[n % ids.length]!, ids[(n * 7 + 3) % ids.length]!];
  const differenceDb = 24 * random() - 12;
  const failing = createFailingServices({
    voices,
    first: { voice: a, gainDb: Math.min(0, -differenceDb) },
    second: { voice: b, gainDb: Math.min(0, differenceDb) },
  });
  const live = startSession({
    services: failing.services,
    preset: { format: 'raw', sampleRate: RATE },
  });
  failing.startsAt(live.clock);
  const say = async (turn: string, text: string) => {
    live.send({ type: 'speak', turn, text });
    for (let s = 0; s < 60 && live.said('ended', turn).length === 0; s += 1) await failing.run(live, 500);
    return live.said('ended', turn)[0]!;
  };
  if (known === 'heard-before') {
    for (const name of ['first', 'second'] as const) {
      failing.prefers(name);
      await say(name, BEFORE);
    }
    failing.prefers('first');
  }
  failing.breaksAt(1_200 + 3_000 * random());
  const { servedBy = [], outcome } = await say('t', TEXTS[n % TEXTS.length]!);
  expect([outcome, servedBy.map(({ upstream }) => upstream)]).toEqual(['complete', ['first', 'second']]);
  const sound = decodePcm16(live.audioOf('t'));
  const cut = Math.round((servedBy[1]!.fromMs * RATE) / 1000);
  const levels = [sound.subarray(0, cut), sound.subarray(cut)].map((part) => activeLevel(part, RATE).levelDb);
  const asSent = failing.requests.at(-1)!;
  const own = activeLevel(decodedMp3(asSent.mp3), RATE).levelDb;
  return { withoutDb: own - levels[0]!, offDb: levels[1]! - levels[0]! };
}

describe('a service that goes on where another one broke off', () => {
  it.each([
    ['heard-before', 1.5],
    ['new', 3],
  ] as const)(
    'is as loud as that one, by a voice that is %s',
    async (known, mostDb) => {
      const joins: Join[] = [];
      for (let n = 0; n < trialSize(52, 3); n += 1) joins.push(await join(n, known));
      const off = joins.map(({ offDb }) => Math.abs(offDb));
      const without = joins.map(({ withoutDb }) => Math.abs(withoutDb));
      if (joins.length > 50)
        console.log(known, joins.length, {
          without: [median(without), share(without, 0.95)],
          off: [median(off), share(off, 0.95), Math.max(...off)],
        });
      expect(median(off)).toBeLessThanOrEqual(mostDb);
    },
    600_000,
  );
});
