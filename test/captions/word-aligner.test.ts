import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReferenceSpeech } from '../../src/captions/reference-speech.ts';
import { CEPSTRA, FRAME_MS } from '../../src/captions/speech-features.ts';
import { createWordAligner } from '../../src/captions/word-aligner.ts';

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

/** Every sound for so many frames. */
const held = (sounds: readonly Sound[], frames: number) =>
  sounds.flatMap((sound) => new Array<Sound>(frames).fill(sound));

function listen(
  aligner: ReturnType<typeof createWordAligner>,
  { cepstra, levels }: ReturnType<typeof trackOf>,
) {
  levels.forEach((level, at) => {
    aligner.push({ cepstra: cepstra.subarray(at * CEPSTRA, (at + 1) * CEPSTRA), level });
  });
}

/** Starts of the words after all of `sounds`, in frames. */
function startFrames(reference: Parameters<typeof createWordAligner>[0], sounds: readonly Sound[]) {
  const aligner = createWordAligner(reference);
  listen(aligner, trackOf(sounds));
  aligner.end();
  return Array.from(aligner.estimate().startsMs, (ms) => ms / FRAME_MS);
}

/** Four words of three sounds each, eight frames a sound. */
const WORDS = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
  [10, 11, 12],
];
const spoken = (frames: number) => WORDS.flatMap((sounds) => held(sounds, frames));
const reference = createReferenceSpeech(
  trackOf(spoken(8)),
  WORDS.map((_, word) => word * 24 * FRAME_MS),
);
const apart = (found: readonly number[], wanted: readonly number[]) =>
  Math.max(...found.map((frame, at) => Math.abs(frame - wanted[at]!)));

describe('word aligner', () => {
  it.each([5, 8, 13])('finds words whose sounds take %i frames instead of eight', (frames) => {
    expect(
      apart(
        startFrames(reference, spoken(frames)),
        WORDS.map((_, word) => word * 3 * frames),
      ),
    ).toBeLessThanOrEqual(1);
  });

  it('finds words behind pauses that the reference does not have', () => {
    const pause = held(['silence'], 40);
    const sounds = [...pause, ...held(WORDS[0]!, 8), ...held(WORDS[1]!, 8), ...pause, ...held(WORDS[2]!, 8)];
    sounds.push(...held(WORDS[3]!, 8), ...pause);
    expect(apart(startFrames(reference, sounds), [40, 64, 128, 152])).toBeLessThanOrEqual(1);
  });

  it('finds words that follow at once where the reference pauses', () => {
    const sounds = [...held(WORDS[0]!, 8), ...held(['silence'], 50), ...held(WORDS[1]!, 8)];
    const paused = createReferenceSpeech(trackOf(sounds), [0, 740]);
    expect(apart(startFrames(paused, [...held(WORDS[0]!, 8), ...held(WORDS[1]!, 8)]), [0, 24])).toBeLessThan(
      4,
    );
  });

  it('goes on behind a word that is not spoken', () => {
    const sounds = [...held(WORDS[0]!, 8), ...held(WORDS[2]!, 8), ...held(WORDS[3]!, 8)];
    const [first, , third, fourth] = startFrames(reference, sounds);
    expect(apart([first!, third!, fourth!], [0, 24, 48])).toBeLessThanOrEqual(3);
  });

  it('ends a word where the pause behind it begins', () => {
    const aligner = createWordAligner(reference);
    const pause = held(['silence'], 30);
    listen(aligner, trackOf([...held(WORDS[0]!, 8), ...pause, ...spoken(8).slice(24), ...pause]));
    aligner.end();
    const { startsMs, endsMs } = aligner.estimate();
    expect(Math.abs(endsMs[0]! - 240)).toBeLessThanOrEqual(30);
    expect(endsMs[1]).toBe(startsMs[2]);
    expect(Math.abs(endsMs[3]! - 1260)).toBeLessThanOrEqual(30);
  });

  it('tells while speech arrives which words have begun, and foretells the others at its tempo', () => {
    const aligner = createWordAligner(reference);
    listen(aligner, trackOf(spoken(16).slice(0, 110)));
    const { startsMs, reached } = aligner.estimate();
    expect(reached).toBe(3);
    expect(Math.abs(startsMs[2]! - 960)).toBeLessThanOrEqual(20);
    expect(startsMs[3]).toBeGreaterThan(1100);
    expect(Math.abs(startsMs[3]! - 1440)).toBeLessThan(150);
  });

  it('learns the mean of the voice, and uses one that is known', () => {
    const shifted = trackOf(spoken(8));
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
    const same = withinOf(spoken(8));
    expect(same).toBeGreaterThan(0);
    expect(withinOf(spoken(8).map((sound) => (sound === 'silence' ? sound : sound + 31)))).toBeGreaterThan(
      3 * same,
    );
  });

  it('gives the same answer however often it is asked, as far back as it remembers', () => {
    const turn = Array.from({ length: 30 }, (_, word) => [word * 3, word * 3 + 1, word * 3 + 2]);
    const long = createReferenceSpeech(
      trackOf(turn.flatMap((sounds) => held(sounds, 8))),
      turn.map((_, word) => word * 24 * FRAME_MS),
    );
    const heard = trackOf(turn.flatMap((sounds) => held(sounds, 10)));
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
      .array(fc.tuple(sound, fc.integer({ min: 1, max: 60 })), { maxLength: 30 })
      .map((list) => list.flatMap(([one, frames]) => held([one], frames)));
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
          if (at % 25 === 0) check(Number.POSITIVE_INFINITY);
        });
        aligner.end();
        check(theirs.length * FRAME_MS);
      }),
      { numRuns: 100 },
    );
  });
});
