// Who a caller is: the bearer key says, the user id confirms. Keys are kept as digests, and a wrong one costs the same
// however many there are.

import { AppError } from '../base/app-error.ts';
import { callerKeyName, nameOfKey, readBearer } from './bearer-key.ts';
import type { HeaderLines } from './header-lines.ts';
import { createKeyIndex } from './key-index.ts';

export type Credential = { readonly userId: string; readonly apiKey: string };

export type Credentials = {
  /** False when no keys are configured: loopback callers need none. */
  readonly areRequired: boolean;
  /** Who calls a gateway without configured keys and names no user. */
  readonly localUser: string;
  /**
   * The user behind `Authorization: Bearer KEY` and, when given, `X-USER-ID`. Throws `unauthorized`.
   * Without configured keys the user id names the tenant, `local` when there is none.
   */
  identify(headers: HeaderLines): string;
  /** As `identify`, of a key that a protocol of someone else has elsewhere. */
  identifyKey(apiKey: string | undefined): string;
  /** A key of this name is still one of the user's. */
  hasKey(userId: string, keyName: string): boolean;
  /**
   * The caller of the service's REST side, where both headers are required (interface 5). Throws `unauthorized`.
   * Without configured keys any pair that is not empty is taken, and the user id names the tenant.
   */
  identifyCaller(headers: HeaderLines): ServiceCaller;
};

export type ServiceCaller = {
  readonly userId: string;
  /** Tells one key from another without telling the key: limits are counted by it. */
  readonly keyName: string;
};

const MAX_USER_ID = 200;
const LOCAL_USER = 'local';

const refused = (message: string) => new AppError('unauthorized', message);

/** Two lines would let a proxy check one and us believe the other. */
function only(name: string, lines: readonly string[] = []): string | undefined {
  if (lines.length > 1) throw refused(`The header ${name} is there twice; send it once.`);
  return lines[0];
}

export function createCredentials(list: readonly Credential[]): Credentials {
  const named = new Set(list.map(({ userId, apiKey }) => `${callerKeyName(apiKey)} ${userId}`));
  const owners = createKeyIndex(list.map(({ userId, apiKey }) => [apiKey, userId] as const));
  const readKey = (headers: HeaderLines): string => {
    const authorization = only('Authorization', headers.authorization);
    if (authorization === undefined || authorization.trim() === '')
      throw refused('The header Authorization is missing; send "Authorization: Bearer KEY".');
    const apiKey = readBearer(authorization);
    if (apiKey === undefined) throw refused('The header Authorization must have the form "Bearer KEY".');
    return apiKey;
  };
  const readUserId = (headers: HeaderLines) => only('X-USER-ID', headers['x-user-id'])?.trim() ?? '';
  /** The owner of `apiKey`; throws when it is not known, or when it is not that of `userId`. */
  const ownerOf = (apiKey: string, userId: string): string => {
    const owner = owners.find(apiKey);
    if (owner === undefined) throw refused('This API key is not known.');
    if (userId !== '' && userId !== owner)
      throw refused(
        'This API key does not belong to the user of X-USER-ID; name the user that it was given to (on the command line: --user or VOXGATE_USER).',
      );
    return owner;
  };

  return {
    areRequired: !owners.isEmpty,
    localUser: LOCAL_USER,
    identify(headers) {
      const userId = readUserId(headers);
      if (owners.isEmpty) return userId === '' ? LOCAL_USER : userId.slice(0, MAX_USER_ID);
      return ownerOf(readKey(headers), userId);
    },
    identifyKey(apiKey) {
      if (owners.isEmpty) return LOCAL_USER;
      if (apiKey === undefined || apiKey === '') throw refused('The API key is missing.');
      return ownerOf(apiKey, '');
    },
    hasKey: (userId, keyName) => named.has(`${keyName} ${userId}`),
    identifyCaller(headers) {
      const apiKey = readKey(headers);
      const userId = readUserId(headers);
      if (userId === '') throw refused('The header X-USER-ID is missing; send it next to Authorization.');
      if (userId.length > MAX_USER_ID)
        throw refused(`The header X-USER-ID must have at most ${MAX_USER_ID} characters.`);
      return {
        userId: owners.isEmpty ? userId : ownerOf(apiKey, userId),
        // Without keys to know, the user is all that tells callers apart.
        keyName: owners.isEmpty ? userId : nameOfKey(apiKey),
      };
    },
  };
}
