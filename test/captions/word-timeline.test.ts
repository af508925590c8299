import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWordTimeline, type TimedWord } from '../../src/captions/word-timeline.ts';
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
    const timeline = createWordTimeline(10);
    timeline.addRequest([word('abc', 0, 3, 2), word('defgh', 4, 5)]);
    timeline.progress(0, 1000, 'complete');
    expect(times(timeline.take(1001))).toEqual([
      ['abc', 0, 300],
      ['defgh', 500, 1000],
    ]);
  });

  it('begins the first word of each request exactly where its audio begins', () => {
    const timeline = createWordTimeline(60);
    timeline.addRequest([word('one', 0), word('two', 4)]);
    expect(timeline.take(10)).toHaveLength(1);
    timeline.progress(0, 700.5, 'complete');
    timeline.addRequest([word('three', 8)]);
    timeline.progress(1, 100, 'arriving');
    expect(timeline.take(701).map(({ startMs }) => startMs)).toEqual([180, 700.5]);
  });

  it('keeps the words of a request that ends sooner than was thought, in order and inside it', () => {
    const timeline = createWordTimeline(100);
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

  it('says where a text has been spoken only when that is known', () => {
    const timeline = createWordTimeline(10);
    expect(timeline.endOf(0, 5)).toBeUndefined();
    timeline.addRequest([word('one', 2), word('two', 6)]);
    expect(timeline.endOf(0, 1)).toBe(0);
    expect(timeline.endOf(0, 5)).toBe(30);
    expect(timeline.endOf(0, 9)).toBeUndefined();
    timeline.progress(0, 90, 'complete');
    expect(timeline.endOf(0, 9)).toBe(90);
  });

  it('tells the last word that has begun', () => {
    const timeline = createWordTimeline(10);
    timeline.addRequest([word('one', 0), word('two', 4)]);
    expect(timeline.lastBegun(0)).toBeUndefined();
    expect(timeline.lastBegun(1)?.text).toBe('one');
    expect(timeline.lastBegun(30)?.text).toBe('one');
    expect(timeline.lastBegun(31)?.text).toBe('two');
    expect(timeline.lastBegun(Number.POSITIVE_INFINITY)?.text).toBe('two');
  });

  it('learns the pace of the voice from requests that are long enough to tell', () => {
    const timeline = createWordTimeline(60);
    timeline.addRequest([word('a', 0, 19)]);
    timeline.progress(0, 19_000, 'complete');
    expect(timeline.msPerWeight).toBe(60);
    timeline.addRequest([word('b', 2, 20)]);
    timeline.progress(1, 1000, 'complete');
    expect(timeline.msPerWeight).toBe(50);
  });

  it('bears requests without words or without sound, and progress of none', () => {
    const timeline = createWordTimeline(60);
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
        const timeline = createWordTimeline(guess);
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
});
