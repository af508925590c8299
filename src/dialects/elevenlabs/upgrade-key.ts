// Where ElevenLabs clients put their key at the upgrade; the first place that has one wins. A key in the first message
// comes too late here: whoever is not known is refused before there is a socket.

import type { Upgrade } from '../dialect.ts';

const QUERY_NAMES = ['single_use_token', 'xi-api-key', 'xi_api_key'] as const;

const withoutScheme = (value: string): string => value.trim().replace(/^bearer\s+/i, '');

export function upgradeKey({ headers, query }: Pick<Upgrade, 'headers' | 'query'>): string | undefined {
  const lines = headers['xi-api-key'] ?? headers.authorization;
  // Two lines would let a proxy check one and us believe the other.
  if (lines !== undefined) return lines.length === 1 ? withoutScheme(lines[0]!) : undefined;
  const authorization = query.get('authorization');
  if (authorization !== null) return withoutScheme(authorization);
  for (const name of QUERY_NAMES) {
    const key = query.get(name);
    if (key !== null) return key;
  }
  return undefined;
}
