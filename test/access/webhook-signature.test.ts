import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { readWebhookSecret, signWebhook, webhookSecret } from '../../src/access/webhook-signature.ts';

const letter = fc.constantFrom('a', '.', ',', ' ', 'é', '語', '😀', '\n', '\u0001', '"');
const nowS = () => Math.floor(Date.now() / 1000);
const verify = (body: string, headers: Readonly<Record<string, string>>, secret: string) =>
  new Webhook(secret).verify(body, { ...headers }, { jsonParse: false } as never);

describe('signWebhook', () => {
  it('is what the reference implementation verifies', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: letter, minLength: 1 }),
        fc.string({ unit: letter }),
        fc.string({ minLength: 1 }),
        fc.stringMatching(/^msg_[\w-]{22}$/),
        (body, owner, master, id) => {
          const secret = webhookSecret(master, owner);
          const headers = signWebhook({ id, timestampS: nowS(), body }, [secret]);
          verify(body, headers, secret);
          expect(() => verify(`${body} `, headers, secret)).toThrow();
          expect(() => verify(body, headers, webhookSecret(master, `${owner}x`))).toThrow();
          expect(() => verify(body, { ...headers, 'webhook-id': 'msg_other' }, secret)).toThrow();
          const later = String(nowS() + 10);
          expect(() => verify(body, { ...headers, 'webhook-timestamp': later }, secret)).toThrow();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('says the same as the reference implementation, for a fixed message', () => {
    const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    const at = new Date(1_674_087_231_000);
    const body = '{"email":"test@example.com"}';
    expect(signWebhook({ id: 'msg_1', timestampS: 1_674_087_231, body }, [secret])).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1674087231',
      'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
    });
  });

  it('signs with every secret while they are exchanged', () => {
    const secrets = [webhookSecret('new', 'ann'), webhookSecret('old', 'ann')];
    const headers = signWebhook({ id: 'msg_1', timestampS: nowS(), body: '{}' }, secrets);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of secrets) verify('{}', headers, secret);
    expect(() => verify('{}', headers, webhookSecret('other', 'ann'))).toThrow();
  });

  it('throws for a secret that is none, and without one', () => {
    const message = { id: 'msg_1', timestampS: 1, body: '{}' };
    expect(() => signWebhook(message, ['not a secret'])).toThrow(/whsec_/);
    expect(() => signWebhook(message, [])).toThrow(/signature/);
  });
});

describe('a secret', () => {
  it('differs by owner and by master secret', () => {
    const all = [webhookSecret('a', 'ann'), webhookSecret('a', 'bob'), webhookSecret('b', 'ann')];
    expect(new Set(all).size).toBe(3);
    for (const secret of all) expect(readWebhookSecret(secret)).toHaveLength(32);
  });

  it.each([
    [23, false],
    [24, true],
    [64, true],
    [65, false],
  ])('has 24 to 64 bytes: %i', (bytes, isOne) => {
    const secret = `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
    expect(readWebhookSecret(secret) !== undefined).toBe(isOne);
  });

  it.each([
    '',
    'whsec_',
    'WHSEC_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    'C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    'whsec_C2FVsBQIhrsc ChlQIMV+b5sSYspob7oD',
    'whsec_C2FVsBQIhrscChlQIMV-b5sSYspob7oD',
  ])('has one form: not %j', (text) => expect(readWebhookSecret(text)).toBeUndefined());
});
