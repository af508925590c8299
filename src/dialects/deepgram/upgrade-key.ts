// Where a caller of this protocol has its key: `Authorization: Token KEY` or `Bearer KEY`, and from a browser, which
// can set no header, the subprotocols ["token", KEY] or ["bearer", KEY]. One of those offered must be selected, or
// browsers hang up; it is the name, never the key.

import type { Upgrade } from '../dialect.ts';

export type UpgradeKey = {
  readonly apiKey: string | undefined;
  readonly protocol: string | undefined;
};

const SCHEMES: readonly string[] = ['token', 'bearer'];
const AUTHORIZATION = /^(?:token|bearer) +(\S+)\s*$/i;

export function readUpgradeKey({ headers, protocols }: Pick<Upgrade, 'headers' | 'protocols'>): UpgradeKey {
  const at = protocols.findIndex((name) => SCHEMES.includes(name.toLowerCase()));
  const protocol = protocols[at];
  const lines = headers.authorization;
  if (lines === undefined) return { apiKey: at < 0 ? undefined : protocols[at + 1], protocol };
  // Of two lines a proxy may have checked the other one.
  const line = lines.length === 1 ? lines[0]! : '';
  return { apiKey: AUTHORIZATION.exec(line)?.[1], protocol };
}
