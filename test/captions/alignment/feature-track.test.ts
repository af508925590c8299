import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFeatureStore, featureTrack } from '../../../src/captions/alignment/feature-track.ts';
import {
  CEPSTRA,
  createFeatureExtractor,
  FRAME_MS,
} from '../../../src/captions/alignment/speech-features.ts';
import { fixtureSpeech } from '../../support/fixture-speech.ts';

const numbered = (at: number) => ({
  cepstra: Float32Array.from({ length: CEPSTRA }, (_, c) => at * 10 + c),
  level: -at,
});

describe('feature store', () => {
  it.each([0, 1, 255, 256, 257, 1500])(
    'gives %i frames back as they came, though their arrays are used again',
    (frames) => {
      const store = createFeatureStore();
      const cepstra = new Float32Array(CEPSTRA);
      for (let at = 0; at < frames; at += 1) {
        cepstra.set(numbered(at).cepstra);
        store.add({ cepstra, level: -at });
      }
      cepstra.fill(Number.NaN);
      expect(store.frames()).toBe(frames);
      const track = store.track();
      expect([track.levels.length, track.cepstra.length]).toEqual([frames, frames * CEPSTRA]);
      for (const at of [0, 1, 254, 255, 256, frames - 1]) {
        if (at < 0 || at >= frames) continue;
        expect(store.frame(at)).toEqual(numbered(at));
        expect(track.levels[at]).toBe(numbered(at).level);
        expect(track.cepstra.slice(at * CEPSTRA, (at + 1) * CEPSTRA)).toEqual(numbered(at).cepstra);
      }
    },
  );
});

describe('feature track', () => {
  const speech = fixtureSpeech();

  it(`has a frame for every ${FRAME_MS} ms, and is the same however the samples are split`, () => {
    const track = featureTrack(speech, 24_000);
    expect(Math.abs(track.levels.length - speech.length / (24 * FRAME_MS))).toBeLessThanOrEqual(1);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 6 }), (sizes) => {
        const store = createFeatureStore();
        const extractor = createFeatureExtractor(24_000, (frame) => store.add(frame));
        for (let at = 0, turn = 0; at < speech.length; turn += 1) {
          const size = sizes[turn % sizes.length]!;
          extractor.push(speech.subarray(at, at + size));
          at += size;
        }
        extractor.flush();
        expect(store.track()).toEqual(track);
      }),
      { numRuns: 15 },
    );
  });

  it('tells speech from silence, and nothing of an empty sound', () => {
    const silence = featureTrack(new Float32Array(24_000), 24_000);
    const loudest = (levels: Float32Array) => levels.reduce((most, level) => Math.max(most, level));
    expect(loudest(featureTrack(speech, 24_000).levels)).toBeGreaterThan(loudest(silence.levels) + 8);
    expect(featureTrack(new Float32Array(0), 24_000).levels.length).toBeLessThanOrEqual(1);
  });
});
