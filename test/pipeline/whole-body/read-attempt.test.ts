// When a body may be left alone, and for how long.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchRestMs } from '../../../src/pipeline/whole-body/read-attempt.ts';
import { stallLimitMs } from '../../../src/pipeline/whole-body/speech-guard.ts';
import { createSpeechRecovery } from '../../../src/pipeline/whole-body/speech-recovery.ts';
import { answer } from '../../support/body-faults.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { createRestingUpstream, type RestingUpstream } from '../../support/resting-upstream.ts';

describe('a rest', () => {
  it('lasts as long as the listener keeps 0.5 s, and 0.6 s at most; a short one is none', () => {
    const restsMs = [0, 500, 619, 620, 900, 1100, 60_000].map((ms) => batchRestMs(ms, 2000));
    expect(restsMs).toEqual([0, 0, 0, 120, 400, 600, 600]);
  });

  it('ends before a stall is certain', () => {
    expect([2000, 500, 170, 169, 100, -5].map((ms) => batchRestMs(60_000, ms))).toEqual([
      600, 450, 120, 0, 0, 0,
    ]);
  });

  it('is as long as the audio allows where the patience is what the audio in hand allows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), fc.nat({ max: 3 }), (remainingMs, stalls) => {
        const patienceMs = stallLimitMs(remainingMs, stalls, 1);
        expect(batchRestMs(remainingMs, patienceMs)).toBe(batchRestMs(remainingMs, Number.POSITIVE_INFINITY));
      }),
    );
  });
});

describe('the body of a turn', () => {
  const body = speechMp3(20_000);
  const play = async (preset: Record<string, unknown>) => {
    let resting: RestingUpstream | undefined;
    const live = startSession({
      preset,
      recovery: createSpeechRecovery(),
      upstreamOf: (upstream, clock) => (resting = createRestingUpstream(upstream, clock)),
      auto: (request) =>
        answer(request, body, {
          fault: undefined,
          chunkBytes: 800,
          pace: { clock: live.clock, firstByteMs: 50, bytesPerMs: 12 },
        }),
    });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(25_000);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
    return { restsMs: resting!.restsMs, audio: Buffer.from(live.audioOf('a')), gaps: live.said('underrun') };
  };

  it('is read in bouts while it is paced, and nothing of it is lost or late', async () => {
    const { restsMs, audio, gaps } = await play({});
    expect(restsMs.length).toBeGreaterThan(4);
    expect(gaps).toEqual([]);
    expect(audio.equals((await play({ pace: 'burst' })).audio)).toBe(true);
  });

  it('has not stalled when it came long before there was room for it, and the rest comes a second later', async () => {
    const live = startSession({
      limits: { spoolBytes: 1 }, // 64 KiB there always are
      recovery: createSpeechRecovery(),
      upstreamOf: (upstream, clock) => createRestingUpstream(upstream, clock),
      auto(request) {
        for (let at = 0; at < 96_400; at += 800) request.send(body.subarray(at, Math.min(96_400, at + 800)));
        live.clock.after(4500, () => {
          request.send(body.subarray(96_400));
          request.end();
        });
      },
    });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(25_000);
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'complete', resumes: 0, requests: 1 });
  });

  it('is read as it comes where it is sent as it is made', async () => {
    expect((await play({ pace: 'burst' })).restsMs).toEqual([]);
  });
});
