// The signature that Twilio puts on an upgrade (`x-twilio-signature`): HMAC-SHA-1 of the address as Twilio was given it,
// with the account's auth token, in base64. The address has the scheme `wss` and is compared as configured, because what
// a proxy makes of Host and path is not what was signed.

import { createHmac, timingSafeEqual } from 'node:crypto';

/** `publicOrigin` is http(s)://host[:port], `target` the path and query as they came. */
export function isSignedByTwilio(
  signature: string | undefined,
  authToken: string,
  publicOrigin: string,
  target: string,
): boolean {
  const address = `${publicOrigin.replace(/^http/, 'ws')}${target}`;
  const wanted = createHmac('sha1', authToken).update(address).digest();
  const given = Buffer.from(signature ?? '', 'base64');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
