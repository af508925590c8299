import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WordEstimate } from '../../../src/captions/alignment/word-estimate.ts';
import { type TimedWord, WordTimeline } from '../../../src/captions/word-timeline.ts';
import type { SpokenWord } from '../../../src/speech/spoken-word.ts';

const MS_PER_WEIGHT = 10;

const word = (text: string, charStart: number): SpokenWord => ({
  text,
  line: 0,
  speaker: undefined,
  charStart,
  charEnd: charStart + text.length,
  weight: 20,
  pause: 0,
});

/** Three words by whose letters each takes 200 ms, in audio that is still arriving. */
function openTimeline(pauseMs = 0) {
  const timeline = new WordTimeline(MS_PER_WEIGHT);
  timeline.addRequest([word('one', 0), word('two', 4), word('tri', 8)], pauseMs);
  timeline.progress(0, 2000, 'arriving');
  return timeline;
}

/** Words that last until the next one, as little doubted as any. */
const found = (startsMs: readonly number[], more: Partial<WordEstimate> = {}): WordEstimate => ({
  startsMs,
  endsMs: startsMs.map((ms, w) => startsMs[w + 1] ?? ms + 100),
  reached: startsMs.length,
  withinMs: 10,
  ...more,
});

/** When the next word is given out, to the millisecond. */
function nextAt(timeline: ReturnType<typeof openTimeline>): [string, number] {
  for (let ms = 0; ; ms += 1) {
    const [given] = timeline.take(ms + 0.1);
    if (given !== undefined) return [given.text, ms];
  }
}

