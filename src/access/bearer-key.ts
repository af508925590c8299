// `Authorization: Bearer KEY` (RFC 6750 2.1): reading the key, and comparing it so that the time taken does not show how
// close a wrong one came.

import { createHash, timingSafeEqual } from 'node:crypto';

/** The key in a header line; undefined when the line has another form. */
export const readBearer = (line: string): string | undefined => /^Bearer +(\S+)\s*$/i.exec(line)?.[1];

/** SHA-256: what is kept of a key, so that a memory dump holds none. */
export const digestKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Tells one key from another without telling the key: limits are counted by it, whatever protocol the key came by. */
export const nameOfKey = (key: string): string => digestKey(key).toString('base64url', 0, 12);

/** The key of a caller in the log: `c_` and 8 hexadecimal digits of its SHA-256, as `printf %s KEY | sha256sum` has them. */
export const callerKeyName = (key: string): string => `c_${digestKey(key).toString('hex', 0, 4)}`;

export const isKey = (given: string, digest: Buffer): boolean => timingSafeEqual(digestKey(given), digest);
