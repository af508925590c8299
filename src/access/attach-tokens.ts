// The token by which a telephony leg is known to be one of a user's: given to each session of that user, carried by the
// platform in the leg's path or first message, and signed, so that nothing has to be kept of it.

import { createHmac } from 'node:crypto';
import { isSignedByAny, type SigningKeys, signNew } from './signing-keys.ts';

export type AttachTokens = {
  tokenFor(userId: string, session: string): string;
  /** The user of a token; undefined when it is none of ours. */
  userOf(token: string): string | undefined;
};

/** 128 bits of HMAC-SHA-256: what platforms pass on is short. */
const SIGNATURE_BYTES = 16;

/** A session that lasts longer has to be opened anew before it can be given another leg. */
export const ATTACH_TOKEN_LIFE_MS = 7 * 24 * 60 * 60_000;

/** `unixMs`: the wall clock, which all instances that share the keys read. */
export function createAttachTokens(keys: SigningKeys, unixMs: () => number): AttachTokens {
  const digestOf = (payload: string) => (key: string | Uint8Array) =>
    createHmac('sha256', key).update(payload).digest().subarray(0, SIGNATURE_BYTES);
  return {
    tokenFor(userId, session) {
      const untilS = Math.ceil((unixMs() + ATTACH_TOKEN_LIFE_MS) / 1000);
      const payload = `${Buffer.from(userId).toString('base64url')}.${session}.${untilS.toString(36)}`;
      return `${payload}.${signNew(keys, digestOf(payload)).toString('base64url')}`;
    },
    userOf(token) {
      const end = token.lastIndexOf('.');
      const payload = token.slice(0, Math.max(0, end));
      const given = Buffer.from(token.slice(end + 1), 'base64url');
      if (!isSignedByAny(keys, digestOf(payload), given)) return undefined;
      const untilS = Number.parseInt(payload.slice(payload.lastIndexOf('.') + 1), 36);
      if (!(unixMs() < untilS * 1000)) return undefined;
      return Buffer.from(payload.slice(0, payload.indexOf('.')), 'base64url').toString('utf8');
    },
  };
}
