// What may be asked of an address before any name is looked up: scheme, port, credentials, and names that mean this
// machine or this network. Cheap and pure, so that a request that names such an address is refused at once; the
// addresses behind a name are judged where the connection is made.

import { isIP } from 'node:net';
import { isPublicAddress } from '../../access/public-address.ts';

/** `allowed` is for tests and laptops: hosts and ports are then free, schemes and credentials are not. */
export type AllowPrivate = 'refused' | 'allowed';

export type OutsideUrl =
  | { readonly ok: true; readonly url: URL }
  /** A sentence for the caller that named the address; it repeats the host at most. */
  | { readonly ok: false; readonly problem: string };

const MAX_URL = 2048;
const LOWEST_OTHER_PORT = 1024;

/** Never names of the open internet: RFC 6761, RFC 6762, RFC 8375, RFC 7686, RFC 9476, ICANN SAC 113, and common use. */
const INSIDE =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|onion|alt|test|invalid)$/;

const refuse = (problem: string): OutsideUrl => ({ ok: false, problem });

/** The host without the brackets of IPv6: for messages and for `isIP`. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function hostProblem(url: URL): string | undefined {
  const host = bareHost(url);
  if (isIP(host) !== 0)
    return isPublicAddress(host) ? undefined : `The address ${host} is not one of the open internet.`;
  if (INSIDE.test(host) || !host.includes('.'))
    return `The name ${host} is not one of the open internet; give a full domain name.`;
  return undefined;
}

/**
 * Reads `given`, relative to `base` when that is there (for redirects). The WHATWG parser has folded the host by then:
 * 0x7f.1, 2130706433 and digits of other scripts are plain dotted addresses.
 */
export function readOutsideUrl(given: string, allowPrivate: AllowPrivate, base?: URL): OutsideUrl {
  if (given.length > MAX_URL) return refuse(`The address is longer than ${MAX_URL} characters.`);
  if (!URL.canParse(given, base?.href)) return refuse('The address is not a URL.');
  const url = new URL(given, base?.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse('The address must begin with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    return refuse('The address must not hold a user name or a password.');
  url.hash = '';
  // A full name may end with a dot; certificates and the list of inside names have none.
  url.hostname = url.hostname.replace(/\.+$/, '');
  if (allowPrivate === 'allowed') return { ok: true, url };
  const port = Number(url.port);
  if (url.port !== '' && port !== 80 && port !== 443 && port < LOWEST_OTHER_PORT)
    return refuse(`Port ${port} is not allowed; 80, 443 and those from ${LOWEST_OTHER_PORT} on are.`);
  const problem = hostProblem(url);
  return problem === undefined ? { ok: true, url } : refuse(problem);
}
