import { describe, expect, it } from 'vitest';
import { announcesBodyBytes, readBodyBytes, takesTrailers } from '../../src/speech/body-bytes.ts';

describe('the length of a body, told behind it', () => {
  it('is asked for by TE, and announced among other fields', () => {
    expect(['trailers', 'gzip, Trailers;q=0.5', ['deflate', 'trailers']].map(takesTrailers)).toEqual([
      true,
      true,
      true,
    ]);
    expect([undefined, '', 'gzip', 'trailersome'].map(takesTrailers)).toEqual([false, false, false, false]);
    expect(
      ['X-Voxgate-Body-Bytes', ['Foo', 'x-other, x-voxgate-body-bytes']].map(announcesBodyBytes),
    ).toEqual([true, true]);
    expect([undefined, 'X-Voxgate-Body', 'Foo'].map(announcesBodyBytes)).toEqual([false, false, false]);
  });

  it('is a number of bytes, told once, or nothing', () => {
    const read = (value: string | string[]) => readBodyBytes({ 'x-voxgate-body-bytes': value });
    expect([read('0'), read('24576'), read(['7'])]).toEqual([0, 24_576, 7]);
    for (const value of ['', '-1', '1e3', '12 ', '9'.repeat(16), ['1', '2'], []])
      expect(read(value)).toBeUndefined();
    expect([readBodyBytes(null), readBodyBytes({})]).toEqual([undefined, undefined]);
  });
});
