import { describe, expect, it } from 'vitest';
import { brokenError, readErrorId } from '../../../src/upstream/services/upstream-failure.ts';

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
