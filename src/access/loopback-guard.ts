// Without API keys Voxgate serves this machine only. A listener on loopback is not enough: a proxy in front of it
// would let the world in, and a web page in a browser here can reach it by DNS rebinding. Their traces are refused.

import { AppError } from '../base/app-error.ts';
import type { HeaderLines } from './header-lines.ts';
import { isLoopbackPeer } from './private-peer.ts';

/** What proxies, load balancers and content networks add to say for whom they ask, and which way a request has taken. */
const PROXY_HEADER =
  /^(forwarded|via|cdn-loop|x-forwarded(-.+)?|x-real-(ip|port)|(x-|true-|fastly-|x-cluster-)?client-ip|(wl-)?proxy-client-ip|x-original-.+|x-envoy-.+|cf-.+)$/i;
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** `name` is a header by which a proxy shows. */
export const isProxyHeader = (name: string): boolean => PROXY_HEADER.test(name);

/**
 * What shows that a request does not come straight from a program here; undefined when nothing does. That is no proof: a proxy
 * on this machine that adds no header passes for a program here. `peer` is the address of the socket's other end.
 */
export function strangerTrace(
  headers: HeaderLines,
  scheme: 'http' | 'https',
  peer: string | undefined,
): string | undefined {
  // Of a socket that has closed it is not known any more.
  if (peer === undefined || !isLoopbackPeer(peer)) return 'The request came from another machine.';
  return headersTrace(headers, scheme);
}

/** As `strangerTrace`, by the headers alone: for a listener on loopback, which nobody else reaches. */
export function headersTrace(headers: HeaderLines, scheme: 'http' | 'https'): string | undefined {
  const proxied = Object.keys(headers).find(isProxyHeader);
  if (proxied !== undefined) return `The request came through a proxy (header ${proxied.slice(0, 40)}).`;
  const { host = [], origin = [] } = headers;
  if (host.length !== 1 || !LOCAL_HOST.test(host[0]!))
    return 'The Host header must be localhost, 127.0.0.1 or [::1].';
  if (origin.some((line) => line !== `${scheme}://${host[0]}`))
    return 'The Origin header is not the origin of this gateway.';
  return undefined;
}

/** Throws `forbidden`, saying why, when `headers` do not come straight from this machine. */
export function guardLoopback(headers: HeaderLines, scheme: 'http' | 'https'): void {
  const trace = headersTrace(headers, scheme);
  if (trace === undefined) return;
  throw new AppError(
    'forbidden',
    `${trace} Without VOXGATE_API_KEYS only programs on this machine are served.`,
  );
}
