// The token by which a telephony leg is known to be one of a user's: given to each session of that user, carried by the
// platform in the leg's path or first message, and signed, so that nothing has to be kept of it.

import { createHmac, timingSafeEqual } from 'node:crypto';

export type AttachTokens = {
  tokenFor(userId: string, session: string): string;
  /** The user of a token; undefined when it is none of ours. */
  userOf(token: string): string | undefined;
};

/** 128 bits of HMAC-SHA-256: what platforms pass on is short. */
const SIGNATURE_BYTES = 16;

export function createAttachTokens(secret: string): AttachTokens {
  const sign = (payload: string) =>
    createHmac('sha256', secret).update(payload).digest().subarray(0, SIGNATURE_BYTES);
  return {
    tokenFor(userId, session) {
      const payload = `${Buffer.from(userId).toString('base64url')}.${session}`;
      return `${payload}.${sign(payload).toString('base64url')}`;
    },
    userOf(token) {
      const end = token.lastIndexOf('.');
      const payload = token.slice(0, Math.max(0, end));
      const given = Buffer.from(token.slice(end + 1), 'base64url');
      if (given.length !== SIGNATURE_BYTES || !timingSafeEqual(given, sign(payload))) return undefined;
      return Buffer.from(payload.slice(0, payload.indexOf('.')), 'base64url').toString('utf8');
    },
  };
}
