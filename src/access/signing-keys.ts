// What tokens are signed with: the newest key signs, and what an older one has signed stays good, so that a secret can be
// exchanged while tokens are out. Each use has keys of its own, so that what is signed for one is nothing for another.

import { createHmac, timingSafeEqual } from 'node:crypto';

/** Newest first; at least one. */
export type SigningKeys = readonly (string | Uint8Array)[];

/** The keys that follow from `secrets` for one use. */
export const keysFor = (secrets: readonly Uint8Array[], use: 'legs' | 'tokens'): readonly string[] =>
  secrets.map((secret) => createHmac('sha256', secret).update(`voxgate ${use}`).digest('base64url'));

/** The signature of the newest key, by `digest`. */
export const signNew = (keys: SigningKeys, digest: (key: string | Uint8Array) => Buffer): Buffer =>
  digest(keys[0]!);

/** Whether one of the keys has made `given`; takes as long whichever it was. */
export const isSignedByAny = (
  keys: SigningKeys,
  digest: (key: string | Uint8Array) => Buffer,
  given: Uint8Array,
): boolean => {
  let found = 0;
  for (const key of keys) {
    const wanted = digest(key);
    found |= given.length === wanted.length && timingSafeEqual(given, wanted) ? 1 : 0;
  }
  return found === 1;
};
