// Short-lived tokens that a server hands to a browser: what one lets its bearer do, signed, so that nothing has to be kept
// of it. The whole is one word of base64url, for it travels as a WebSocket subprotocol or in an address.

import { createHmac } from 'node:crypto';
import { isJsonObject, parseJson } from '../base/json.ts';
import { isSignedByAny, type SigningKeys, signNew } from './signing-keys.ts';

export const MEDIA = ['captions', 'audio'] as const;
export type Medium = (typeof MEDIA)[number];

export type TokenGrant =
  | { readonly scope: 'speak' }
  | { readonly scope: 'watch'; readonly session: string; readonly media: readonly Medium[] };

export type CallerToken = TokenGrant & {
  readonly id: string;
  readonly userId: string;
  /** Unix ms: every instance that has the secret reads the same clock. */
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

export function createCallerTokens(keys: SigningKeys): CallerTokens {
  const digestOf =
    (purpose: string, text: string | Uint8Array, bytes: number) =>
    (key: string | Uint8Array): Buffer =>
      createHmac('sha256', key).update(`${purpose}\n`).update(text).digest().subarray(0, bytes);
  const tokenDigest = (payload: Uint8Array) => digestOf('token', payload, SIGNATURE_BYTES);
  const idDigest = (userId: string, nonce: string) => digestOf('id', `${nonce}${userId}`, ID_SIGNATURE_BYTES);

  return {
    idFor: (userId, nonce) => nonce + signNew(keys, idDigest(userId, nonce)).toString('base64url'),
    isIdOf(userId, id) {
      const nonce = id.slice(0, NONCE_CHARACTERS);
      const given = Buffer.from(id.slice(NONCE_CHARACTERS), 'base64url');
      return isSignedByAny(keys, idDigest(userId, nonce), given);
    },
    sign(token) {
      const payload = Buffer.from(JSON.stringify(token));
      return Buffer.concat([signNew(keys, tokenDigest(payload)), payload]).toString('base64url');
    },
    read(text) {
      if (!/^[\w-]{1,2048}$/.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      const payload = bytes.subarray(SIGNATURE_BYTES);
      if (bytes.length <= SIGNATURE_BYTES) return undefined;
      if (!isSignedByAny(keys, tokenDigest(payload), bytes.subarray(0, SIGNATURE_BYTES))) return undefined;
      // Nobody else can have signed it, so it has the shape that it was given.
      const json = parseJson(payload.toString('utf8'))?.value;
      return isJsonObject(json) ? (json as unknown as CallerToken) : undefined;
    },
  };
}
