// Breaks of a body that comes again with other bytes: another encoding, another take, another text. What is heard goes
// on where the two sound alike, or ends with a word about it; it never jumps.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadMp3Encoders } from '../../../src/audio/mp3/mp3-encoder.ts';
import { createSpeechRecovery } from '../../../src/pipeline/whole-body/speech-recovery.ts';
import { answer, reset } from '../../support/body-faults.ts';
import { fixtureSpeech } from '../../support/fixture-speech.ts';
import { type SpeakThroughOptions, speakThrough } from '../../support/speak-through.ts';
import { tone } from '../../support/tone.ts';

const RATE = 24_000;
const encoders = await loadMp3Encoders();
const toMp3 = (samples: Float32Array, bitrateKbps: 48 | 64 | 96 = 64): Uint8Array => {
  const encoder = encoders.open({ sampleRate: RATE, bitrateKbps });
  const body = encoder.encode(samples);
  return Uint8Array.from([...body, ...encoder.finish()]);
};
/** Slower by `factor`, as another take of the same words. */
const stretched = (samples: Float32Array, factor: number): Float32Array =>
  Float32Array.from({ length: Math.floor(samples.length * factor) - 1 }, (_, i) => {
    const at = Math.floor(i / factor);
    const part = i / factor - at;
    return 0.8 * (samples[at]! * (1 - part) + samples[at + 1]! * part);
  });
const speech = fixtureSpeech();
const sound = (bytes: Buffer): Float32Array =>
  Float32Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i) / 32_768);
const steepest = (samples: Float32Array): number =>
  samples.reduce((most, value, i) => Math.max(most, Math.abs(value - (samples[i - 1] ?? value))), 0);

/** `first` breaks after `share` of its bytes; every later request is answered with `second`. */
const breakBetween = (
  first: Uint8Array,
  share: number,
  second: Uint8Array,
  how: Partial<SpeakThroughOptions> = {},
) =>
  speakThrough({
    texts: ['One.'],
    recovery: createSpeechRecovery(),
    onRequest(request, index) {
      const atByte = Math.floor(share * first.length);
      if (index === 0) answer(request, first, { fault: { atByte, how: 'reset' } });
      else answer(request, second);
    },
    ...how,
  });
/** Everything is decoded when the break comes, or half a second: then the rest may be given up for a better place. */
const LISTENERS = [{ aheadSamples: 1e9 }, { aheadSamples: RATE / 2 }];

