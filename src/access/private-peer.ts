// Whether a peer is of this machine, or of this machine or a private network: the only ones for a listener that asks for no
// key. A peer is whoever holds the other end of the socket: behind a proxy on this machine, that is the proxy.

import ipaddr from 'ipaddr.js';

const PRIVATE: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
]);

/** `address` as a socket tells it: one of this machine. Anything that is no address is none. */
export const isLoopbackPeer = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** `address` as a socket tells it; an IPv4 address may come mapped into IPv6. Anything else is none. */
export function isPrivatePeer(address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return PRIVATE.has(ipaddr.process(address).range());
}
