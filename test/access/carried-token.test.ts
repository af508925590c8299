// Tokens of legs in the headers of an upgrade.
import { describe, expect, it } from 'vitest';
import { carriedToken } from '../../src/access/carried-token.ts';
import { headerLines } from '../../src/access/header-lines.ts';

const carried = (...raw: string[]) => carriedToken(headerLines(raw));
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the token that a leg carries', () => {
  it('is the Bearer token, the password of Basic or the header of Telnyx', () => {
    expect(carried('Authorization', 'Bearer abc.def')).toBe('abc.def');
    expect(carried('authorization', basic('anyone:abc.def'))).toBe('abc.def');
    expect(carried('authorization', basic('anyone:with:colon'))).toBe('with:colon');
    expect(carried('X-Telnyx-Streaming-Auth-Token', 'abc.def')).toBe('abc.def');
  });

  it('is absent without such a header', () => {
    expect(carried('Host', 'localhost')).toBeUndefined();
  });

  it('is one of nobody when it cannot be read or is there twice', () => {
    expect(carried('Authorization', 'Digest x')).toBe('');
    expect(carried('Authorization', basic('no colon'))).toBe('');
    expect(carried('Authorization', 'Bearer a', 'Authorization', 'Bearer a')).toBe('');
    expect(carried('Authorization', 'Bearer a', 'x-telnyx-streaming-auth-token', 'a')).toBe('');
  });
});
