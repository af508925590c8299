import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPauseAligner } from '../../../src/captions/alignment/pause-aligner.ts';
import { CEPSTRA, FRAME_MS, framesIn } from '../../../src/captions/alignment/speech-features.ts';

const CEPSTRUM = new Float32Array(CEPSTRA);
const SILENCE = -11;
const SPEECH = 0;
/** What punctuation weighs in `spokenWords`. */
const CLAUSE = 2;
const SENTENCE = 5;
const GUESS_MS = 62;

/** A word, and how long it is silent after it: `afterMs`. `closureMs` of it are silent in its middle. */
type Said = {
  readonly weight: number;
  readonly pause?: number;
  readonly afterMs?: number;
  readonly closureMs?: number;
};

/** Words that take `msPerWeight` each; `startsMs` is when they truly begin. */
function speak(words: readonly Said[], msPerWeight: number, leadMs = 0) {
  const levels: number[] = [];
  let untilMs = 0;
  const add = (ms: number, level: number) => {
    untilMs += ms;
    while (levels.length < framesIn(untilMs)) levels.push(level);
  };
  add(leadMs, SILENCE);
  const startsMs = words.map(({ weight, closureMs = 0, afterMs = 0 }) => {
    const startMs = levels.length * FRAME_MS;
    const ms = weight * msPerWeight - closureMs;
    add(ms / 2, SPEECH);
    add(closureMs, SILENCE);
    add(ms / 2, SPEECH);
    add(afterMs, SILENCE);
    return startMs;
  });
  return { levels, startsMs, words: words.map(({ weight, pause = 0 }) => ({ weight, pause })) };
}

const listen = (aligner: ReturnType<typeof createPauseAligner>, levels: readonly number[]) => {
  for (const level of levels) aligner.push({ cepstra: CEPSTRUM, level });
};

function align(speech: ReturnType<typeof speak>, guessMs = GUESS_MS) {
  const aligner = createPauseAligner(speech.words, guessMs);
  listen(aligner, speech.levels);
  aligner.end();
  return aligner.estimate();
}

const furthest = (found: Float64Array, wanted: readonly number[]) =>
  Math.max(...wanted.map((ms, word) => Math.abs(found[word]! - ms)));

/** Three sentences; only some of the punctuation is heard as a pause. */
const TURN: readonly Said[] = [
  { weight: 6 },
  { weight: 4.5 },
  { weight: 9, pause: CLAUSE, afterMs: 220 },
  { weight: 3.5 },
  { weight: 8 },
  { weight: 5, pause: SENTENCE, afterMs: 520 },
  { weight: 7 },
  { weight: 3.5 },
  { weight: 6, pause: CLAUSE },
  { weight: 10 },
  { weight: 4.5, pause: SENTENCE, afterMs: 480 },
  { weight: 5 },
  { weight: 8 },
  { weight: 6.5, pause: SENTENCE, afterMs: 300 },
];

