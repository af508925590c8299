// Signatures of webhooks after Standard Webhooks 1.0.0 (symmetric, `v1`). An owner's secret is derived from a master
// secret, so that none is stored; while master secrets are exchanged, a message carries a signature for each of them.

import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

export type SignedMessage = {
  /** Without a full stop: it separates the parts of what is signed. */
  readonly id: string;
  /** Unix seconds of this attempt; receivers refuse what is more than five minutes off. */
  readonly timestampS: number;
  /** The exact text of the body. */
  readonly body: string;
};

const PREFIX = 'whsec_';
/** Bounds of the specification, in bytes. */
const MIN_SECRET = 24;
const MAX_SECRET = 64;

/** What `owner` verifies with: `whsec_` and the base64 of HMAC-SHA256(master, "webhook:" owner), 32 bytes. */
export const webhookSecret = (master: string, owner: string): string =>
  PREFIX + createHmac('sha256', master).update(`webhook:${owner}`).digest('base64');

/** The bytes of a `whsec_…` secret; undefined when it has another form or another length than allowed. */
export function readWebhookSecret(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return undefined;
  return bytes.length >= MIN_SECRET && bytes.length <= MAX_SECRET ? bytes : undefined;
}

/** The three header fields; one signature for each of `secrets`, in their order. Throws without one, or for one that is none. */
export function signWebhook(
  { id, timestampS, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  if (secrets.length === 0) throw new Error('A webhook is never sent without a signature.');
  const signatures = secrets.map((secret) => {
    const key = readWebhookSecret(secret);
    if (key === undefined)
      throw new Error(`A webhook secret is whsec_ and base64 of ${MIN_SECRET} to ${MAX_SECRET} bytes.`);
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signatures.join(' '),
  };
}