describe('another take', () => {
  it('that is the same sound in other bytes goes on without a seam', async () => {
    for (const samples of [speech, tone(440, RATE, 3 * RATE, 0.3)]) {
      const steep = steepest(sound((await breakBetween(toMp3(samples), 1, toMp3(samples))).bytes));
      for (const listener of LISTENERS) {
        for (const share of [0.3, 0.45, 0.8]) {
          const spoken = await breakBetween(toMp3(samples), share, toMp3(samples, 96), listener);
          expect([share, spoken.error, spoken.kinds]).toEqual([share, undefined, ['aligned']]);
          expect(Math.abs(spoken.samples - samples.length)).toBeLessThan(0.06 * RATE);
          expect(steepest(sound(spoken.bytes))).toBeLessThan(1.2 * steep);
        }
      }
    }
  });

  it('in which the same words are said anew is joined within 200 ms of the right place', async () => {
    for (const factor of [0.96, 1.05]) {
      for (const listener of LISTENERS) {
        for (const share of [0.5, 0.6, 0.75]) {
          const spoken = await breakBetween(toMp3(speech), share, toMp3(stretched(speech, factor)), listener);
          expect([factor, share, spoken.error, spoken.kinds]).toEqual([
            factor,
            share,
            undefined,
            ['aligned'],
          ]);
          const right = speech.length * (share + (1 - share) * factor);
          expect(Math.abs(spoken.samples - right)).toBeLessThan(0.2 * RATE);
        }
      }
    }
  });

  it('is timed as it is heard', async () => {
    for (const format of ['raw', 'mp3'] as const) {
      for (const listener of LISTENERS) {
        const spoken = await breakBetween(toMp3(speech), 0.6, toMp3(stretched(speech, 1.05)), {
          ...listener,
          format,
        });
        expect([spoken.error, spoken.kinds]).toEqual([undefined, ['aligned']]);
        const { ms, state } = spoken.requestsMs[0]!;
        expect(state).toBe('complete');
        expect(Math.abs(ms - (spoken.samples * 1000) / RATE)).toBeLessThan(21);
      }
    }
  });

  it('takes the place of one of which nothing was heard', async () => {
    const spoken = await breakBetween(toMp3(speech), 0.05, toMp3(stretched(speech, 1.05)), {
      aheadSamples: 0,
    });
    expect([spoken.error, spoken.kinds]).toEqual([undefined, ['aligned']]);
    expect(Math.abs(spoken.samples - speech.length * 1.05)).toBeLessThan(0.1 * RATE);
  });

  it('that sounds otherwise is not joined: the turn fades out and says so', async () => {
    const a = tone(440, RATE, 3 * RATE, 0.3);
    const others = [tone(523, RATE, 3 * RATE, 0.3), speech, new Float32Array(3 * RATE)];
    for (const other of others) {
      for (const listener of LISTENERS) {
        const spoken = await breakBetween(toMp3(a), 0.6, toMp3(other), listener);
        expect([spoken.error, spoken.kinds]).toMatchObject([{ code: 'upstream_broken' }, ['failed']]);
        const heard = sound(spoken.bytes);
        expect(heard.length / RATE).toBeGreaterThan(1.6);
        expect(steepest(heard)).toBeLessThan(1.2 * steepest(a));
        expect(spoken.requestsMs[0]!.state).toBe('arriving');
      }
    }
  });

  it('goes on alike in chunks of any size', async () => {
    const long = Float32Array.from({ length: 3 * speech.length }, (_, i) => speech[i % speech.length]!);
    const [first, second] = [toMp3(long), toMp3(long, 96)];
    for (const [chunkBytes, share] of [
      [65_536, 0.2],
      [65_536, 0.5],
      [20_000, 0.3],
    ] as const) {
      const fault = { atByte: Math.floor(share * first.length), how: 'reset' } as const;
      const spoken = await breakBetween(first, share, second, {
        onRequest(request, index) {
          if (index === 0) answer(request, first, { fault, chunkBytes });
          else answer(request, second, { chunkBytes });
        },
      });
      expect([chunkBytes, spoken.error, spoken.kinds]).toEqual([chunkBytes, undefined, ['aligned']]);
      expect(Math.abs(spoken.samples - long.length)).toBeLessThan(0.06 * RATE);
    }
  });

  it('without a tag is not trimmed by the tag of the one that it replaces', async () => {
    const tagged = readFileSync(new URL('../../../fixtures/audio/lame-vbr-24k.mp3', import.meta.url));
    const plain = toMp3(speech);
    const alone = await breakBetween(plain, 1, plain);
    const spoken = await breakBetween(tagged, 0.3, plain, { aheadSamples: 0 });
    expect([spoken.error, spoken.kinds]).toEqual([undefined, ['aligned']]);
    expect(spoken.bytes.equals(alone.bytes)).toBe(true);
    expect(spoken.requestsMs).toEqual(alone.requestsMs);
  });

  it('that cannot be had leaves a length that is told as it is heard', async () => {
    const first = toMp3(speech);
    for (const share of [0.3, 0.5, 0.6, 0.8]) {
      for (const aheadSamples of [RATE / 10, 1e9]) {
        const spoken = await breakBetween(first, share, first, {
          aheadSamples,
          onRequest(request, index) {
            const atByte = Math.floor(share * first.length);
            if (index === 0) answer(request, first, { fault: { atByte, how: 'reset' } });
            else request.fail(reset());
          },
        });
        expect([spoken.error, spoken.kinds]).toMatchObject([{ code: 'upstream_broken' }, ['failed']]);
        const { ms, state } = spoken.requestsMs[0]!;
        // Heard in frames of 20 ms, of which the last one is filled.
        const toldFrames = Math.ceil(Math.round(ms * (RATE / 1000)) / (0.02 * RATE));
        expect([share, state, toldFrames]).toEqual([share, 'arriving', spoken.samples / (0.02 * RATE)]);
      }
    }
  });

  it('of other speech is not joined either', async () => {
    const backwards = speech.slice().reverse();
    const spoken = await breakBetween(toMp3(speech), 0.7, toMp3(backwards));
    expect([spoken.error, spoken.kinds]).toMatchObject([{ code: 'upstream_broken' }, ['failed']]);
  });

  it('leaves the audio of the other requests alone', async () => {
    const others = toMp3(tone(300, RATE, RATE, 0.2));
    const spoken = await speakThrough({
      texts: ['One.', 'Two.', 'Three.'],
      recovery: createSpeechRecovery(),
      onRequest(request, index) {
        if (index === 1) answer(request, toMp3(speech), { fault: { atByte: 11_000, how: 'reset' } });
        else answer(request, index === 2 ? toMp3(stretched(speech, 1.04)) : others);
      },
    });
    expect([spoken.error, spoken.kinds, spoken.flushed]).toEqual([undefined, ['aligned'], 3]);
    const alone = await speakThrough({ texts: ['One.'], onRequest: (request) => answer(request, others) });
    expect(spoken.bytes.subarray(0, alone.bytes.length - 960).equals(alone.bytes.subarray(0, -960))).toBe(
      true,
    );
    expect(spoken.requestsMs.map(({ state }) => state)).toEqual(['complete', 'complete', 'complete']);
    expect(spoken.requestsMs[0]!.ms).toBe(spoken.requestsMs[2]!.ms);
  });
});
