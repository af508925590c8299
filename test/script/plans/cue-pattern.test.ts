import { describe, expect, it } from 'vitest';
import { cuePattern } from '../../../src/script/plans/cue-pattern.ts';

describe('a pattern of cues', () => {
  it('matches whole words, whatever the case, and letters where a star stands', () => {
    const pattern = cuePattern('tide, salt*, *ness');
    expect(['Tide', 'the tide.', 'salty', 'oldness'].map((text) => pattern.test(text))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['tides', 'basalt', 'nessie'].map((text) => pattern.test(text))).toEqual([false, false, false]);
  });

  it('leaves out what is followed by an exception', () => {
    const pattern = cuePattern('such (as|that), instead (of), それ (ぞれ)');
    expect(['such a day', 'instead', 'such asides', 'それは'].map((text) => pattern.test(text))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(
      ['such as', 'instead of it', 'such  that', 'それぞれの'].map((text) => pattern.test(text)),
    ).toEqual([false, false, false, false]);
  });

  it('looks at the end, past punctuation', () => {
    const pattern = cuePattern('too, as well', 'end');
    expect(['it is old, too.', 'it is old as well?”', 'too old'].map((text) => pattern.test(text))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('matches nothing without cues', () => {
    for (const place of ['anywhere', 'start', 'end', 'before-number'] as const)
      expect(cuePattern(' , ', place).test('anything')).toBe(false);
  });
});
