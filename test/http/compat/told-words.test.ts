import { describe, expect, it } from 'vitest';
import type { TimedWord } from '../../../src/captions/word-timeline.ts';
import { createToldWords } from '../../../src/http/compat/told-words.ts';

const word = (text: string, startMs: number, withinMs?: number): TimedWord => ({
  text,
  line: 0,
  speaker: undefined,
  charStart: 0,
  charEnd: text.length,
  weight: 1,
  pause: 0,
  startMs,
  endMs: startMs + 300,
  withinMs,
});

describe('the words of a speech', () => {
  const speech = { ms: 0, audioMs: () => speech.ms, words: (): readonly TimedWord[] => known };
  let known: readonly TimedWord[] = [];
  const namesOf = (words: readonly TimedWord[]) => words.map(({ text }) => text).join(' ');

  it('are told when they were heard in audio that has been sent, once and in order', () => {
    const told = createToldWords(speech);
    known = [word('one', 0, 60), word('two', 400, 60), word('three', 900, 250), word('four', 1400)];
    speech.ms = 600;
    expect(namesOf(told.next())).toBe('');
    speech.ms = 1000;
    expect(namesOf(told.next())).toBe('one two');
    known = known.map((one) => ({ ...one, withinMs: 60 }));
    speech.ms = 1900;
    expect(namesOf(told.next())).toBe('');
    speech.ms = 2000;
    expect(namesOf(told.next())).toBe('three four');
    expect(told.rest()).toEqual([]);
  });

  it('are told as well as is known when much audio is behind them, and all of them in the end', () => {
    const told = createToldWords(speech);
    known = [word('one', 0), word('two', 3000), word('three', 9000)];
    speech.ms = 9000;
    expect(namesOf(told.next())).toBe('');
    speech.ms = 13_000;
    expect(namesOf(told.next())).toBe('one two');
    expect(namesOf(told.rest())).toBe('three');
  });

  it('never step back, whatever is learned of them later', () => {
    const told = createToldWords(speech);
    known = [word('one', 2000, 60), word('two', 2500)];
    speech.ms = 3000;
    expect(namesOf(told.next())).toBe('one');
    known = [word('one', 1000, 60), word('two', 1200, 60)];
    expect(told.rest()).toMatchObject([{ text: 'two', startMs: 2000, endMs: 2000 }]);
  });
});
