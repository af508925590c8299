// Short-lived tokens that a server hands to a browser: what one lets its bearer do, signed, so that nothing has to be kept
// of it. The whole is one word of base64url, for it travels as a WebSocket subprotocol or in an address.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, parseJson } from '../base/json.ts';

export const MEDIA = ['captions', 'audio'] as const;
export type Medium = (typeof MEDIA)[number];

export type TokenGrant =
  | { readonly scope: 'speak' }
  | { readonly scope: 'watch'; readonly session: string; readonly media: readonly Medium[] };

export type CallerToken = TokenGrant & {
  readonly id: string;
  readonly userId: string;
  /** On the clock of the process that made it, ms. */
  readonly expiresAtMs: number;
};

export type CallerTokens = {
  /** An id that shows later whose token it is: `nonce` is 12 characters that never come twice. */
  idFor(userId: string, nonce: string): string;
  isIdOf(userId: string, id: string): boolean;
  sign(token: CallerToken): string;
  /** Undefined when it is none of ours; whether it has expired is not looked at. */
  read(text: string): CallerToken | undefined;
};

/** 128 bits of HMAC-SHA-256; an id, which only its owner can use, has 72. */
const SIGNATURE_BYTES = 16;
const ID_SIGNATURE_BYTES = 9;
const NONCE_CHARACTERS = 12;

export function createCallerTokens(secret: string): CallerTokens {
  const digest = (purpose: string, text: string | Uint8Array) =>
    createHmac('sha256', secret).update(`${purpose}\n`).update(text).digest();
  const sign = (payload: Uint8Array) => digest('token', payload).subarray(0, SIGNATURE_BYTES);
  const idFor = (userId: string, nonce: string) =>
    nonce + digest('id', `${nonce}${userId}`).toString('base64url', 0, ID_SIGNATURE_BYTES);

  return {
    idFor,
    isIdOf(userId, id) {
      const given = Buffer.from(id);
      const wanted = Buffer.from(idFor(userId, id.slice(0, NONCE_CHARACTERS)));
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
    sign(token) {
      const payload = Buffer.from(JSON.stringify(token));
      return Buffer.concat([sign(payload), payload]).toString('base64url');
    },
    read(text) {
      if (!/^[\w-]{1,2048}$/.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      const payload = bytes.subarray(SIGNATURE_BYTES);
      if (bytes.length <= SIGNATURE_BYTES) return undefined;
      if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(payload))) return undefined;
      // Nobody else can have signed it, so it has the shape that it was given.
      const json = parseJson(payload.toString('utf8'))?.value;
      return isJsonObject(json) ? (json as unknown as CallerToken) : undefined;
    },
  };
}