describe('word doubt', () => {
  it('is of each word what the search is unsure by there', () => {
    const timeline = openTimeline();
    timeline.align(0, found([500, 700, 900], { reached: 2, unsure: { from: 1, withinMs: 700 } }));
    expect(timeline.words().map(({ withinMs }) => withinMs)).toEqual([10, 700, 700]);
    timeline.align(0, found([500, 700, 900], { reached: 2 }));
    expect(timeline.words().map(({ withinMs }) => withinMs)).toEqual([10, 10, 250]);
  });

  it('takes the first sound for what the first word may be, wherever that was found', () => {
    for (const reached of [0, 3]) {
      const timeline = openTimeline();
      timeline.align(0, found([500, 700, 900], { reached, soundMs: 220 }));
      expect(nextAt(timeline)).toEqual(['one', 220]);
    }
  });

  it('counts the first sound from where its request begins', () => {
    const timeline = openTimeline(300);
    timeline.align(0, found([500, 700, 900], { soundMs: 220 }));
    expect(nextAt(timeline)).toEqual(['one', 520]);
  });

  it('waits for a word that begins before the sound is told', () => {
    const timeline = openTimeline();
    timeline.align(0, found([500, 700, 900]));
    expect(nextAt(timeline)).toEqual(['one', 490]);
  });

  it('gives the second word out as if the first one were the first sound', () => {
    const timeline = openTimeline();
    timeline.align(0, found([400, 560, 900], { soundMs: 220, usualMs: [100, 100] }));
    expect(nextAt(timeline)).toEqual(['one', 220]);
    expect(nextAt(timeline)).toEqual(['two', 380]);
    // And the third one when both have lasted for as long as is likely.
    expect(nextAt(timeline)).toEqual(['tri', 570]);
  });

  it('gives a word out when the one in front of it has lasted for longer than the reference makes likely', () => {
    const timeline = openTimeline();
    timeline.align(0, found([0, 300, 600], { usualMs: [80, 120] }));
    expect(nextAt(timeline)).toEqual(['one', 0]);
    expect(nextAt(timeline)).toEqual(['two', 140]);
    expect(nextAt(timeline)).toEqual(['tri', 350]);
  });

  it('looks no further back than to the second word in front', () => {
    const timeline = new WordTimeline(MS_PER_WEIGHT);
    timeline.addRequest([word('one', 0), word('two', 4), word('tri', 8), word('for', 12)]);
    timeline.progress(0, 2000, 'arriving');
    timeline.align(0, found([0, 700, 800, 900], { usualMs: [80, 80, 80] }));
    timeline.take(690);
    expect(nextAt(timeline)).toEqual(['for', 890]);
  });

  it('goes by the letters where the reference takes no time or longer', () => {
    const timeline = openTimeline();
    timeline.align(0, found([0, 550, 1200], { usualMs: [0, 2000] }));
    expect(nextAt(timeline)).toEqual(['one', 0]);
    expect(nextAt(timeline)).toEqual(['two', 400]);
    expect(nextAt(timeline)).toEqual(['tri', 800]);
  });

  it('gives out words that were not heard yet when the one that was heard in front of them drawls', () => {
    const timeline = openTimeline();
    timeline.align(0, found([0, 900, 1300], { reached: 1, usualMs: [80, 120] }));
    expect(nextAt(timeline)).toEqual(['one', 0]);
    expect(nextAt(timeline)).toEqual(['two', 140]);
    expect(nextAt(timeline)).toEqual(['tri', 350]);
  });

  it('tells such a word for when it may begin, and one that was heard for where it was found', () => {
    const startOfSecond = (reached: number) => {
      const timeline = openTimeline();
      timeline.align(0, found([0, 900, 1300], { reached, usualMs: [80, 120] }));
      return timeline.take(150)[1]?.startMs;
    };
    expect([startOfSecond(1), startOfSecond(3)]).toEqual([140, 900]);
  });

  it('lets a word that was not heard yet wait for its time behind one that lasts as it should', () => {
    const timeline = openTimeline();
    timeline.align(0, found([0, 200, 320], { reached: 1, usualMs: [200, 120] }));
    expect(nextAt(timeline)).toEqual(['one', 0]);
    expect(nextAt(timeline)).toEqual(['two', 200]);
  });

  it('gives out the second word though the first is still awaited, when there is sound', () => {
    const timeline = openTimeline();
    timeline.align(0, found([900, 1010, 1100], { reached: 0, soundMs: 300, usualMs: [110, 200] }));
    expect(nextAt(timeline)).toEqual(['one', 300]);
    // It was found later, but the first one lasts no longer than 1.75 times 110 ms.
    expect(nextAt(timeline)).toEqual(['two', 493]);
  });

  it('gives out a word in time that follows a weak one which the search takes for a part of a rest', () => {
    const timeline = openTimeline();
    const usualMs = [90, 310];
    timeline.align(0, found([240, 394, 726], { reached: 1, soundMs: 240, usualMs, withinMs: 94 }));
    expect(nextAt(timeline)).toEqual(['one', 180]);
    for (const nowMs of [480, 560, 680])
      timeline.align(0, found([400, nowMs + 80, nowMs + 320], { reached: 1, soundMs: 240, usualMs }));
    timeline.align(0, found([400, 671, 1060], { reached: 2, soundMs: 240, usualMs, withinMs: 94 }));
    // It begins at 304, and what is sent is heard 200 ms later.
    expect(nextAt(timeline)[1]).toBeLessThan(504);
  });

  it('tells a word that goes out sooner than it was found with its own length, and no surer than it was moved', () => {
    const timeline = openTimeline();
    timeline.align(0, found([900, 1010, 1100], { reached: 0, soundMs: 300, usualMs: [110, 200] }));
    const [one] = timeline.take(301);
    expect(one).toMatchObject({ text: 'one', startMs: 300, endMs: 410, withinMs: 600 });
  });

  describe('when a word has surely begun', () => {
    /** `startsMs` of three words: when the second one has begun. */
    const begunAt = (startsMs: readonly number[], more: Partial<WordEstimate>) => {
      const timeline = openTimeline();
      timeline.align(0, found(startsMs, more));
      for (let ms = startsMs[1]!; ; ms += 1) if (timeline.lastBegun(ms + 0.1)?.text !== 'one') return ms;
    };

    it('is when its usual time is left until the next one, where it lasts too long', () => {
      expect(begunAt([0, 200, 650], { withinMs: 64, usualMs: [200, 100] })).toBe(540);
      // By its letters it takes 200 ms.
      expect(begunAt([0, 200, 650], { withinMs: 64, usualMs: [200, 400] })).toBe(430);
      // And no longer than is likely here.
      expect(begunAt([0, 200, 550], { withinMs: 64, usualMs: [200, 400] })).toBe(328);
    });

    it('leaves room for the next one to be sooner', () => {
      expect(begunAt([0, 200, 600], { withinMs: 150, usualMs: [200, 40] })).toBe(450);
    });

    it('is hardly later where it was found exactly, and not much later than anybody rests in mid-sentence', () => {
      expect(begunAt([0, 200, 650], { withinMs: 16, usualMs: [200, 100] })).toBe(296);
      expect(begunAt([0, 200, 1900], { withinMs: 600, usualMs: [200, 100] })).toBe(880);
      expect(begunAt([0, 200, 1900], { withinMs: 90, usualMs: [200, 100] })).toBe(600);
    });

    it('does not wait for a next one that was only predicted', () => {
      expect(begunAt([0, 200, 650], { withinMs: 64, usualMs: [200, 100], reached: 2 })).toBe(328);
    });

    it('takes the rest between requests for none of the last word of one', () => {
      const timeline = openTimeline();
      timeline.align(0, found([0, 200, 400], { withinMs: 64 }));
      timeline.progress(0, 500, 'complete');
      timeline.addRequest([word('for', 12)], 1000);
      const begun = [449, 451].map((ms) => timeline.lastBegun(ms)?.text);
      expect(begun).toEqual(['two', 'tri']);
    });
  });

  it('gives every word out once, in order and never behind its place, whatever is known', () => {
    const step = fc.record({
      gaps: fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 3, maxLength: 3 }),
      reached: fc.integer({ min: 0, max: 3 }),
      soundMs: fc.option(fc.integer({ min: 0, max: 900 }), { nil: undefined }),
      usualMs: fc.option(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 3 }), { nil: undefined }),
      takenMs: fc.integer({ min: 1, max: 600 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const timeline = openTimeline();
        const given: TimedWord[] = [];
        let sentMs = 0;
        for (const { gaps, takenMs, ...more } of steps) {
          let at = 0;
          timeline.align(
            0,
            found(
              gaps.map((gap) => (at += gap)),
              more,
            ),
          );
          sentMs += takenMs;
          const taken = timeline.take(sentMs);
          taken.slice(1).forEach(({ startMs }, w) => {
            expect(taken[w]!.endMs).toBeLessThanOrEqual(startMs);
          });
          given.push(...taken);
          const waiting = timeline.words()[given.length];
          if (waiting !== undefined) expect(waiting.startMs).toBeGreaterThanOrEqual(sentMs);
        }
        given.push(...timeline.take(Number.POSITIVE_INFINITY));
        expect(given.map(({ text }) => text)).toEqual(['one', 'two', 'tri']);
        expect(given.map(({ startMs }) => startMs)).toEqual(
          given.map(({ startMs }) => startMs).sort((a, b) => a - b),
        );
      }),
    );
  });
});
