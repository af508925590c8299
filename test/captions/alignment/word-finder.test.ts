// Finding words as references come, grow, fail to come, or come too late. Sounds are made of frames that no two words share.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReferenceSpeech } from '../../../src/captions/alignment/reference-speech.ts';
import { CEPSTRA, framesIn } from '../../../src/captions/alignment/speech-features.ts';
import type { WordEstimate } from '../../../src/captions/alignment/word-estimate.ts';
import {
  createWordFinder,
  type KnownVoice,
  UNKNOWN_VOICE,
  type WordFinder,
} from '../../../src/captions/alignment/word-finder.ts';

const SOUND_MS = 80;
const WORD_MS = 3 * SOUND_MS;
const SILENCE = -1;
const held = (sound: number, ms: number) => new Array<number>(framesIn(ms)).fill(sound);
/** Three sounds. */
const soundsOf = (word: number) => [0, 1, 2].flatMap((part) => held(word * 3 + part + 1, SOUND_MS));
const speechOf = (words: number) => Array.from({ length: words }, (_, word) => soundsOf(word)).flat();
const frameOf = (sound: number) => ({
  cepstra: Float32Array.from({ length: CEPSTRA }, (_, c) =>
    sound === SILENCE ? (c === 0 ? -40 : 0) : 4 * Math.sin((sound + 1) * (c + 1) * 2.399),
  ),
  level: sound === SILENCE ? -11 : 0,
});
const referenceOf = (words: number) => {
  const frames = speechOf(words).map(frameOf);
  const track = {
    cepstra: Float32Array.from(frames.flatMap(({ cepstra }) => [...cepstra])),
    levels: Float32Array.from(frames, ({ level }) => level),
  };
  return createReferenceSpeech(
    track,
    Array.from({ length: words }, (_, word) => word * WORD_MS),
  );
};
const COUNT = 5;
const WORDS = Array.from({ length: COUNT }, () => ({ weight: 4, pause: 0 }));
const MS_PER_WEIGHT = 60;
const finderOf = (known: KnownVoice = UNKNOWN_VOICE) => createWordFinder(WORDS, MS_PER_WEIGHT, known);
const hear = (finder: WordFinder, sounds: readonly number[]) => {
  for (const sound of sounds) finder.push(frameOf(sound));
};
const expectInPlace = ({ startsMs }: WordEstimate, words: number, offMs = 20) => {
  for (let word = 0; word < words; word += 1)
    expect(Math.abs(startsMs[word]! - word * WORD_MS)).toBeLessThanOrEqual(offMs);
};
const expectSound = (estimate: WordEstimate) => {
  const { startsMs, endsMs, reached, withinMs } = estimate;
  expect([startsMs.length, endsMs.length]).toEqual([COUNT, COUNT]);
  let last = 0;
  for (let word = 0; word < COUNT; word += 1) {
    expect(startsMs[word]).toBeGreaterThanOrEqual(last);
    expect(endsMs[word]).toBeGreaterThanOrEqual(startsMs[word]!);
    last = startsMs[word]!;
  }
  expect(reached).toBeGreaterThanOrEqual(0);
  expect(reached).toBeLessThanOrEqual(COUNT);
  expect(withinMs).toBeGreaterThan(0);
  expect(Number.isFinite(withinMs)).toBe(true);
};

