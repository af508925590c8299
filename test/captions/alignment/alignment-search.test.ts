import { describe, expect, it } from 'vitest';
import {
  createAlignmentSearch,
  REMEMBERED_FRAMES,
} from '../../../src/captions/alignment/alignment-search.ts';
import { createReferenceSpeech } from '../../../src/captions/alignment/reference-speech.ts';
import { CEPSTRA, framesIn } from '../../../src/captions/alignment/speech-features.ts';
import { DIMENSIONS } from '../../../src/captions/alignment/speech-vectors.ts';

/** Of words of 200 ms each, a sound for every 40 ms. */
const LENGTH_MS = 20_000;
const WORD_MS = 200;
const FRAMES = framesIn(LENGTH_MS);
const reference = createReferenceSpeech(
  {
    cepstra: Float32Array.from({ length: FRAMES * CEPSTRA }, (_, at) => {
      const [frame, c] = [Math.floor(at / CEPSTRA), at % CEPSTRA];
      return 5 * Math.sin((Math.floor(frame / framesIn(40)) + 1) * (c + 1) * 2.399);
    }),
    levels: new Float32Array(FRAMES),
  },
  Array.from({ length: LENGTH_MS / WORD_MS }, (_, word) => word * WORD_MS),
);
const vectorAt = (frame: number) => reference.features.subarray(frame * DIMENSIONS, (frame + 1) * DIMENSIONS);
const VOICED = 25;

describe('alignment search', () => {
  it('goes along the reference when it hears the reference itself, at no cost', () => {
    const search = createAlignmentSearch(reference);
    for (let frame = 0; frame < 300; frame += 1) search.advance(vectorAt(frame), VOICED);
    expect(search.cost()).toBe(0);
    expect(search.trace('open')).toBe(0);
    expect([0, 100, 299].map((frame) => search.placeAt(frame))).toEqual([0, 100, 299]);
  });

  it('tells from where on the way is another than at the last trace', () => {
    const search = createAlignmentSearch(reference);
    for (let frame = 0; frame < 200; frame += 1) search.advance(vectorAt(frame), VOICED);
    search.trace('open');
    for (let frame = 200; frame < 300; frame += 1) search.advance(vectorAt(frame), VOICED);
    expect(search.trace('open')).toBe(199);
    expect(search.placeAt(299)).toBe(299);
  });

  it('waits in a pause between two words, half a frame before the second', () => {
    const search = createAlignmentSearch(reference);
    const silence = new Float32Array(DIMENSIONS).fill(-9);
    for (let frame = 0; frame < 40; frame += 1) search.advance(vectorAt(frame), VOICED);
    for (let frame = 0; frame < 30; frame += 1) search.advance(silence, 1);
    for (let frame = 40; frame < 80; frame += 1) search.advance(vectorAt(frame), VOICED);
    search.trace('open');
    expect([39, 40, 69, 70].map((frame) => search.placeAt(frame))).toEqual([39, 39.5, 39.5, 40]);
  });

  it('ends with the reference when it is told so, and not before', () => {
    const search = createAlignmentSearch(reference);
    for (let frame = 0; frame < FRAMES; frame += 1) search.advance(vectorAt(frame), VOICED);
    for (let frame = 0; frame < 5; frame += 1) search.advance(new Float32Array(DIMENSIONS).fill(7), VOICED);
    search.trace('closed');
    expect(search.placeAt(search.frames() - 1)).toBeGreaterThanOrEqual(FRAMES - 1);
  });

  it('goes back no further than it remembers, whatever it hears', () => {
    const search = createAlignmentSearch(reference);
    for (let frame = 0; frame < 3 * REMEMBERED_FRAMES; frame += 1) {
      // Nothing that the reference has: all ways are as good as each other.
      search.advance(new Float32Array(DIMENSIONS).fill(Math.sin(frame)), VOICED);
    }
    const from = search.trace('open');
    expect(from).toBeGreaterThanOrEqual(2 * REMEMBERED_FRAMES);
    let before = -0.5;
    for (let frame = from; frame < search.frames(); frame += 1) {
      expect(search.placeAt(frame)).toBeGreaterThanOrEqual(before);
      before = search.placeAt(frame);
    }
    expect(before).toBeGreaterThan(0);
  });

  it('has no way through a reference of no frames, and does not fail', () => {
    const search = createAlignmentSearch(
      createReferenceSpeech({ cepstra: new Float32Array(0), levels: new Float32Array(0) }, []),
    );
    search.advance(new Float32Array(DIMENSIONS), 3);
    search.advance(new Float32Array(DIMENSIONS), 3);
    search.trace('closed');
    expect(search.placeAt(1)).toBe(-0.5);
  });
});
