// The signature that Twilio puts on an upgrade (`x-twilio-signature`): HMAC-SHA-1 of the address as Twilio was given it,
// with the account's auth token, in base64. The address has the scheme `wss` and is compared as configured, because what
// a proxy makes of Host and path is not what was signed.

import { createHmac, timingSafeEqual } from 'node:crypto';

const digestOf = (authToken: string, publicOrigin: string, target: string): Buffer =>
  createHmac('sha1', authToken)
    .update(`${publicOrigin.replace(/^http/, 'ws')}${target}`)
    .digest();

/** The header that Twilio sends. */
export const twilioSignature = (authToken: string, publicOrigin: string, target: string): string =>
  digestOf(authToken, publicOrigin, target).toString('base64');

/** `publicOrigin` is http(s)://host[:port], `target` the path and query as they came. */
export function isSignedByTwilio(
  signature: string | undefined,
  authToken: string,
  publicOrigin: string,
  target: string,
): boolean {
  const wanted = digestOf(authToken, publicOrigin, target);
  const given = Buffer.from(signature ?? '', 'base64');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