describe('word finder', () => {
  it('knows nothing before there is a reference or the word that there is none', () => {
    const finder = finderOf();
    expect(finder.estimate()).toBeUndefined();
    hear(finder, speechOf(2));
    expect(finder.estimate()).toBeUndefined();
    finder.end();
    expect([finder.estimate(), finder.isFinal(), finder.learned().mean]).toEqual([
      undefined,
      false,
      undefined,
    ]);
  });

  it('says the same whether the reference comes before the sound, in its midst or behind it', () => {
    const estimates = [0, framesIn(500), framesIn(COUNT * WORD_MS)].map((at) => {
      const finder = finderOf();
      hear(finder, speechOf(COUNT).slice(0, at));
      finder.hold(referenceOf(COUNT), 'whole');
      hear(finder, speechOf(COUNT).slice(at));
      finder.end();
      expect(finder.isFinal()).toBe(true);
      return finder.estimate()!;
    });
    expectSound(estimates[0]!);
    expectInPlace(estimates[0]!, COUNT);
    expect(estimates[0]!.reached).toBe(COUNT);
    for (const late of estimates.slice(1))
      expect(Array.from(late.startsMs)).toEqual(Array.from(estimates[0]!.startsMs));
  });

  it('foretells the words behind the first ones at the guessed pace, and is in doubt about them', () => {
    const finder = finderOf();
    hear(finder, speechOf(COUNT));
    finder.hold(referenceOf(2), 'first-words');
    const early = finder.estimate()!;
    expectSound(early);
    expectInPlace(early, 2);
    expect(early.unsure).toEqual({ from: 1, withinMs: 700 });
    finder.end();
    expect(finder.isFinal()).toBe(false);
    finder.hold(referenceOf(COUNT), 'whole');
    expect(finder.isFinal()).toBe(true);
    expectInPlace(finder.estimate()!, COUNT);
    expect(finder.estimate()!.unsure).toBeUndefined();
  });

  it('is as sure of the first words as of any, but for the last of them', () => {
    for (const [heard, reached] of [
      [2, 2],
      [4, 3],
    ] as const) {
      const finder = finderOf();
      hear(finder, speechOf(heard));
      finder.hold(referenceOf(3), 'first-words');
      expect(finder.estimate()).toMatchObject({ reached, unsure: { from: 2, withinMs: 700 } });
      expect(finder.estimate()!.withinMs).toBeLessThan(100);
    }
  });

  it('tells how long the words of its reference are, at the tempo that was asked for', () => {
    const finder = createWordFinder(WORDS, MS_PER_WEIGHT, UNKNOWN_VOICE, 2);
    const usual = () => Array.from(finder.estimate()?.usualMs ?? []);
    finder.hold(referenceOf(3), 'first-words');
    expect(usual()).toEqual([WORD_MS / 2, WORD_MS / 2]);
    finder.hold(referenceOf(COUNT), 'whole');
    expect(usual()).toEqual(new Array<number>(COUNT - 1).fill(WORD_MS / 2));
    hear(finder, speechOf(COUNT));
    finder.end();
    expect(usual()).toHaveLength(COUNT - 1);
  });

  it('ignores a reference without words, and one of nothing at all does no harm', () => {
    const finder = finderOf();
    finder.hold(referenceOf(0), 'first-words');
    hear(finder, speechOf(1));
    expect(finder.estimate()).toBeUndefined();
    const empty = { cepstra: new Float32Array(0), levels: new Float32Array(0) };
    finder.hold(createReferenceSpeech(empty, new Array<number>(COUNT).fill(0)), 'whole');
    hear(finder, speechOf(2));
    finder.end();
    expectSound(finder.estimate()!);
  });

  it('goes by the pauses when no reference comes, heard before or after that is known', () => {
    const paused = [{ weight: 4, pause: 0 }, { weight: 4, pause: 5 }, ...WORDS.slice(2)];
    const sounds = [...speechOf(2), ...held(SILENCE, 400), ...speechOf(3)];
    const found = [0, sounds.length].map((at) => {
      const finder = createWordFinder(paused, MS_PER_WEIGHT, UNKNOWN_VOICE);
      hear(finder, sounds.slice(0, at));
      finder.giveUpReference();
      hear(finder, sounds.slice(at));
      finder.end();
      expect(finder.isFinal()).toBe(true);
      return finder.estimate()!;
    });
    expect(found[1]).toEqual(found[0]);
    expectSound(found[0]!);
    // The third word is behind the pause.
    expect(Math.abs(found[0]!.startsMs[2]! - (2 * WORD_MS + 400))).toBeLessThanOrEqual(60);
  });

  it('keeps to a whole reference once it has one', () => {
    const finder = finderOf();
    finder.hold(referenceOf(COUNT), 'whole');
    finder.giveUpReference();
    hear(finder, speechOf(COUNT));
    finder.end();
    finder.end();
    expectInPlace(finder.estimate()!, COUNT);
  });

  it('knows a voice when it has been heard for three seconds', () => {
    const finder = finderOf();
    finder.hold(referenceOf(COUNT), 'whole');
    hear(finder, speechOf(COUNT));
    expect(finder.learned()).toEqual({ mean: undefined, onsetMs: undefined });
    hear(finder, held(4, 3000));
    finder.end();
    expect(finder.learned().mean).toHaveLength(CEPSTRA);
    expect([...finder.learned().mean!].every(Number.isFinite)).toBe(true);
    expect(finder.learned().onsetMs).toBeLessThanOrEqual(20);
  });

  it('expects the silence that a voice begins with before anything was heard', () => {
    const begun = [undefined, 200].map((onsetMs) => {
      const finder = finderOf({ mean: undefined, onsetMs });
      finder.hold(referenceOf(COUNT), 'whole');
      return finder.estimate()!;
    });
    expect(begun[0]!.startsMs[0]).toBeLessThan(50);
    expect(begun[1]!.startsMs[0]).toBe(200);
    expect(begun[1]!.startsMs[1]! - begun[1]!.startsMs[0]!).toBeCloseTo(
      begun[0]!.startsMs[1]! - begun[0]!.startsMs[0]!,
    );
    expect(begun[1]!.withinMs).toBeLessThan(begun[0]!.withinMs);
  });

  it('leaves the sound where it was heard while it expects the speech to begin later', () => {
    const finder = finderOf({ mean: undefined, onsetMs: 900 });
    finder.hold(referenceOf(COUNT), 'whole');
    // Loud, and like nothing in the reference.
    hear(finder, [...held(SILENCE, 100), ...held(99, 60), ...held(SILENCE, 200)]);
    const { reached, startsMs, soundMs } = finder.estimate()!;
    expect([reached, startsMs[0], soundMs]).toEqual([0, 900, 100]);
  });

  it('never falls and never leaves the numbers, whatever comes in which order', () => {
    const step = fc.oneof(
      fc.array(fc.integer({ min: SILENCE, max: 20 }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom('first' as const, 'whole' as const, 'give up' as const, 'end' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const finder = finderOf();
        let isOver = false;
        let isSettled = false;
        for (const each of steps) {
          if (Array.isArray(each)) {
            if (!isOver) hear(finder, each);
          } else if (each === 'end') {
            finder.end();
            isOver = true;
          } else if (!isSettled) {
            if (each === 'give up') finder.giveUpReference();
            else
              finder.hold(
                referenceOf(each === 'first' ? 2 : COUNT),
                each === 'first' ? 'first-words' : 'whole',
              );
            isSettled = each !== 'first';
          }
          const estimate = finder.estimate();
          if (estimate !== undefined) expectSound(estimate);
          expect(finder.isFinal()).toBe(isOver && isSettled);
        }
      }),
      { numRuns: 150 },
    );
  });
});
