import { describe, expect, it } from 'vitest';
import { readIdempotency } from '../../src/service/idempotency.ts';

describe('an Idempotency-Key', () => {
  it('may be left out', () => {
    expect(readIdempotency(undefined, ['a'])).toBeUndefined();
  });

  it('comes with a digest that is equal for equal requests and for no others', () => {
    const digestOf = (...what: unknown[]) => readIdempotency('k', what)!.digest;
    expect(digestOf('tts', { text: 'a' })).toBe(digestOf('tts', { text: 'a' }));
    const digests = [
      digestOf('tts', { text: 'a' }),
      digestOf('tts', { text: 'b' }),
      digestOf('playnote', { text: 'a' }),
      digestOf('tts', { text: 'a', seed: null }),
      digestOf('tts', { text: 'a' }, null),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests[0]).toMatch(/^[\w-]{43}$/);
  });

  it.each(['', ' ', 'a b', 'ä', 'a\n', 'k'.repeat(256)])('%j is refused', (key) => {
    expect(() => readIdempotency(key, [])).toThrow(
      expect.objectContaining({ code: 'invalid_request' }) as Error,
    );
  });

  it.each(['k', '8e03978e-40d5-43e8-bc93-6894a57f9324', '"quoted"', 'k'.repeat(255)])(
    '%j is taken',
    (key) => {
      expect(readIdempotency(key, [])).toMatchObject({ key });
    },
  );
});
