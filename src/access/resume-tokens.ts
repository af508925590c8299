// The token by which a client that lost its connection is let in to its session again: signed, so that nothing has to be
// kept of it, for one session of one user, and one word of base64url, for it travels in an address or as a subprotocol.

import { createHmac } from 'node:crypto';
import { AppError } from '../base/app-error.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import { isSignedByAny, type SigningKeys, signNew } from './signing-keys.ts';

export type ResumeToken = {
  readonly session: string;
  readonly userId: string;
  /** The name of the key, or the id of the token, that the session was opened with; absent where it was opened without. */
  readonly key?: string | undefined;
  readonly caller?: string | undefined;
  /** Which of the session's tokens, from 1. */
  readonly number: number;
};

export const sessionGone = (): AppError =>
  new AppError('session_gone', 'There is nothing left of this session; open a new one.');

export const tokenReplaced = (): AppError =>
  new AppError('unauthorized', 'The resume token has been replaced; use the newest one.');

export type ResumeTokens = {
  sign(token: ResumeToken): string;
  /** Undefined when it is none of ours. */
  read(text: string): ResumeToken | undefined;
};

/** 128 bits of HMAC-SHA-256. */
const SIGNATURE_BYTES = 16;

export function createResumeTokens(keys: SigningKeys): ResumeTokens {
  const digestOf = (payload: Uint8Array) => (key: string | Uint8Array) =>
    createHmac('sha256', key).update('resume\n').update(payload).digest().subarray(0, SIGNATURE_BYTES);
  return {
    sign(token) {
      const payload = Buffer.from(JSON.stringify(token));
      return Buffer.concat([signNew(keys, digestOf(payload)), payload]).toString('base64url');
    },
    read(text) {
      if (!/^[\w-]{1,2048}$/.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      const payload = bytes.subarray(SIGNATURE_BYTES);
      if (payload.length === 0) return undefined;
      if (!isSignedByAny(keys, digestOf(payload), bytes.subarray(0, SIGNATURE_BYTES))) return undefined;
      // Nobody else can have signed it, so it has the shape that it was given.
      const json = parseJson(payload.toString('utf8'))?.value;
      return isJsonObject(json) ? (json as unknown as ResumeToken) : undefined;
    },
  };
}
