// Breaks of the upstream's body, and what is heard of them when the same request gives the same bytes again: nothing.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import {
  createSpeechRecovery,
  type SpeechRecovery,
} from '../../../src/pipeline/whole-body/speech-recovery.ts';
import { answer, type BodyFault } from '../../support/body-faults.ts';
import { codecs, mp3Facts, speechMp3 } from '../../support/codecs.ts';
import { speakThrough } from '../../support/speak-through.ts';

const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../fixtures/audio/${name}`, import.meta.url));
const NAMES = [
  'lame-id3-crc-24k.mp3',
  'lame-vbr-24k.mp3',
  'ffmpeg-live-24k.mp3',
  'lame-joint-44k.mp3',
] as const;
const bodies = NAMES.map(fixture);
const FORMATS = ['raw', 'mp3', 'mulaw', 'flac'] as const;
const page = Buffer.from('<!doctype html><p>Sorry.</p>'.repeat(1000));
/** Slow enough for a body of two seconds not to be in doubt, and long enough to be judged. */
const TEXT = 'A sentence of speech that takes two seconds.';

/** All of a short body has been heard when it is given up: it fades in what rings out behind it. */
const FADE_MS = 15;

type Broken = { readonly format?: (typeof FORMATS)[number]; readonly chunkBytes?: number };

/** Speaks one request per body; the faults of each are met in turn, by the first request and its successors. */
const speakBroken = (
  each: readonly { body: Uint8Array; faults: readonly BodyFault[] }[],
  how: Broken = {},
) => {
  const texts = each.map((_, i) => `Text ${i}.`);
  const met = each.map(() => 0);
  return speakThrough({
    texts,
    format: how.format ?? 'raw',
    // Some of the bodies are cut out of longer speech.
    recovery: { ...createSpeechRecovery(), soundOfEnd: () => undefined },
    onRequest(request, _index, clock) {
      const i = texts.indexOf(request.body.text.trim());
      const fault = each[i]!.faults[met[i]!++];
      const { chunkBytes } = how;
      // Only what drips needs time of its own.
      const pace = { clock, firstByteMs: 0, bytesPerMs: 100 };
      const given = { fault, ...(chunkBytes === undefined ? {} : { chunkBytes }) };
      answer(request, each[i]!.body, fault?.how === 'drip' ? { ...given, pace } : given);
    },
  });
};
const whole = new Map<string, Promise<Buffer>>();
const unbroken = (which: readonly number[], format: (typeof FORMATS)[number]): Promise<Buffer> => {
  const key = `${which.join()}${format}`;
  const made =
    whole.get(key) ??
    speakBroken(
      which.map((i) => ({ body: bodies[i]!, faults: [] })),
      { format },
    ).then(({ bytes }) => bytes);
  whole.set(key, made);
  return made;
};

describe('a body that breaks', () => {
  it('and comes again as it was is heard as if it had not, byte for byte, wherever it breaks', async () => {
    const fault = fc.record({
      at: fc.noBias(fc.nat({ max: 1e6 })),
      how: fc.constantFrom('reset', 'stall', 'drip'),
    });
    const request = fc.record({
      which: fc.nat({ max: bodies.length - 1 }),
      faults: fc.array(fault, { minLength: 2, maxLength: 3 }),
    });
    let breaks = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(...FORMATS),
        fc.constantFrom(61, 333, 4096, 100_000),
        async (requests, format, chunkBytes) => {
          const each = requests.map(({ which, faults }) => {
            const body = bodies[which]!;
            const places = faults
              .map(({ at }) => 1 + Math.floor((at * (body.length - 1)) / 1e6))
              .sort((a, b) => a - b);
            // A break that leads no further is tried again once less.
            const apart = [...new Set(places)];
            return { body, faults: apart.map((atByte, i) => ({ atByte, how: faults[i]!.how }) as BodyFault) };
          });
          const all = each.reduce((sum, { faults }) => sum + faults.length, 0);
          breaks += all;
          const spoken = await speakBroken(each, { format, chunkBytes });
          expect(spoken.error).toBeUndefined();
          expect(
            spoken.bytes.equals(
              await unbroken(
                requests.map(({ which }) => which),
                format,
              ),
            ),
          ).toBe(true);
          expect(spoken.kinds).toEqual(Array.from({ length: all }, () => 'exact'));
          expect(spoken.requests.length).toBe(requests.length + all);
          expect(spoken.requestsMs.every(({ state }) => state === 'complete')).toBe(true);
          expect(spoken.flushed).toBe(requests.length);
        },
      ),
      { numRuns: 100, seed: 20_261_120 },
    );
    expect(breaks).toBeGreaterThanOrEqual(200);
  }, 60_000);

  it('inside its tags, between two frames, within the last one and behind it comes to the same', async () => {
    const body = bodies[0]!;
    const { frames } = mp3Facts(body);
    const lastFrame = body.length - 128 - frames.at(-1)!.bytes.length; // before the ID3v1 tag
    const firstFrame = Buffer.from(body).indexOf(Buffer.from(frames[0]!.bytes));
    const second = firstFrame + frames[0]!.bytes.length;
    for (const atByte of [
      1,
      9,
      300,
      firstFrame,
      second,
      second + 3,
      lastFrame,
      lastFrame + 1,
      body.length - 1,
      body.length,
    ]) {
      const spoken = await speakBroken([{ body, faults: [{ atByte, how: 'reset' }] }]);
      expect([atByte, spoken.bytes.equals(await unbroken([0], 'raw')), ...spoken.kinds]).toEqual([
        atByte,
        true,
        'exact',
      ]);
    }
  });

  it('is asked for again with the very same request, seed and all', async () => {
    const { requests } = await speakBroken([{ body: bodies[1]!, faults: [{ atByte: 5000, how: 'reset' }] }]);
    expect(requests.map(({ body }) => body)).toEqual([requests[0]!.body, requests[0]!.body]);
    expect(requests[0]!.body.seed).toBe(7);
  });

  it('for good is asked for three times at most, twice where nothing new comes, and ends with its own error', async () => {
    const faults = (...places: number[]) => places.map((atByte) => ({ atByte, how: 'reset' }) as const);
    for (const [places, requests] of [
      [[1000, 2000, 3000, 4000, 5000], 4],
      [[6000, 6000, 6000, 6000], 3],
      [[6000, 2000, 2000], 3],
    ] as const) {
      const spoken = await speakBroken([{ body: bodies[1]!, faults: faults(...places) }]);
      expect(spoken.error).toMatchObject({ code: 'upstream_broken' });
      expect(spoken.requests).toHaveLength(requests);
      expect(spoken.requestsMs.at(-1)!.state).toBe('arriving');
    }
  });

  it('is not asked for again when the answer can only be no, nor when the fault is ours', async () => {
    for (const [error, code] of [
      [new AppError('upstream_rejected', 'no'), 'upstream_broken'],
      [new AppError('shutting_down', 'no'), 'upstream_broken'],
    ] as const) {
      const spoken = await speakThrough({
        texts: ['One.'],
        onRequest(request, index) {
          if (index === 0) answer(request, bodies[1]!, { fault: { atByte: 9000, how: 'reset' } });
          else request.fail(error);
        },
      });
      expect(spoken.error).toMatchObject({ code });
      expect([spoken.kinds, spoken.requests.length]).toEqual([['failed'], 2]);
      expect(spoken.samples).toBeGreaterThan(15_000);
    }
    const bug = new Error('a bug');
    const spoken = await speakThrough({
      texts: ['One.'],
      onRequest(request) {
        request.send(bodies[1]!.subarray(0, 9000));
        request.fail(bug);
      },
    });
    expect([spoken.error, spoken.requests.length]).toEqual([bug, 1]);
  });

  it('is given up when nobody answers the next request', async () => {
    const spoken = await speakThrough({
      texts: ['One.'],
      onRequest(request, index) {
        if (index === 0) answer(request, bodies[1]!, { fault: { atByte: 9000, how: 'reset' } });
      },
    });
    expect(spoken.error).toMatchObject({ code: 'upstream_broken' });
    expect(spoken.requests.map(({ state }) => state)).toEqual(['failed', 'aborted', 'aborted']);
  });

  it('leaves no decoder and no timer behind', async () => {
    const open = codecs.decoders.live();
    await speakBroken([{ body: bodies[1]!, faults: [{ atByte: 9000, how: 'stall' }] }]);
    expect(codecs.decoders.live()).toBe(open);
  });
});

describe('a stall', () => {
  const until = async (remainingMs: number, how: BodyFault['how'], spoolBytes?: number) => {
    let stalledMs = 0;
    let againMs = 0;
    const spoken = await speakThrough({
      texts: ['One.'],
      remainingMs,
      recovery: createSpeechRecovery(),
      ...(spoolBytes === undefined ? {} : { spoolBytes, aheadSamples: 0 }),
      mostMs: 8000,
      onRequest(request, index, clock) {
        const pace = { clock, firstByteMs: 0, bytesPerMs: 40 };
        if (index > 0) againMs ||= clock.now();
        else stalledMs = clock.now() + 9000 / 40;
        answer(request, bodies[1]!, index === 0 ? { fault: { atByte: 9000, how }, pace } : { pace });
      },
    });
    return { waitedMs: Math.round((againMs - stalledMs) / 50) * 50, spoken };
  };

  it('is certain sooner the less the listener has, after half a second to two', async () => {
    for (const [remainingMs, ms] of [
      [0, 500],
      [1300, 1000],
      [60_000, 2000],
    ] as const)
      expect([remainingMs, (await until(remainingMs, 'stall')).waitedMs]).toEqual([remainingMs, ms]);
  });

  it('is a drip as well: what counts is audio', async () => {
    const { waitedMs, spoken } = await until(1300, 'drip');
    expect(waitedMs).toBe(1000);
    expect([spoken.error, spoken.kinds]).toEqual([undefined, ['exact']]);
  });

  it('is audio that comes far slower than it plays, and the turn ends for it; at half its speed it may come', async () => {
    const live = bodies[2]!;
    const speakAt = async (bytesPerMs: number) => {
      let endedMs = 0;
      const spoken = await speakThrough({
        texts: ['One.'],
        recovery: createSpeechRecovery(),
        remainingMs: 0,
        onRequest(request, _index, clock) {
          endedMs = clock.now();
          answer(request, live, { chunkBytes: 10, pace: { clock, firstByteMs: 0, bytesPerMs } });
        },
      });
      return { spoken, lastAskedMs: endedMs };
    };
    // 64 kbit/s are 8 bytes a millisecond.
    const { spoken: drip, lastAskedMs } = await speakAt(0.1);
    expect(drip.error).toMatchObject({ code: 'upstream_timeout' });
    expect(drip.requests.length).toBeLessThanOrEqual(4);
    expect(lastAskedMs).toBeLessThan(30_000);
    expect((await speakAt(4)).spoken).toMatchObject({ error: undefined, requests: { length: 1 } });
  });

  it('is none while the listener takes nothing', async () => {
    const spoken = await speakThrough({
      texts: ['One.'],
      recovery: createSpeechRecovery(),
      spoolBytes: 2000,
      aheadSamples: 0,
      mostMs: 20_000,
      onRequest: (request) => answer(request, bodies[1]!),
    });
    expect(spoken.requests).toHaveLength(1);
  });

  it('is waited for longer each time', async () => {
    const askedMs: number[] = [];
    const spoken = await speakThrough({
      texts: ['One.'],
      recovery: createSpeechRecovery(),
      remainingMs: 0,
      onRequest(request, index, clock) {
        askedMs.push(clock.now());
        answer(request, bodies[1]!, { fault: { atByte: 3000 * (index + 1), how: 'stall' } });
      },
    });
    expect(askedMs.slice(1).map((ms, i) => ms - askedMs[i]!)).toEqual([500, 2000, 8000]);
    expect(spoken.error).toMatchObject({ code: 'upstream_timeout' });
  });
});

describe('a body that ends cleanly but too soon', () => {
  const half = (body: Uint8Array) => Math.floor(body.length / 2);
  const long = `${TEXT} `.repeat(3);

  it('is asked for once more and goes on byte for byte, whatever gave it away', async () => {
    const tagged = bodies[1]!;
    const live = bodies[2]!;
    const { frames } = mp3Facts(live);
    const wholeFrames = frames.slice(0, 20).reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (const [body, atByte, text] of [
      [tagged, half(tagged), 'Hi.'],
      [live, half(live), 'Hi.'],
      [live, wholeFrames + (live.length - frames.reduce((sum, { bytes }) => sum + bytes.length, 0)), long],
    ] as const) {
      const doubts: string[] = [];
      const recovery = createSpeechRecovery({ onDoubt: (doubt) => doubts.push(doubt) });
      const tell = (faulty: BodyFault | undefined) =>
        speakThrough({
          texts: [text],
          recovery,
          onRequest: (request, index) => answer(request, body, { fault: index === 0 ? faulty : undefined }),
        });
      const sound = await tell(undefined);
      const before = doubts.length;
      const spoken = await tell({ atByte, how: 'end' });
      expect(doubts.length - before).toBe(1);
      expect(spoken.bytes.equals(sound.bytes)).toBe(true);
      expect([spoken.error, spoken.kinds, spoken.requests.length]).toEqual([undefined, ['regenerated'], 2]);
    }
  });

  /** Of a text that takes twenty times as long, always the same 300 ms. */
  const speakShort = (text: string, recovery: SpeechRecovery) =>
    speakThrough({
      texts: [text + long.repeat(3)],
      recovery,
      onRequest: (request) => answer(request, speechMp3(300)),
    });

  it('is not taken for whole when it ends so twice, however often the same is asked', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const spoken = await speakShort('', createSpeechRecovery());
      expect(spoken.error).toMatchObject({ code: 'upstream_broken' });
      expect([spoken.requests.length, spoken.kinds]).toEqual([2, ['regenerated']]);
      const [told] = spoken.requestsMs;
      expect(told?.state).toBe('arriving');
      expect(told?.ms).toBeCloseTo(mp3Facts(speechMp3(300)).ms + FADE_MS);
    }
  });

  it('is believed at the third text of a voice that ends so twice, and from then on', async () => {
    const recovery = createSpeechRecovery();
    const told = [];
    for (const text of ['One. ', 'Two. ', 'Three. ', 'Four. ']) {
      const spoken = await speakShort(text, recovery);
      told.push([spoken.error === undefined, spoken.requests.length, spoken.requestsMs.at(-1)!.state]);
    }
    expect(told).toEqual([
      [false, 2, 'arriving'],
      [false, 2, 'arriving'],
      [true, 2, 'complete'],
      [true, 1, 'complete'],
    ]);
  });

  it('is never told for whole when it ends elsewhere each time', async () => {
    const body = bodies[1]!;
    const spoken = await speakThrough({
      texts: ['Hi.'],
      recovery: createSpeechRecovery(),
      onRequest: (request, index) =>
        answer(request, body, { fault: { atByte: 9000 - 1000 * index, how: 'end' } }),
    });
    expect(spoken.error).toMatchObject({ code: 'upstream_broken' });
    expect(spoken.requests).toHaveLength(2);
  });

  it('is not doubted for its pace when the text is short', async () => {
    const spoken = await speakThrough({
      texts: ['Nineteen letters ok'],
      recovery: createSpeechRecovery(),
      onRequest: (request) => answer(request, speechMp3(100)),
    });
    expect(spoken.requests).toHaveLength(1);
  });
});

describe('a body that is no speech', () => {
  it('from its start is asked for once more, and nothing of it is heard', async () => {
    const run = (second: Uint8Array) =>
      speakThrough({
        texts: ['Hi.'],
        onRequest: (request, index) => answer(request, index === 0 ? page : second),
      });
    const mended = await run(bodies[1]!);
    expect(mended.bytes.equals(await unbroken([1], 'raw'))).toBe(true);
    expect(mended.kinds).toEqual(['regenerated']);
    const hopeless = await run(page);
    expect(hopeless.error).toMatchObject({ code: 'upstream_bad_audio' });
    expect(hopeless.requests).toHaveLength(2);
  });

  it('any more, behind good audio, is cut there and goes on from another body', async () => {
    const spoken = await speakBroken([{ body: bodies[1]!, faults: [{ atByte: 9000, how: page }] }]);
    expect([spoken.error, spoken.kinds]).toEqual([undefined, ['aligned']]);
    const sound = await unbroken([1], 'raw');
    expect(Math.abs(spoken.bytes.length - sound.length)).toBeLessThanOrEqual(960);
  });

  it('and has no end is cut at the cap, and what came is heard', async () => {
    const minute = speechMp3(1000);
    const spoken = await speakThrough({
      texts: ['Hi.'],
      recovery: createSpeechRecovery(),
      onRequest(request) {
        for (let second = 0; second < 60; second += 1) request.send(minute);
      },
    });
    expect(spoken.error).toMatchObject({ code: 'upstream_bad_audio' });
    expect(spoken.requests.map(({ state }) => state)).toEqual(['aborted']);
    expect(spoken.samples / 24_000).toBeGreaterThan(29);
    expect(spoken.samples / 24_000).toBeLessThan(33);
  });
});
