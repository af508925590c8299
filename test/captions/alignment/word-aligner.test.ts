import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReferenceSpeech } from '../../../src/captions/alignment/reference-speech.ts';
import { CEPSTRA, FRAME_MS, framesIn } from '../../../src/captions/alignment/speech-features.ts';
import { createWordAligner, fitErrorMs } from '../../../src/captions/alignment/word-aligner.ts';

/** A frame: silence, or a sound of its own, the same for the same number. */
type Sound = 'silence' | number;
const SILENT_LEVEL = -11;

const cepstraOf = (sound: Sound) =>
  Array.from({ length: CEPSTRA }, (_, c) =>
    sound === 'silence' ? (c === 0 ? -40 : 0) : 4 * Math.sin((sound + 1) * (c + 1) * 2.399),
  );

function trackOf(sounds: readonly Sound[]) {
  return {
    cepstra: Float32Array.from(sounds.flatMap(cepstraOf)),
    levels: Float32Array.from(sounds, (sound) => (sound === 'silence' ? SILENT_LEVEL : 0)),
  };
}

/** Every sound for so long; a frame has the one that it is centred in. */
const held = (sounds: readonly Sound[], ms: number) =>
  Array.from(
    { length: framesIn(sounds.length * ms) },
    (_, frame) => sounds[Math.floor((frame * FRAME_MS) / ms)]!,
  );

function listen(
  aligner: ReturnType<typeof createWordAligner>,
  { cepstra, levels }: ReturnType<typeof trackOf>,
) {
  levels.forEach((level, at) => {
    aligner.push({ cepstra: cepstra.subarray(at * CEPSTRA, (at + 1) * CEPSTRA), level });
  });
}

/** Starts of the words after all of `sounds`, ms. */
function startsOf(reference: Parameters<typeof createWordAligner>[0], sounds: readonly Sound[]) {
  const aligner = createWordAligner(reference);
  listen(aligner, trackOf(sounds));
  aligner.end();
  return Array.from(aligner.estimate().startsMs);
}

/** Four words of three sounds each. */
const WORDS = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
  [10, 11, 12],
];
const SOUND_MS = 80;
const WORD_MS = 3 * SOUND_MS;
/** Words at the pace of the reference. */
const said = (...words: readonly number[]) => words.flatMap((word) => held(WORDS[word]!, SOUND_MS));
/** All of them at any pace. */
const spoken = (soundMs: number) => held(WORDS.flat(), soundMs);
const reference = createReferenceSpeech(
  trackOf(spoken(SOUND_MS)),
  WORDS.map((_, word) => word * WORD_MS),
);
const apartMs = (found: readonly number[], wanted: readonly number[]) =>
  Math.max(...found.map((ms, at) => Math.abs(ms - wanted[at]!)));

