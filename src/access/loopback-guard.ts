// Without API keys Voxgate serves this machine only. A listener on loopback is not enough: a proxy in front of it
// would let the world in, and a web page in a browser here can reach it by DNS rebinding. Their traces are refused.

import { AppError } from '../base/app-error.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const PROXY_HEADER = /^(forwarded|via|x-forwarded-.+|cf-.+)$/i;
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

const refused = (message: string) =>
  new AppError('forbidden', `${message} Without VOXGATE_API_KEYS only programs on this machine are served.`);

/** The header that shows a proxy between the caller and this listener, if there is one. */
export const proxyHeader = (headers: Headers): string | undefined =>
  Object.keys(headers).find((name) => PROXY_HEADER.test(name));

/** Throws `forbidden`, saying why, when `headers` do not come straight from this machine. */
export function guardLoopback(headers: Headers, scheme: 'http' | 'https'): void {
  const proxied = proxyHeader(headers);
  if (proxied !== undefined)
    throw refused(`The request came through a proxy (header ${proxied.slice(0, 40)}).`);
  const { host, origin } = headers;
  if (typeof host !== 'string' || !LOCAL_HOST.test(host)) {
    throw refused('The Host header must be localhost, 127.0.0.1 or [::1].');
  }
  if (origin !== undefined && origin !== `${scheme}://${host}`) {
    throw refused('The Origin header is not the origin of this gateway.');
  }
}
