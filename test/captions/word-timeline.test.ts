import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WordEstimate } from '../../src/captions/alignment/word-estimate.ts';
import { type TimedWord, WordTimeline } from '../../src/captions/word-timeline.ts';
import type { SpokenWord } from '../../src/speech/spoken-word.ts';

const word = (text: string, charStart: number, weight = text.length, pause = 0): SpokenWord => ({
  text,
  line: 0,
  speaker: undefined,
  charStart,
  charEnd: charStart + text.length,
  weight,
  pause,
});
const times = (words: readonly TimedWord[]) =>
  words.map(({ text, startMs, endMs }) => [text, startMs, endMs]);

describe('word timeline', () => {
  it('spreads words by weight, the pause behind a word not counted as its own', () => {
    const timeline = new WordTimeline(10);
    timeline.addRequest([word('abc', 0, 3, 2), word('defgh', 4, 5)]);
    timeline.progress(0, 1000, 'complete');
    expect(times(timeline.take(1001))).toEqual([
      ['abc', 0, 300],
      ['defgh', 500, 1000],
    ]);
  });

  it('begins the first word of each request exactly where its audio begins', () => {
    const timeline = new WordTimeline(60);
    timeline.addRequest([word('one', 0), word('two', 4)]);
    expect(timeline.take(10)).toHaveLength(1);
    timeline.progress(0, 700.5, 'complete');
    timeline.addRequest([word('three', 8)]);
    timeline.progress(1, 100, 'arriving');
    expect(timeline.take(701).map(({ startMs }) => startMs)).toEqual([180, 700.5]);
  });

  it('gives out once what another request says again that was cut within it', () => {
    const timeline = new WordTimeline(100);
    const [one, two, three] = [word('abcde', 0), word('fghij', 6), word('klmno', 12)];
    timeline.addRequest([one, two, three]);
    timeline.progress(0, 900, 'arriving');
    const other = timeline.reader();
    expect(timeline.take(700).map(({ text }) => text)).toEqual(['abcde', 'fghij']);
    expect(other.read(700)).toHaveLength(2);
    timeline.cutLast(1);
    expect(other.again(1).map(({ text }) => text)).toEqual(['abcde']);
    timeline.progress(0, 720, 'complete');
    timeline.addRequest([two, three]);
    timeline.progress(1, 300, 'arriving');
    expect(timeline.lastBegun(719)?.text).toBe('abcde');
    expect(timeline.lastBegun(721)?.text).toBe('fghij');
    timeline.progress(1, 1000, 'complete');
    for (const told of [timeline.take(3000), other.read(3000)])
      expect(times(told)).toEqual([['klmno', 1220, 1720]]);
    expect(times(timeline.words())).toEqual([
      ['abcde', 0, 720],
      ['fghij', 720, 1220],
      ['klmno', 1220, 1720],
    ]);
  });

  it('keeps the words of a request that ends sooner than was thought, in order and inside it', () => {
    const timeline = new WordTimeline(100);
    timeline.addRequest([word('a', 0, 20), word('b', 2, 1), word('c', 4, 1)]);
    expect(times(timeline.take(500))).toEqual([['a', 0, 2000]]);
    timeline.progress(0, 1000, 'complete');
    timeline.addRequest([word('d', 6, 5)]);
    const rest = timeline.take(1400);
    expect(times(rest).map(([text, start]) => [text, start])).toEqual([
      ['b', 500],
      ['c', 750],
      ['d', 1000],
    ]);
  });

  it('spreads words that were told too early over their own request in the final list', () => {
    const timeline = new WordTimeline(100);
    for (const request of [0, 1, 2])
      timeline.addRequest([word('a', 4 * request, 2), word('b', 4 * request + 2, 2)]);
    timeline.take(Number.POSITIVE_INFINITY);
    for (const request of [0, 1, 2]) timeline.progress(request, 4000 + 1000 * request, 'complete');
    expect(times(timeline.words())).toEqual([
      ['a', 0, 2000],
      ['b', 2000, 4000],
      ['a', 4000, 6500],
      ['b', 6500, 9000],
      ['a', 9000, 12_000],
      ['b', 12_000, 15_000],
    ]);
  });

  it('says where a text has been spoken only when that is known', () => {
    const timeline = new WordTimeline(10);
    expect(timeline.endOf(0, 5)).toBeUndefined();
    timeline.addRequest([word('one', 2), word('two', 6)]);
    expect(timeline.endOf(0, 1)).toBe(0);
    expect(timeline.endOf(0, 5)).toBe(30);
    expect(timeline.endOf(0, 9)).toBeUndefined();
    timeline.progress(0, 90, 'complete');
    expect(timeline.endOf(0, 9)).toBe(90);
  });

  it('tells the last word that has begun', () => {
    const timeline = new WordTimeline(10);
    timeline.addRequest([word('one', 0), word('two', 4)]);
    expect(timeline.lastBegun(31)).toBeUndefined(); // nothing of it has come
    timeline.progress(0, 1, 'arriving');
    expect(timeline.lastBegun(0)).toBeUndefined();
    expect(timeline.lastBegun(1)?.text).toBe('one');
    expect(timeline.lastBegun(30)?.text).toBe('one');
    expect(timeline.lastBegun(31)?.text).toBe('two');
    expect(timeline.lastBegun(Number.POSITIVE_INFINITY)?.text).toBe('two');
  });

  it('learns the pace of the voice from requests that are long enough to tell', () => {
    const timeline = new WordTimeline(60);
    timeline.addRequest([word('a', 0, 19)]);
    timeline.progress(0, 19_000, 'complete');
    expect(timeline.msPerWeight()).toBe(60);
    timeline.addRequest([word('b', 2, 20)]);
    timeline.progress(1, 1000, 'complete');
    expect(timeline.msPerWeight()).toBe(50);
  });

  it('bears requests without words or without sound, and progress of none', () => {
    const timeline = new WordTimeline(60);
    timeline.progress(0, 100, 'complete');
    timeline.addRequest([]);
    timeline.progress(0, 500, 'complete');
    timeline.progress(0, 900, 'complete');
    timeline.addRequest([word('a', 0)]);
    timeline.progress(1, 0, 'complete');
    timeline.addRequest([word('b', 2)]);
    expect(times(timeline.take(501)).map(([text, start]) => [text, start])).toEqual([
      ['a', 500],
      ['b', 500],
    ]);
  });

  /** Times are sums of fractions. */
  const ROUNDING_MS = 1e-6;
  const requests = fc.array(
    fc.record({
      weights: fc.array(
        fc.record({ weight: fc.integer({ min: 0, max: 30 }), pause: fc.integer({ min: 0, max: 5 }) }),
        {
          maxLength: 8,
        },
      ),
      lengthMs: fc.double({ min: 0, max: 3000, noNaN: true }),
      /** Shares of the length at which more is known, and how much of that is sent each time. */
      steps: fc.array(
        fc.record({
          share: fc.double({ min: 0, max: 1, noNaN: true }),
          sent: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        {
          maxLength: 5,
        },
      ),
    }),
    { maxLength: 5 },
  );

  it('gives every word once, in order, in time, and inside its request, however audio and sending interleave', () => {
    fc.assert(
      fc.property(requests, fc.double({ min: 1, max: 200, noNaN: true }), (plan, guess) => {
        const timeline = new WordTimeline(guess);
        const given: TimedWord[] = [];
        let baseMs = 0;
        let sentMs = 0;
        let lastMs = 0;
        let at = 0;
        const ranges: { from: number; to: number; baseMs: number; endMs: number }[] = [];
        const take = (untilMs: number) => {
          for (const each of timeline.take(untilMs)) {
            expect(each.startMs).toBeGreaterThanOrEqual(lastMs - ROUNDING_MS);
            expect(each.endMs).toBeGreaterThanOrEqual(each.startMs - ROUNDING_MS);
            // It is told before its audio is sent.
            expect(each.startMs).toBeGreaterThanOrEqual(sentMs - ROUNDING_MS);
            lastMs = each.startMs;
            given.push(each);
          }
          sentMs = Math.max(sentMs, untilMs);
        };
        for (const [index, { weights, lengthMs, steps }] of plan.entries()) {
          const words = weights.map(({ weight, pause }, w) => word('w', at + w, weight, pause));
          ranges.push({ from: at, to: at + words.length, baseMs, endMs: baseMs + lengthMs });
          at += words.length;
          timeline.addRequest(words);
          let known = 0;
          for (const { share, sent } of steps) {
            known = Math.max(known, share * lengthMs);
            timeline.progress(index, known, 'arriving');
            take(sentMs + sent * (baseMs + known - sentMs));
          }
          timeline.progress(index, lengthMs, 'complete');
          baseMs += lengthMs;
        }
        take(baseMs + 1);
        expect(given.map(({ charStart }) => charStart)).toEqual(Array.from({ length: at }, (_, w) => w));
        for (const { from, to, baseMs: firstMs, endMs } of ranges) {
          const mine = given.slice(from, to);
          for (const { startMs } of mine) {
            expect(startMs).toBeGreaterThanOrEqual(firstMs - ROUNDING_MS);
            expect(startMs).toBeLessThanOrEqual(endMs + ROUNDING_MS);
          }
          if (mine.length > 0) expect(Math.abs(mine[0]!.startMs - firstMs)).toBeLessThanOrEqual(ROUNDING_MS);
        }
      }),
      { numRuns: 500 },
    );
  });

  describe('with estimates', () => {
    const estimate = (
      startsMs: readonly number[],
      withinMs: number,
      endsMs?: readonly number[],
    ): WordEstimate => ({
      startsMs,
      endsMs: endsMs ?? startsMs.map((ms, w) => startsMs[w + 1] ?? ms + 100),
      reached: startsMs.length,
      withinMs,
    });
    const three = () => {
      const timeline = new WordTimeline(10);
      timeline.addRequest([word('one', 0, 20), word('two', 4, 20), word('tri', 8, 20)]);
      timeline.progress(0, 600, 'complete');
      return timeline;
    };

    it('puts words where they were heard, with the pauses behind them and how sure that is', () => {
      const timeline = three();
      expect(timeline.take(1)[0]).toMatchObject({ startMs: 0, withinMs: undefined });
      timeline.align(0, estimate([20, 150, 500], 30, [120, 300, 580]));
      expect(timeline.words().map(({ startMs, endMs, withinMs }) => [startMs, endMs, withinMs])).toEqual([
        [20, 120, 30],
        [150, 300, 30],
        [500, 580, 30],
      ]);
      expect(times(timeline.take(601))).toEqual([
        ['two', 150, 300],
        ['tri', 500, 580],
      ]);
    });

    it('gives a word out so much before it may begin, and no more than 60 ms', () => {
      const timeline = three();
      timeline.align(0, estimate([0, 200, 400], 30));
      expect(times(timeline.take(170)).map(([text]) => text)).toEqual(['one']);
      expect(times(timeline.take(170.1)).map(([text]) => text)).toEqual(['two']);
      timeline.align(0, estimate([0, 200, 400], 700));
      expect(timeline.take(340)).toEqual([]);
      expect(timeline.take(340.1)).toHaveLength(1);
    });

    it('gives a word out when the rests in front of it may be speech that nobody knows of', () => {
      const timeline = three();
      timeline.align(0, estimate([0, 400, 500], 10, [100, 480, 600]));
      expect(times(timeline.take(100))).toEqual([['one', 0, 100]]);
      expect(times(timeline.take(100.1))).toEqual([['two', 400, 480]]);
      // One rest back, and no further: the word in front, of 80 ms, may have come where the rest begins.
      expect(timeline.take(180)).toEqual([]);
      expect(times(timeline.take(180.1))).toEqual([['tri', 500, 600]]);
    });

    it('gives a word out when the one in front of it has lasted for twice its letters', () => {
      const timeline = three();
      timeline.align(0, estimate([0, 550, 580], 10));
      expect(timeline.take(400)).toHaveLength(1);
      expect(times(timeline.take(400.1)).map(([text]) => text)).toEqual(['two']);
    });

    it('moves by a correction only what was not taken, and never before what was', () => {
      const timeline = three();
      timeline.align(0, estimate([0, 200, 400], 10));
      expect(times(timeline.take(250)).map(([, startMs]) => startMs)).toEqual([0, 200]);
      timeline.align(0, estimate([0, 100, 150], 10));
      // What is known in the end is told where the best is asked for.
      expect(timeline.words().map(({ startMs }) => startMs)).toEqual([0, 100, 150]);
      expect(times(timeline.take(601)).map(([, startMs]) => startMs)).toEqual([200]);
    });

    it('tells the best place where a text ends', () => {
      const timeline = three();
      timeline.align(0, estimate([0, 200, 400], 10, [90, 390, 580]));
      expect(timeline.endOf(0, 7)).toBe(390);
      expect(timeline.endOf(0, 11)).toBe(600);
    });

    it('says that a word has begun when it surely has, and before the next one does', () => {
      const timeline = three();
      const begunAt = (withinMs: number) => {
        timeline.align(0, estimate([0, 200, 400], withinMs));
        return [232, 280, 300].filter(
          (ms) => timeline.lastBegun(ms)?.text === 'one' && timeline.lastBegun(ms + 0.1)?.text === 'two',
        );
      };
      expect(begunAt(16)).toEqual([232]);
      expect(begunAt(40)).toEqual([280]);
      expect(begunAt(500)).toEqual([300]);
      expect(timeline.lastBegun(Number.POSITIVE_INFINITY)?.text).toBe('tri');
    });

    it('says of a short word in front of an unannounced rest that it may be behind it', () => {
      const timeline = three();
      timeline.align(0, estimate([0, 200, 500], 64, [200, 250, 600]));
      expect(timeline.lastBegun(319)?.text).toBe('one');
      expect(timeline.lastBegun(321)?.text).toBe('two');
    });

    it('keeps an estimate inside its request, and leaves the next one where it begins', () => {
      const timeline = three();
      timeline.addRequest([word('for', 12, 20), word('fiv', 16, 20)]);
      timeline.progress(1, 400, 'complete');
      timeline.align(0, estimate([-5, 650, 9000], 10, [10, 20, 9900]));
      expect(timeline.words().map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
        [0, 10],
        [600, 600],
        [600, 600],
        [600, 800],
        [800, 1000],
      ]);
      timeline.align(9, estimate([0], 10));
      timeline.align(1, estimate([50, 300], 20));
      expect(timeline.words().map(({ withinMs }) => withinMs)).toEqual([10, 10, 10, 20, 20]);
      expect(timeline.words()[3]!.startMs).toBe(650);
    });

    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('request' as const), words: fc.integer({ min: 0, max: 5 }) }),
        fc.record({ kind: fc.constant('audio' as const), ms: fc.integer({ min: 0, max: 900 }) }),
        fc.record({ kind: fc.constant('complete' as const) }),
        fc.record({
          kind: fc.constant('align' as const),
          of: fc.nat(5),
          gaps: fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 5, maxLength: 5 }),
          withinMs: fc.integer({ min: 1, max: 800 }),
        }),
        fc.record({ kind: fc.constant('take' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
      ),
      { maxLength: 40 },
    );

    it('takes every word once and in order, and doubts what may not have begun, however estimates come', () => {
      fc.assert(
        fc.property(steps, (plan) => {
          const timeline = new WordTimeline(50);
          const sizes: number[] = [];
          const known: number[] = [];
          const estimates: (WordEstimate | undefined)[] = [];
          const given: TimedWord[] = [];
          let isOpen = false;
          let sentMs = 0;
          const complete = () => {
            if (isOpen) timeline.progress(sizes.length - 1, known.at(-1)!, 'complete');
            isOpen = false;
          };
          const take = (untilMs: number) => {
            for (const each of timeline.take(untilMs)) {
              expect(each.startMs).toBeGreaterThanOrEqual((given.at(-1)?.startMs ?? 0) - ROUNDING_MS);
              expect(each.endMs).toBeGreaterThanOrEqual(each.startMs - ROUNDING_MS);
              given.push(each);
            }
          };
          for (const step of plan) {
            if (step.kind === 'request') {
              complete();
              const first = sizes.reduce((sum, size) => sum + size, 0);
              timeline.addRequest(
                Array.from({ length: step.words }, (_, w) => word('w', first + w, 6, w % 3)),
              );
              sizes.push(step.words);
              known.push(0);
              estimates.push(undefined);
              isOpen = true;
            } else if (step.kind === 'audio' && isOpen) {
              known.push(known.pop()! + step.ms);
              timeline.progress(sizes.length - 1, known.at(-1)!, 'arriving');
            } else if (step.kind === 'complete') complete();
            else if (step.kind === 'align' && step.of < sizes.length) {
              let at = 0;
              const startsMs = step.gaps.slice(0, sizes[step.of]).map((gap) => (at += gap));
              estimates[step.of] = estimate(startsMs, step.withinMs);
              timeline.align(step.of, estimates[step.of]!);
            } else if (step.kind === 'take') {
              const totalMs = known.reduce((sum, ms) => sum + ms, 0);
              sentMs = Math.max(sentMs, step.share * totalMs);
              const before = timeline.words().map(({ startMs }) => startMs);
              take(sentMs);
              // Taking moves nothing that is known.
              expect(timeline.words().map(({ startMs }) => startMs)).toEqual(before);
            }
            const best = timeline.words();
            for (const [w, { startMs, endMs }] of best.entries()) {
              expect(startMs).toBeGreaterThanOrEqual((best[w - 1]?.startMs ?? 0) - ROUNDING_MS);
              expect(endMs).toBeGreaterThanOrEqual(startMs - ROUNDING_MS);
            }
            for (const atMs of [0, sentMs, sentMs / 2]) {
              const begun = timeline.lastBegun(atMs);
              if (begun === undefined) continue;
              const { startMs, withinMs = 0 } = best[begun.charStart]!;
              expect(startMs + Math.min(withinMs, 60)).toBeLessThan(atMs);
            }
          }
          complete();
          take(Number.POSITIVE_INFINITY);
          expect(given.map(({ charStart }) => charStart)).toEqual(
            Array.from({ length: sizes.reduce((sum, size) => sum + size, 0) }, (_, w) => w),
          );
          // Each knows how sure it is exactly when its request was heard, once all of them are known.
          const last = timeline.words();
          let first = 0;
          for (const [index, size] of sizes.entries()) {
            for (const { withinMs } of last.slice(first, first + size))
              expect(withinMs).toBe(estimates[index]?.withinMs);
            first += size;
          }
        }),
        { numRuns: 300 },
      );
    });
  });
});
