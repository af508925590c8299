import { describe, expect, it } from 'vitest';
import {
  createRequestWindow,
  WINDOW_KINDS,
  type WindowKind,
} from '../../../testkit/faults/request-windows.ts';

/** At 20 s past a minute of the wall clock; the monotonic clock has its own beginning. */
const UNIX_MS = 1_800_000_020_000;

/** What becomes of requests at these seconds: `y` or `n`. */
function outcome(kind: WindowKind, perMinute: number, seconds: readonly number[]): string {
  const window = createRequestWindow(kind);
  const told = seconds.map((at) =>
    window({ nowMs: 500 + at * 1000, unixMs: UNIX_MS + at * 1000 }, perMinute),
  );
  return told.map(({ allowed }) => (allowed ? 'y' : 'n')).join('');
}

describe('createRequestWindow', () => {
  it.each<[WindowKind, string]>([
    ['clock', 'yyynnnyy'],
    ['first', 'yynyynnn'],
    ['sliding', 'yynynnyn'],
    ['strict', 'yynnnnnn'],
    ['bucket', 'yyynnyyn'],
  ])('tells %s from the other kinds', (kind, expected) => {
    expect(outcome(kind, 2, [0, 50, 55, 60, 70, 99, 112, 113])).toBe(expected);
  });

  it('says when there is more, and means it', () => {
    for (const kind of ['clock', 'first', 'sliding', 'bucket'] as const) {
      const window = createRequestWindow(kind);
      const at = (ms: number) => window({ nowMs: ms, unixMs: UNIX_MS + ms }, 3);
      for (const remaining of [2, 1, 0])
        expect(at(1000 - remaining)).toMatchObject({ allowed: true, remaining });
      const refused = at(2000);
      expect([kind, refused.allowed, refused.remaining]).toEqual([kind, false, 0]);
      expect(at(2000 + Math.floor(refused.resetMs) - 1).allowed).toBe(false);
      expect(at(2000 + Math.ceil(refused.resetMs)).allowed).toBe(true);
    }
  });

  it('refills a bucket evenly and never beyond its size', () => {
    const minute = (count: number, everyS: number) =>
      Array.from({ length: count }, (_, index) => index * everyS);
    expect(outcome('bucket', 6, minute(12, 10))).toBe('y'.repeat(12));
    expect(outcome('bucket', 2, [0, 600, 600, 600])).toBe('yyyn');
  });

  it.each(WINDOW_KINDS)('%s: a limit that changes keeps what has been used', (kind) => {
    const window = createRequestWindow(kind);
    const at = (ms: number, perMinute: number) => window({ nowMs: ms, unixMs: UNIX_MS + ms }, perMinute);
    expect([at(0, 4), at(1, 4), at(2, 4)].map(({ remaining }) => remaining)).toEqual([3, 2, 1]);
    const lowered = at(3, 2);
    if (kind === 'bucket') expect(lowered).toMatchObject({ allowed: true, remaining: 0 });
    else expect(lowered).toMatchObject({ allowed: false, remaining: 0 });
    // What a bucket has spilt by being made smaller is gone; a count is a count.
    if (kind !== 'bucket') expect(at(4, 9).remaining).toBeGreaterThan(3);
  });

  it('a lowered sliding limit says when there is room again, and means it', () => {
    const window = createRequestWindow('sliding');
    const at = (ms: number, perMinute: number) => window({ nowMs: ms, unixMs: UNIX_MS + ms }, perMinute);
    for (const ms of [0, 1000, 2000, 3000]) at(ms, 4);
    // The last two of the four are what a limit of two goes by.
    expect(at(4000, 2)).toMatchObject({ allowed: false, resetMs: 58_000 });
    expect(at(61_999, 2).allowed).toBe(false);
    expect(at(62_000, 2).allowed).toBe(true);
  });
});
