// Keys and what belongs to each, found in the same time whatever their number, and without showing by the time taken how
// close a wrong key came. What is looked up is an HMAC under a secret of this process: nobody outside can choose or know
// it, so that where the look-up of a wrong key ends says nothing of the keys that are kept.

import { createHmac } from 'node:crypto';
import { systemRandom } from '../base/random.ts';

export type KeyIndex<Value> = {
  /** Whether there are none at all. */
  readonly isEmpty: boolean;
  /** What belongs to the key; undefined when it is not known. */
  find(key: string): Value | undefined;
};

const SECRET_BYTES = 32;

/** Of two entries with one key the later one counts. `digest` is an argument for tests. */
export function createKeyIndex<Value>(
  entries: Iterable<readonly [key: string, value: Value]>,
  digest: (key: string) => string = keyedDigest(systemRandom.id(SECRET_BYTES)),
): KeyIndex<Value> {
  const values = new Map<string, Value>();
  for (const [key, value] of entries) values.set(digest(key), value);
  return { isEmpty: values.size === 0, find: (key) => values.get(digest(key)) };
}

const keyedDigest = (secret: string) => (key: string) =>
  createHmac('sha256', secret).update(key).digest('base64url');
