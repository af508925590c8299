// Which addresses the service may connect to on a caller's word: those that belong to the open internet, and nothing
// else. A list of what is allowed; whatever is unknown, odd or carries another address inside is refused.

import ipaddr from 'ipaddr.js';

/** Allocated by IANA to one host or another (RFC 4291 2.4, the registry of global unicast addresses). */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** A public address in name only: every virtual machine of one large cloud reaches its host's control plane there. */
const PLATFORM_V4 = '168.63.129.16';

/** ISATAP (RFC 5214 6.1): the last 64 bits are 0000:5efe or 0200:5efe (or so) and an IPv4 address to tunnel to. */
const isTunnel = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4]! & ~0x0300) === 0;

/**
 * True when `address`, written as a resolver writes it (four decimal numbers, or RFC 4291 2.2 without a zone), is
 * globally routable unicast and embeds no IPv4 address: mapped (::ffff:0:0/96), compatible (::/96), translated
 * (64:ff9b::/96, 64:ff9b:1::/48, ::ffff:0:0:0/96), 6to4 and Teredo are refused even when what they embed is public.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address))
    return address !== PLATFORM_V4 && ipaddr.IPv4.parse(address).range() === 'unicast';
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.match(GLOBAL_V6) && parsed.range() === 'unicast' && !isTunnel(parsed);
}
