// What a listener notices of a break when the upstream is five times as fast as speech and answers in half a second.
import { describe, expect, it } from 'vitest';
import { createSpeechRecovery } from '../../../src/pipeline/whole-body/speech-recovery.ts';
import { answer, type BodyFault } from '../../support/body-faults.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { createRestingUpstream, type RestingUpstream } from '../../support/resting-upstream.ts';

const FIVE_TIMES = { firstByteMs: 500, bytesPerMs: 40 };
const body = speechMp3(12_000);

type Reading = 'as it comes' | 'in bouts';

/** The first body meets its fault `afterMs` after its first byte. */
async function listen(reads: Reading, how: BodyFault['how'] | undefined, afterMs: number) {
  let asked = 0;
  let resting: RestingUpstream | undefined;
  const live = startSession({
    recovery: createSpeechRecovery(),
    ...(reads === 'in bouts' && {
      upstreamOf: (upstream, clock) => (resting = createRestingUpstream(upstream, clock)),
    }),
    auto(request) {
      const fault =
        how !== undefined && asked++ === 0 ? { atByte: afterMs * FIVE_TIMES.bytesPerMs, how } : undefined;
      answer(request, body, { fault, chunkBytes: 400, pace: { ...FIVE_TIMES, clock: live.clock } });
    },
  });
  live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
  await live.run(20_000);
  const { outcome, resumes, requests } = live.said('ended')[0]!;
  return {
    outcome,
    resumes,
    requests,
    gaps: live.said('underrun').map(({ gapMs }) => gapMs),
    audio: Buffer.from(live.audioOf('a')),
    errors: live.said('error'),
    hasRested: (resting?.restsMs.length ?? 0) > 0,
  };
}
const whole = listen('as it comes', undefined, 0);

describe.each<Reading>(['as it comes', 'in bouts'])('a listener to a body that is read %s', (reads) => {
  it('hears no gap when the connection breaks 0.2 s after the first audio or later', async () => {
    for (const afterMs of [200, 250, 330, 500, 777, 1000, 1500, 2300]) {
      const { audio, hasRested, ...rest } = await listen(reads, 'reset', afterMs);
      expect([afterMs, rest]).toEqual([
        afterMs,
        { outcome: 'complete', resumes: 1, requests: 2, gaps: [], errors: [] },
      ]);
      expect(audio.equals((await whole).audio)).toBe(true);
      expect(hasRested).toBe(reads === 'in bouts');
    }
  });

  it('hears no gap when the audio stalls 0.9 s after the first of it or later', async () => {
    for (const how of ['stall', 'drip'] as const) {
      for (const afterMs of [900, 1200, 1700, 2300]) {
        const { audio, hasRested, ...rest } = await listen(reads, how, afterMs);
        expect([afterMs, rest]).toEqual([
          afterMs,
          { outcome: 'complete', resumes: 1, requests: 2, gaps: [], errors: [] },
        ]);
        expect(audio.equals((await whole).audio)).toBe(true);
        expect(hasRested).toBe(reads === 'in bouts');
      }
    }
  });

  it('hears one gap, and is told of it, when it breaks before that; nothing is lost', async () => {
    for (const [how, afterMs] of [
      ['reset', 40],
      ['reset', 100],
      ['stall', 50],
      ['stall', 200],
      ['stall', 600],
    ] as const) {
      const { audio, gaps, outcome, resumes } = await listen(reads, how, afterMs);
      expect([how, afterMs, outcome, resumes, gaps.length]).toEqual([how, afterMs, 'complete', 1, 1]);
      expect(gaps[0]).toBeLessThan(2000);
      expect(audio.equals((await whole).audio)).toBe(true);
    }
  });
});
