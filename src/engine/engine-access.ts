// Who may ask the engine to speak, and how often: both credentials of the service interface (section 5), and its fixed
// 60-second window for each key (8.4). Keys are kept as digests, and a wrong one takes the same time however many there are.

import { createHash } from 'node:crypto';
import { readBearer } from '../access/bearer-key.ts';
import { createKeyIndex } from '../access/key-index.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { type RateDecision, type RateWindow, takeFromWindow } from '../limits/rate-window.ts';

export type EngineKey = {
  readonly userId: string;
  readonly apiKey: string;
  /** Speech requests in 60 s; 0 or absent: no limit. */
  readonly perMinute?: number | undefined;
};

export type Caller = {
  readonly perMinute: number;
  /** The first 32 bits of the digest: tells one key from another without telling the key. */
  readonly keyNumber: number;
  window: RateWindow | undefined;
};

export type EngineAccess = {
  /** The caller behind the two headers; throws `unauthorized`. Without any keys every non-empty pair is let in. */
  admit(authorization: string | undefined, userId: string | undefined): Caller;
  /** Counts one request; undefined when this caller has no limit. */
  count(caller: Caller): RateDecision | undefined;
};

/** Both credentials as one key. */
const pairOf = (userId: string, apiKey: string): string => JSON.stringify([userId, apiKey]);
const numberOf = (pair: string): number => createHash('sha256').update(pair).digest().readUInt32BE(0);

const refused = (message: string) => new AppError('unauthorized', message);

function credentialsOf(authorization: string | undefined, userId: string | undefined): [string, string] {
  if (authorization === undefined || authorization === '')
    throw refused(
      'The header Authorization is missing: send "Authorization: Bearer <API_KEY>" and X-USER-ID.',
    );
  const apiKey = readBearer(authorization);
  if (apiKey === undefined) throw refused('The header Authorization must have the form "Bearer <API_KEY>".');
  if (userId === undefined || userId.trim() === '')
    throw refused('The header X-USER-ID is missing: send "X-USER-ID: <USER_ID>" next to Authorization.');
  return [userId.trim(), apiKey];
}

export function createEngineAccess(keys: readonly EngineKey[], clock: Clock): EngineAccess {
  const callers = createKeyIndex(
    keys.map(({ userId, apiKey, perMinute = 0 }) => {
      const pair = pairOf(userId, apiKey);
      const caller: Caller = { perMinute, keyNumber: numberOf(pair), window: undefined };
      return [pair, caller] as const;
    }),
  );
  const anyone: Caller = { perMinute: 0, keyNumber: 0, window: undefined };

  return {
    admit(authorization, userIdHeader) {
      const [userId, apiKey] = credentialsOf(authorization, userIdHeader);
      if (callers.isEmpty) return anyone;
      const caller = callers.find(pairOf(userId, apiKey));
      if (caller === undefined)
        throw refused('This API key and X-USER-ID do not belong together or are not known.');
      return caller;
    },
    count(caller) {
      if (caller.perMinute <= 0) return undefined;
      const decision = takeFromWindow(caller.window, caller.perMinute, clock.now());
      caller.window = decision.window;
      return decision;
    },
  };
}
