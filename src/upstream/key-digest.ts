// Names for keys that reveal nothing of them: one for the quota that an API key has at the service, one for a pool member in
// logs, metrics and the admin listener.

import { createHash } from 'node:crypto';
import type { QuotaId } from './quota/quota-store.ts';
import type { Credentials } from './speech-transport.ts';

const digest = (text: string, digits: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

/** The service counts per API key: members that share one share its quota. */
export const quotaIdOf = (apiKey: string): QuotaId => digest(apiKey, 16);

/** The quota of a key at one of several services, or of all keys of a group. */
export const quotaIdAt = (
  of: { readonly group: string } | { readonly url: string; readonly apiKey: string },
): QuotaId =>
  'group' in of ? digest(`group ${of.group}`, 16) : digest(JSON.stringify([of.url, of.apiKey]), 16);

/**
 * `k_` and 8 hexadecimal digits; of the pair, because one API key under two user ids is two members; and of its service, where
 * there are several.
 */
export const fingerprintOf = ({ userId, apiKey }: Credentials, service?: string): string =>
  `k_${digest(`${service === undefined ? '' : `${service}/`}${userId}:${apiKey}`, 8)}`;
