import { describe, expect, it } from 'vitest';
import {
  disorderedReferences,
  soundEndingOf,
  spokenFrames,
} from '../../../src/captions/alignment/heard-ending.ts';
import { createReferenceSpeech, REFERENCE_PAUSE } from '../../../src/captions/alignment/reference-speech.ts';
import { CEPSTRA } from '../../../src/captions/alignment/speech-features.ts';
import { DIMENSIONS } from '../../../src/captions/alignment/speech-vectors.ts';

/** Levels of so many frames each. */
const levels = (...parts: readonly (readonly [count: number, level: number])[]) =>
  Float32Array.from(parts.flatMap(([count, level]) => Array<number>(count).fill(level)));
const SYLLABLES = [
  [8, 2],
  [4, -2],
  [8, 3],
  [3, -3],
  [8, 1],
] as const;

describe('the end of a sound', () => {
  it('is as silent as its last frames are, and as far below its loudest one as the last of them', () => {
    expect(soundEndingOf(levels(...SYLLABLES))).toEqual({ silentMs: 0, dropNats: 2, kind: 'speech-like' });
    expect(soundEndingOf(levels(...SYLLABLES, [10, -9]))).toEqual({
      silentMs: 200,
      dropNats: 12,
      kind: 'speech-like',
    });
  });

  it('tells nothing of a tone, nor of hardly anything', () => {
    expect(soundEndingOf(levels([70, 2], [2, 0]))?.kind).toBe('steady');
    expect(soundEndingOf(levels([9, 2]))).toBeUndefined();
  });
});

describe('a disordered reference', () => {
  const FRAMES = 40;
  const cepstra = Float32Array.from({ length: FRAMES * CEPSTRA }, (_, at) => Math.sin(at * 1.7) * 3);
  const track = { cepstra, levels: levels([15, 2], [10, -12], [15, 2]) };
  const reference = createReferenceSpeech(track, [0, 500]);

  it('has the same frames in another order, as many of them silent', () => {
    const sum = (features: Float32Array) =>
      Array.from({ length: CEPSTRA }, (_, c) =>
        Array.from({ length: reference.frames }, (__, at) => features[at * DIMENSIONS + c]!).reduce(
          (all, value) => all + value,
        ),
      );
    for (const other of disorderedReferences(reference)) {
      expect([other.frames, spokenFrames(other)]).toEqual([reference.frames, spokenFrames(reference)]);
      expect(other.features).not.toEqual(reference.features);
      sum(other.features).forEach((value, c) => {
        expect(value).toBeCloseTo(sum(reference.features)[c]!, 3);
      });
      expect([other.pausing[0], other.pausing[other.frames]]).toEqual([REFERENCE_PAUSE, REFERENCE_PAUSE]);
    }
  });

  it('turns slopes round with time', () => {
    const [backwards] = disorderedReferences(reference);
    const last = (reference.frames - 1) * DIMENSIONS;
    for (let c = 0; c < CEPSTRA; c += 1)
      expect(backwards!.features[CEPSTRA + c]).toBe(-reference.features[last + CEPSTRA + c]!);
  });
});
