// Both credentials of the REST side (interface 5), line by line.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCredentials } from '../../src/access/credentials.ts';
import { headerLines } from '../../src/access/header-lines.ts';

const known = createCredentials([
  { userId: 'ann', apiKey: 'k1' },
  { userId: 'bob', apiKey: 'k2' },
  { userId: 'ann', apiKey: 'k3' },
]);
const open = createCredentials([]);
const lines = (...headers: string[]) => headerLines(headers);
const caller = (key: string, user: string) =>
  known.identifyCaller(lines('Authorization', `Bearer ${key}`, 'X-USER-ID', user));
const refusal = (message: RegExp) =>
  expect.objectContaining({
    code: 'unauthorized',
    message: expect.stringMatching(message) as string,
  }) as Error;

describe('a caller of the REST side', () => {
  it('is the user of the key; each key is counted for itself, under a name that does not tell it', () => {
    const callers = [caller('k1', 'ann'), caller('k2', ' bob '), caller('k3', 'ann')];
    expect(callers.map(({ userId }) => userId)).toEqual(['ann', 'bob', 'ann']);
    const names = callers.map(({ keyName }) => keyName);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[\w-]{16}$/);
    expect(caller('k1', 'ann').keyName).toBe(names[0]);
  });

  it.each<[string, string[], RegExp]>([
    ['no line', [], /Authorization is missing/],
    ['no user', ['Authorization', 'Bearer k1'], /X-USER-ID is missing/],
    ['an empty user', ['Authorization', 'Bearer k1', 'X-USER-ID', ' '], /X-USER-ID is missing/],
    ['no key', ['X-USER-ID', 'ann'], /Authorization is missing/],
    ['another scheme', ['Authorization', 'Token k1', 'X-USER-ID', 'ann'], /form "Bearer KEY"/],
    ['an unknown key', ['Authorization', 'Bearer k9', 'X-USER-ID', 'ann'], /not known/],
    ['the key of another', ['Authorization', 'Bearer k2', 'X-USER-ID', 'ann'], /does not belong/],
    ['another case', ['Authorization', 'Bearer k1', 'X-USER-ID', 'Ann'], /does not belong/],
    ['two users', ['Authorization', 'Bearer k1', 'X-USER-ID', 'ann', 'x-user-id', 'ann'], /twice/],
    ['two keys', ['Authorization', 'Bearer k1', 'authorization', 'Bearer k1', 'X-USER-ID', 'ann'], /twice/],
    ['a long user', ['Authorization', 'Bearer k1', 'X-USER-ID', 'a'.repeat(201)], /at most 200/],
  ])('is refused with %s', (_what, headers, message) => {
    expect(() => known.identifyCaller(lines(...headers))).toThrow(refusal(message));
  });

  it('is never told more by a wrong key than that it is wrong', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{4,40}$/), (key) => {
        expect(() => caller(key, 'ann')).toThrow(refusal(/^This API key is not known; send Authorization/));
      }),
    );
  });

  it('without configured keys is who he says; both headers are needed all the same', () => {
    expect(open.identifyCaller(lines('authorization', 'Bearer any', 'x-user-id', 'ann'))).toEqual({
      userId: 'ann',
      keyName: 'ann',
    });
    expect(() => open.identifyCaller(lines('x-user-id', 'ann'))).toThrow(refusal(/missing/));
    expect(() => open.identifyCaller(lines('authorization', 'Bearer any'))).toThrow(refusal(/missing/));
  });
});
