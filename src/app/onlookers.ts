// Onlookers and the tokens that let them and browsers in, built: the clock of all onlookers, and the routes on the public
// listener.

import type { FastifyInstance } from 'fastify';
import { createCallerTokens } from '../access/caller-tokens.ts';
import type { Credentials } from '../access/credentials.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { addLiveRoutes } from '../http/routes/live-routes.ts';
import type { LiveView } from '../http/routes/live-view.ts';
import { addOnlookerRoutes } from '../http/routes/onlooker-routes.ts';
import { addTokenRoutes } from '../http/routes/token-routes.ts';
import { checkBySchema } from '../http/server/check-by-schema.ts';
import { refuseOtherMethods } from '../http/server/other-methods.ts';
import { createPlayoutClock } from '../playout/playout-clock.ts';
import type { LiveSessions } from '../session/live-sessions.ts';
import type { OnlookerRuntime } from '../session/observers/session-audience.ts';
import { createTokenDesk } from '../session/observers/token-desk.ts';
import type { Config } from '../settings/settings.ts';

/** They are seconds behind the listener: what a twenty-fifth of a second brings goes out together. */
const TICK_MS = 40;

export type AppOnlookersOptions = {
  readonly config: Config;
  readonly credentials: Credentials;
  /** Of all processes of the gateway. */
  readonly tokenSecret: string;
  /** Which all of them read alike. */
  readonly tokenClock: Clock;
  /** Onlookers that this process may have. */
  readonly maxOnlookers: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

export type OnlookerRoutes = {
  /** Those of this process, which alone can be looked on at here. */
  readonly sessions: LiveSessions;
  readonly isStopping: () => boolean;
};

export type LookingRoutes = OnlookerRoutes & {
  readonly hasSession: (userId: string, id: string) => boolean;
  readonly sessionsOf: (userId: string) => readonly LiveView[] | Promise<readonly LiveView[]>;
  readonly revoke: (userId: string, id: string) => void | Promise<void>;
  readonly pool: () => unknown;
};

export function openAppOnlookers(options: AppOnlookersOptions) {
  const { config, credentials, clock, random, log } = options;
  const ticks = createPlayoutClock({
    clock,
    tickMs: TICK_MS,
    onFault: (_player, fault) => log.error('onlookers failed', { cause: String(fault) }),
  });
  const limits = { ...config, maxOnlookers: options.maxOnlookers };
  const runtime: OnlookerRuntime = { ticks, limits, count: { open: 0 } };
  const tokens = createTokenDesk(createCallerTokens(options.tokenSecret), options.tokenClock, random);
  const addSeats = (scope: FastifyInstance, { sessions, isStopping }: OnlookerRoutes) =>
    addOnlookerRoutes(scope, {
      credentials,
      tokens,
      sessions,
      clock,
      log,
      isStopping,
      maxBufferedBytes: config.maxBufferedBytes,
    });
  const inScope = async (http: FastifyInstance, add: (scope: FastifyInstance) => void) => {
    await http.register(async (scope) => {
      checkBySchema(scope);
      const methods = refuseOtherMethods(scope);
      add(scope);
      methods.close();
    });
  };
  return {
    runtime,
    tokens,
    /** Looking on alone. */
    addSeats: (http: FastifyInstance, routes: OnlookerRoutes): Promise<void> =>
      inScope(http, (scope) => addSeats(scope, routes)),
    /** Looking on, and all that one needs for it. */
    addRoutes: (http: FastifyInstance, routes: LookingRoutes): Promise<void> =>
      inScope(http, (scope) => {
        const { hasSession, sessionsOf, revoke, pool, isStopping } = routes;
        addTokenRoutes(scope, { credentials, tokens, hasSession, revoke, unixMs: Date.now, isStopping });
        addLiveRoutes(scope, { credentials, sessionsOf, adminKey: config.adminKey, pool });
        addSeats(scope, routes);
      }),
    close: () => ticks.close(),
  };
}

export type AppOnlookers = ReturnType<typeof openAppOnlookers>;
