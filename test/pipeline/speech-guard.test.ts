import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CleanEnd,
  type Doubt,
  doubtOf,
  longestAudioMs,
  stallLimitMs,
} from '../../src/pipeline/speech-guard.ts';
import { countLetters, createSpeechPace, type SpeechPace } from '../../src/pipeline/speech-pace.ts';
import { createSpeechUpkeep } from '../../src/pipeline/speech-upkeep.ts';

describe('the limit of a stall', () => {
  it('leaves the listener 0.3 s, between half a second and two', () => {
    expect([0, 700, 800, 1300, 2300, 9000].map((ms) => stallLimitMs(ms, 0, 1))).toEqual([
      500, 500, 500, 1000, 2000, 2000,
    ]);
  });

  it('is the longest before the first frame, and longer after each stall', () => {
    expect([0, 1, 2, 3].map((stalls) => stallLimitMs(0, stalls, 0))).toEqual([2000, 4000, 8000, 8000]);
    expect([0, 1, 2, 3].map((stalls) => stallLimitMs(0, stalls, 9))).toEqual([500, 2000, 8000, 8000]);
  });

  it('is never longer than the program allows', () => {
    const { stallLimitMs: limitMs } = createSpeechUpkeep({ mostStallMs: 700 });
    expect([0, 1, 2].map((stalls) => limitMs(0, stalls, 9))).toEqual([500, 700, 700]);
  });
});

describe('the longest audio', () => {
  it('is half a minute for a word, four times the slowest for a text, twenty minutes for all but the longest', () => {
    expect(longestAudioMs(2, 6)).toBe(30_000);
    expect(longestAudioMs(600, 6)).toBe(400_000);
    expect(longestAudioMs(4000, 6)).toBe(1_200_000);
    // 20,000 characters rightly take longer.
    expect(longestAudioMs(18_000, 6)).toBe(4_500_000);
  });

  it('is always a time, and grows with the text', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 20_000 }),
        fc.nat({ max: 500 }),
        fc.double({ min: 0.2, max: 120, noNaN: true }),
        (n, more, pace) => {
          const ms = longestAudioMs(n, pace);
          expect(ms).toBeGreaterThanOrEqual(30_000);
          expect(longestAudioMs(n + more, pace)).toBeGreaterThanOrEqual(ms);
        },
      ),
    );
  });
});

describe('doubt', () => {
  const sound: CleanEnd = {
    cutFrameBytes: 0,
    missingMs: 0,
    longestMs: 30_000,
    audioMs: 4000,
    characters: 60,
    charactersPerSecond: 15,
  };

  it('is cast by half a frame, by frames that were promised, and by half the time that the text takes', () => {
    expect(doubtOf(sound)).toBeUndefined();
    expect(doubtOf({ ...sound, cutFrameBytes: 1 })).toBe('cut-frame');
    expect(doubtOf({ ...sound, missingMs: 48 })).toBe('frames-missing');
    expect(doubtOf({ ...sound, audioMs: 1999 })).toBe('too-short');
  });

  it('is not cast by a promise of more than the text can take, nor on a short text', () => {
    expect(doubtOf({ ...sound, missingMs: 26_000 })).toBe('frames-missing');
    expect(doubtOf({ ...sound, missingMs: 26_001 })).toBeUndefined();
    expect(doubtOf({ ...sound, characters: 19, audioMs: 24 })).toBeUndefined();
  });
});

describe('the pace of a voice', () => {
  const english = { voice: 'a', text: 'Some text.', speed: 1 };

  it('is the fastest that there is until it is known, then nears what was heard', () => {
    const pace = createSpeechPace();
    expect([pace.fastest(english), pace.slowest(english)]).toEqual([25, 6]);
    for (let body = 0; body < 30; body += 1) pace.learn(english, 140, 10_000);
    expect(pace.fastest(english)).toBeCloseTo(14, 1);
    expect(pace.slowest(english)).toBe(6);
    for (const other of [
      { ...english, voice: 'b' },
      { ...english, text: '一些文字' },
    ])
      expect(pace.fastest(other)).not.toBeCloseTo(14, 1);
  });

  it('follows the speed that was asked for, and another kind of script', () => {
    const pace = createSpeechPace();
    expect([pace.fastest({ ...english, speed: 2 }), pace.slowest({ ...english, speed: 0.5 })]).toEqual([
      50, 3,
    ]);
    expect(pace.fastest({ ...english, text: '今日は' })).toBeLessThan(25);
  });

  it('learns nothing from a few letters', () => {
    const pace = createSpeechPace();
    pace.learn(english, 5, 60_000);
    expect(pace.fastest(english)).toBe(25);
  });

  it('forgets the voices that were not used for longest', () => {
    const pace = createSpeechPace();
    for (let voice = 0; voice < 600; voice += 1) pace.learn({ ...english, voice: `${voice}` }, 100, 10_000);
    expect(pace.fastest({ ...english, voice: '0' })).toBe(25);
    expect(pace.fastest({ ...english, voice: '599' })).toBeLessThan(25);
  });

  const alike = (pace: SpeechPace, doubt: Doubt, ...texts: readonly string[]) => {
    for (const text of texts) pace.endedAlike({ ...english, text }, doubt);
    return pace.isBelieved(english, doubt);
  };

  it('believes an end that three texts in a row had, and only for the voice that ends so', () => {
    const pace = createSpeechPace();
    expect(alike(pace, 'cut-frame', 'One.', 'Two.')).toBe(false);
    expect(alike(pace, 'cut-frame', 'Three.')).toBe(true);
    expect(pace.isBelieved(english, 'too-short')).toBe(false);
    expect(pace.isBelieved({ ...english, voice: 'b' }, 'cut-frame')).toBe(false);
    expect(pace.isBelieved({ ...english, speed: 2 }, 'cut-frame')).toBe(false);
    expect(pace.isBelieved({ ...english, language: 'german' }, 'cut-frame')).toBe(false);
  });

  it('does not believe it for one text thrice, for ends of two kinds, nor when one was whole between', () => {
    expect(alike(createSpeechPace(), 'too-short', 'One.', 'One.', 'One.')).toBe(false);
    const mixed = createSpeechPace();
    alike(mixed, 'too-short', 'One.', 'Two.');
    expect(alike(mixed, 'cut-frame', 'Three.')).toBe(false);
    expect(alike(mixed, 'too-short', 'Four.', 'Five.')).toBe(false);
    const broken = createSpeechPace();
    alike(broken, 'too-short', 'One.', 'Two.');
    broken.undoubted(english);
    expect(alike(broken, 'too-short', 'Three.', 'Four.')).toBe(false);
    expect(alike(broken, 'too-short', 'Five.')).toBe(true);
    broken.undoubted(english);
    expect(broken.isBelieved(english, 'too-short')).toBe(true);
  });

  it('counts what is spoken, not what is written around it', () => {
    expect(countLetters('«Well…», she said: 3 × 4! 👍')).toBe(13);
  });
});
