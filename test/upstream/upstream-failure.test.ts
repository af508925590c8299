import { describe, expect, it } from 'vitest';
import { brokenError, parseRetryAfter, readErrorId } from '../../src/upstream/upstream-failure.ts';

describe('Retry-After', () => {
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
  it.each([
    ['5', undefined, 5_000],
    [' 0 ', undefined, 0],
    ['1.5', undefined, 1_500],
    ['3600', undefined, 3_600_000],
    ['Fri, 20 Nov 2026 10:00:42 GMT', date, 42_000],
  ])('%s is read', (value, at, ms) => {
    expect(parseRetryAfter(value, at)).toBe(ms);
  });

  it.each([
    [undefined, date],
    ['', date],
    ['-1', date],
    ['NaN', date],
    ['Infinity', date],
    ['0x10', date],
    ['1e3', date],
    ['3601', date],
    ['99999999999999999999999', date],
    ['soon', date],
    ['Fri, 20 Nov 2026 09:59:59 GMT', date],
    ['Fri, 20 Nov 2026 11:00:01 GMT', date],
    ['Fri, 20 Nov 2026 10:00:42 GMT', undefined],
    ['Fri, 99 Nov 2026 10:00:42 GMT', date],
    ['2026-11-20T10:00:42Z', date],
    ['5, 6', date],
  ])('%s is ignored', (value, at) => {
    expect(parseRetryAfter(value, at)).toBeUndefined();
  });
});

describe('error ids', () => {
  it('passes a well-formed id on', () => {
    expect(readErrorId('{"errorId":"UNAUTHORIZED","errorMessage":"x"}', ['secret'])).toBe('UNAUTHORIZED');
  });
  it.each(['', '{', '"X"', '{"errorId":"lower"}', '{"errorId":"A B"}', `{"errorId":"${'A'.repeat(41)}"}`])(
    'passes nothing of %s on',
    (body) => {
      expect(readErrorId(body, [])).toBeUndefined();
    },
  );
  it('passes nothing on that holds a secret or is part of one', () => {
    expect(readErrorId('{"errorId":"KEY_ABC"}', ['KEY_ABC'])).toBeUndefined();
    expect(readErrorId('{"errorId":"X_KEY_ABC"}', ['KEY_ABC'])).toBeUndefined();
    expect(readErrorId('{"errorId":"KEY"}', ['KEY_ABC'])).toBeUndefined();
  });
});

it('names the code of a broken connection, never its message', () => {
  const thrown = Object.assign(new Error('secret bytes'), { code: 'ECONNRESET', data: 'secret bytes' });
  const error = brokenError('upstream_broken', thrown);
  expect(error.message).toMatch(/\(ECONNRESET\)/);
  expect([error.cause, JSON.stringify(error)]).toEqual([undefined, expect.not.stringContaining('secret')]);
  for (const odd of [null, undefined, 'x', { code: 5 }, { code: 'has spaces' }])
    expect(brokenError('upstream_unreachable', odd).message).toMatch(/reached\.$/);
});