describe('words by their pauses', () => {
  it.each([40, 62, 95])('lie between the pauses, at %d ms a letter, when 62 were guessed', (msPerWeight) => {
    const speech = speak(TURN, msPerWeight, 150);
    const { startsMs, endsMs, reached, withinMs } = align(speech);
    expect(furthest(startsMs, speech.startsMs)).toBeLessThan(1.5 * msPerWeight + 40);
    // Those behind a pause are as sure as the pause itself.
    for (const word of [0, 3, 6, 11])
      expect(Math.abs(startsMs[word]! - speech.startsMs[word]!)).toBeLessThanOrEqual(40);
    expect(speech.startsMs[3]! - endsMs[2]!).toBe(220);
    expect(reached).toBe(TURN.length);
    expect(withinMs).toBeGreaterThan(furthest(startsMs, speech.startsMs));
    expect(withinMs).toBeLessThan(300);
  });

  it('are nearer than by their weights alone', () => {
    // The first sentence is dragged, the last one hurried.
    const slow = speak(TURN.slice(0, 6), 90);
    const fast = speak(TURN.slice(6), 50);
    const offset = slow.levels.length * FRAME_MS;
    const speech = {
      levels: [...slow.levels, ...fast.levels],
      startsMs: [...slow.startsMs, ...fast.startsMs.map((ms) => ms + offset)],
      words: [...slow.words, ...fast.words],
    };
    const all = speech.words.reduce((sum, { weight, pause }) => sum + weight + pause, 0);
    let passed = 0;
    const byWeight = Float64Array.from(speech.words, ({ weight, pause }) => {
      const ms = (passed / all) * speech.levels.length * FRAME_MS;
      passed += weight + pause;
      return ms;
    });
    expect(furthest(byWeight, speech.startsMs)).toBeGreaterThan(350);
    expect(furthest(align(speech).startsMs, speech.startsMs)).toBeLessThan(150);
  });

  it('have a pause between them where no punctuation is, when the tempo leaves no other place', () => {
    const words = TURN.map((word, index) => (index === 8 ? { weight: 6, afterMs: 450 } : word));
    const speech = speak(words, GUESS_MS);
    expect(Math.abs(align(speech).startsMs[9]! - speech.startsMs[9]!)).toBeLessThanOrEqual(40);
  });

  it('are not torn by the silence of a stop consonant', () => {
    const speech = speak(
      TURN.map((word, index) => (index % 2 === 1 ? { ...word, closureMs: 110 } : word)),
      GUESS_MS,
    );
    expect(furthest(align(speech).startsMs, speech.startsMs)).toBeLessThan(140);
  });

  it('begin after the silence in front of them, however long it is, and a click in it is no word', () => {
    const speech = speak(TURN, GUESS_MS, 1500);
    speech.levels[framesIn(400)] = SPEECH;
    const { startsMs } = align(speech);
    expect(Math.abs(startsMs[0]! - 1500)).toBeLessThanOrEqual(40);
  });

  it('end before the silence behind them', () => {
    const speech = speak([...TURN.slice(0, -1), { weight: 6.5, pause: SENTENCE, afterMs: 2000 }], GUESS_MS);
    const { endsMs } = align(speech);
    expect(Math.abs(endsMs.at(-1)! - (speech.levels.length * FRAME_MS - 2000))).toBeLessThanOrEqual(20);
  });

  it('are known while they are spoken, and predicted from there', () => {
    const speech = speak(TURN, GUESS_MS, 100);
    const aligner = createPauseAligner(speech.words, GUESS_MS);
    const wrong = speech.levels.filter((level, frame) => {
      aligner.push({ cepstra: CEPSTRUM, level });
      const nowMs = (frame + 1) * FRAME_MS;
      const { startsMs, reached } = aligner.estimate();
      const begun = speech.startsMs.filter((ms) => ms < nowMs).length;
      const offMs = reached === 0 ? 0 : startsMs[reached - 1]! - speech.startsMs[reached - 1]!;
      return Math.abs(reached - begun) > 1 || Math.abs(offMs) > 300;
    });
    // Behind the comma that nobody pauses at it waits for a moment.
    expect(wrong.length / speech.levels.length).toBeLessThan(0.06);
  });

  it('wait in the silence between two sentences', () => {
    const speech = speak(TURN, GUESS_MS);
    const aligner = createPauseAligner(speech.words, GUESS_MS);
    const nowMs = speech.startsMs[6]! - 60;
    listen(aligner, speech.levels.slice(0, framesIn(nowMs)));
    const { startsMs, reached } = aligner.estimate();
    expect(reached).toBe(6);
    expect(startsMs[6]).toBeGreaterThanOrEqual(nowMs);
    expect(startsMs[6]! - nowMs).toBeLessThan(200);
  });

  it('do not begin while nothing is heard', () => {
    const aligner = createPauseAligner([{ weight: 5, pause: 0 }], GUESS_MS);
    listen(aligner, new Array<number>(framesIn(3000)).fill(SILENCE));
    const { startsMs, reached } = aligner.estimate();
    expect([reached, startsMs[0]]).toEqual([0, 3000]);
  });

  it('are in order and in the sound, whatever is heard, weighed or guessed', () => {
    const anything = fc.oneof(
      fc.double(),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -1, 1e300, 5e-324),
    );
    const likely = { arbitrary: fc.double({ min: 0, max: 20, noNaN: true }), weight: 9 };
    const stretch = fc.tuple(
      fc.oneof({ arbitrary: fc.constantFrom(SILENCE, SPEECH), weight: 9 }, anything),
      fc.oneof(fc.nat(12), fc.nat(90)),
    );
    fc.assert(
      fc.property(
        fc.array(fc.record({ weight: fc.oneof(likely, anything), pause: fc.oneof(likely, anything) }), {
          maxLength: 40,
        }),
        fc.oneof({ arbitrary: fc.double({ min: 20, max: 150, noNaN: true }), weight: 4 }, anything),
        fc.array(stretch, { maxLength: 30 }),
        (words, guessMs, stretches) => {
          const aligner = createPauseAligner(words, guessMs);
          let frames = 0;
          const look = (state: 'arriving' | 'over') => {
            const nowMs = frames * FRAME_MS;
            const { startsMs, endsMs, reached, withinMs } = aligner.estimate();
            expect([startsMs.length, endsMs.length]).toEqual([words.length, words.length]);
            expect(withinMs).toBeGreaterThanOrEqual(0);
            expect(withinMs).toBeLessThan(Number.POSITIVE_INFINITY);
            expect(reached).toBeGreaterThanOrEqual(state === 'over' ? words.length : 0);
            expect(reached).toBeLessThanOrEqual(words.length);
            let beforeMs = 0;
            startsMs.forEach((startMs, word) => {
              expect(startMs).toBeGreaterThanOrEqual(beforeMs);
              expect(endsMs[word]).toBeGreaterThanOrEqual(startMs);
              beforeMs = endsMs[word]!;
              if (word < reached) expect(startMs).toBeLessThanOrEqual(nowMs);
              else expect(startMs).toBeGreaterThanOrEqual(nowMs);
            });
            if (state === 'over') expect(beforeMs).toBeLessThanOrEqual(nowMs);
          };
          look('arriving');
          for (const [level, length] of stretches) {
            listen(aligner, new Array<number>(length).fill(level));
            frames += length;
            look('arriving');
          }
          aligner.end();
          look('over');
          const before = aligner.estimate();
          listen(aligner, [SPEECH, SILENCE]);
          aligner.end();
          expect(aligner.estimate()).toEqual(before);
        },
      ),
      { numRuns: 300 },
    );
  });
});
