// Who a caller is: the bearer key says, the user id confirms. Keys are kept and compared as SHA-256 digests in
// constant time, so neither memory dumps nor answer times tell one.

import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../base/app-error.ts';

export type Credential = { readonly userId: string; readonly apiKey: string };

export type Credentials = {
  /** False when no keys are configured: loopback callers need none. */
  readonly areRequired: boolean;
  /**
   * The user behind `Authorization: Bearer KEY` and, when given, `X-USER-ID`. Throws `unauthorized`.
   * Without configured keys the user id names the tenant, `local` when there is none.
   */
  identify(authorization: string | undefined, userId: string | undefined): string;
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const refused = (message: string) => new AppError('unauthorized', message);

export function createCredentials(list: readonly Credential[]): Credentials {
  const known = list.map(({ userId, apiKey }) => ({ userId, digest: digest(apiKey) }));
  return {
    areRequired: known.length > 0,
    identify(authorization, userIdHeader) {
      const userId = userIdHeader?.trim();
      if (known.length === 0) return userId === undefined || userId === '' ? 'local' : userId.slice(0, 200);
      if (authorization === undefined)
        throw refused('The header Authorization is missing; send "Authorization: Bearer KEY".');
      const apiKey = /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
      if (apiKey === undefined) throw refused('The header Authorization must have the form "Bearer KEY".');
      const given = digest(apiKey);
      let owner: string | undefined;
      // Every key is compared, so that time does not tell which one came close.
      for (const key of known) if (timingSafeEqual(key.digest, given)) owner = key.userId;
      if (owner === undefined) throw refused('This API key is not known.');
      if (userId !== undefined && userId !== '' && userId !== owner) {
        throw refused('This API key does not belong to the user of X-USER-ID.');
      }
      return owner;
    },
  };
}
