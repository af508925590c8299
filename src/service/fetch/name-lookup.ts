// Names to addresses, for hosts that callers name.

import { lookup, Resolver } from 'node:dns/promises';

export type NameAnswer = { readonly address: string; readonly family: 4 | 6 };

/** Every address of `host`, of both families, in the order to be tried; rejects when there is none. */
export type NameLookup = (host: string) => Promise<readonly NameAnswer[]>;

const QUERY_MS = 2000;
const TRIES = 2;

const of = (family: 4 | 6, found: PromiseSettledResult<readonly string[]>): NameAnswer[] =>
  found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];

/**
 * Asks the name servers itself (`servers`: address and port of each; else those of this machine). The system's lookup
 * would wait in the four threads that also do all file work, so that slow name servers of strangers could hold up
 * everything, and it believes /etc/hosts, which knows this machine's own neighbours.
 */
export function createNameLookup(servers?: readonly string[]): NameLookup {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [...of(4, v4), ...of(6, v6)];
  };
}

/** As the system does it, with localhost and the names of a local network: where private addresses are allowed. */
export const systemNameLookup: NameLookup = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};