describe('word aligner', () => {
  it.each([50, SOUND_MS, 130])('finds words whose sounds take %i ms instead of 80', (soundMs) => {
    expect(
      apartMs(
        startsOf(reference, spoken(soundMs)),
        WORDS.map((_, word) => word * 3 * soundMs),
      ),
    ).toBeLessThanOrEqual(FRAME_MS);
  });

  it('finds words behind pauses that the reference does not have', () => {
    const pause = held(['silence'], 400);
    const sounds = [...pause, ...said(0, 1), ...pause, ...said(2, 3), ...pause];
    expect(apartMs(startsOf(reference, sounds), [400, 640, 1280, 1520])).toBeLessThanOrEqual(FRAME_MS);
  });

  it('finds words that follow at once where the reference pauses', () => {
    const sounds = [...said(0), ...held(['silence'], 500), ...said(1)];
    const paused = createReferenceSpeech(trackOf(sounds), [0, WORD_MS + 500]);
    expect(apartMs(startsOf(paused, said(0, 1)), [0, WORD_MS])).toBeLessThan(2 * FRAME_MS);
  });

  it('goes on behind a word that is not spoken', () => {
    const [first, , third, fourth] = startsOf(reference, said(0, 2, 3));
    expect(apartMs([first!, third!, fourth!], [0, WORD_MS, 2 * WORD_MS])).toBeLessThanOrEqual(30);
  });

  it('tells where sound was first heard, as soon as it was', () => {
    const aligner = createWordAligner(reference);
    listen(aligner, trackOf(held(['silence'], 400)));
    expect(aligner.estimate().soundMs).toBeUndefined();
    listen(aligner, trackOf([...said(0), ...held(['silence'], 400), ...said(1)]));
    expect(aligner.estimate().soundMs).toBe(400);
    aligner.end();
    expect(aligner.estimate().soundMs).toBe(400);
  });

  it('no longer takes noise for the first sound once speech shows what it is', () => {
    const NOISE_LEVEL = -5;
    const noise = { ...trackOf(held(['silence'], 400)) };
    noise.levels.fill(NOISE_LEVEL);
    const speech = trackOf(said(0, 1));
    speech.levels.fill(2);
    const aligner = createWordAligner(reference);
    listen(aligner, noise);
    expect(aligner.estimate().soundMs).toBe(0);
    listen(aligner, speech);
    expect(aligner.estimate().soundMs).toBe(400);
  });

  it('ends a word where the pause behind it begins', () => {
    const aligner = createWordAligner(reference);
    const pause = held(['silence'], 300);
    listen(aligner, trackOf([...said(0), ...pause, ...said(1, 2, 3), ...pause]));
    aligner.end();
    const { startsMs, endsMs } = aligner.estimate();
    expect(Math.abs(endsMs[0]! - WORD_MS)).toBeLessThanOrEqual(30);
    expect(endsMs[1]).toBe(startsMs[2]);
    expect(Math.abs(endsMs[3]! - (4 * WORD_MS + 300))).toBeLessThanOrEqual(30);
  });

  it('tells while speech arrives which words have begun, and foretells the others at its tempo', () => {
    const aligner = createWordAligner(reference);
    listen(aligner, trackOf(spoken(2 * SOUND_MS).slice(0, framesIn(1100))));
    const { startsMs, reached } = aligner.estimate();
    expect(reached).toBe(3);
    expect(Math.abs(startsMs[2]! - 4 * WORD_MS)).toBeLessThanOrEqual(FRAME_MS);
    expect(startsMs[3]).toBeGreaterThan(1100);
    expect(Math.abs(startsMs[3]! - 6 * WORD_MS)).toBeLessThan(150);
  });

  it('learns the mean of the voice, and uses one that is known', () => {
    const shifted = trackOf(spoken(SOUND_MS));
    for (let at = 0; at < shifted.levels.length; at += 1)
      for (let c = 1; c < CEPSTRA; c += 1) shifted.cepstra[at * CEPSTRA + c]! += 9;
    const first = createWordAligner(reference);
    listen(first, shifted);
    expect(first.mean[1]! - reference.mean[1]!).toBeGreaterThan(4);
    const next = createWordAligner(reference, {
      mean: reference.mean.map((value, c) => value + (c > 0 ? 9 : 0)),
    });
    listen(next, shifted);
    first.end();
    next.end();
    expect(next.estimate().withinMs).toBeLessThan(first.estimate().withinMs);
  });

  it('is less sure the less the speech is like the reference', () => {
    const withinOf = (sounds: readonly Sound[]) => {
      const aligner = createWordAligner(reference);
      listen(aligner, trackOf(sounds));
      aligner.end();
      return aligner.estimate().withinMs;
    };
    const same = withinOf(spoken(SOUND_MS));
    expect(same).toBeGreaterThan(0);
    expect(
      withinOf(spoken(SOUND_MS).map((sound) => (sound === 'silence' ? sound : sound + 31))),
    ).toBeGreaterThan(3 * same);
  });

  it('gives the same answer however often it is asked, as far back as it remembers', () => {
    const turn = Array.from({ length: 30 }, (_, word) => [word * 3, word * 3 + 1, word * 3 + 2]);
    const long = createReferenceSpeech(
      trackOf(held(turn.flat(), SOUND_MS)),
      turn.map((_, word) => word * WORD_MS),
    );
    const heard = trackOf(held(turn.flat(), 100));
    const [often, once] = [createWordAligner(long), createWordAligner(long)];
    heard.levels.forEach((level, at) => {
      often.push({ cepstra: heard.cepstra.subarray(at * CEPSTRA, (at + 1) * CEPSTRA), level });
      often.estimate();
    });
    listen(once, heard);
    often.end();
    once.end();
    expect(often.estimate()).toEqual(once.estimate());
  });

  it('keeps times in order and inside the sound for any speech and any reference', () => {
    const sound = fc.oneof(fc.constant<Sound>('silence'), fc.nat(12));
    const runs = fc
      .array(fc.tuple(sound, fc.integer({ min: FRAME_MS, max: 600 })), { maxLength: 30 })
      .map((list) => list.flatMap(([one, ms]) => held([one], ms)));
    fc.assert(
      fc.property(runs, runs, fc.array(fc.nat(20_000), { maxLength: 20 }), (ours, theirs, wordMs) => {
        const speech = createReferenceSpeech(
          trackOf(ours),
          wordMs.toSorted((a, b) => a - b),
        );
        const aligner = createWordAligner(speech);
        const heard = trackOf(theirs);
        const check = (untilMs: number) => {
          const { startsMs, endsMs, reached, withinMs } = aligner.estimate();
          expect(startsMs).toHaveLength(wordMs.length);
          expect(reached).toBeLessThanOrEqual(wordMs.length);
          expect(withinMs).toBeGreaterThan(0);
          const times = Array.from(startsMs).flatMap((startMs, word) => [startMs, endsMs[word]!]);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          expect(times[0] ?? 0).toBeGreaterThanOrEqual(0);
          expect(times.at(-1) ?? 0).toBeLessThanOrEqual(untilMs);
        };
        heard.levels.forEach((level, at) => {
          aligner.push({ cepstra: heard.cepstra.subarray(at * CEPSTRA, (at + 1) * CEPSTRA), level });
          if (at % framesIn(250) === 0) check(Number.POSITIVE_INFINITY);
        });
        aligner.end();
        check(theirs.length * FRAME_MS);
      }),
      { numRuns: 100 },
    );
  });
});

describe('error by fit', () => {
  it('rises with the cost, from a frame to half a word and more, and is bounded', () => {
    const errors = Array.from({ length: 100 }, (_, at) => fitErrorMs(at / 4));
    expect(errors[0]).toBe(16);
    expect(errors.at(-1)).toBe(800);
    expect(errors).toEqual(errors.toSorted((a, b) => a - b));
  });

  it('has the measured points and lines between them', () => {
    expect([7, 8, 11, 13.5].map(fitErrorMs)).toEqual([16, 60, 86, 300]);
    expect([7.5, 9, 12.75].map(fitErrorMs)).toEqual([38, 62.5, 210]);
  });
});
