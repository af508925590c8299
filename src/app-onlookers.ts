// Onlookers and the tokens that let them and browsers in, built: the clock of all onlookers, and the routes on the public
// listener.

import type { FastifyInstance } from 'fastify';
import { createCallerTokens } from './access/caller-tokens.ts';
import type { Credentials } from './access/credentials.ts';
import type { Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import type { Random } from './base/random.ts';
import { checkBySchema } from './http/check-by-schema.ts';
import { addLiveRoutes } from './http/live-routes.ts';
import { addOnlookerRoutes } from './http/onlooker-routes.ts';
import { refuseOtherMethods } from './http/other-methods.ts';
import { addTokenRoutes } from './http/token-routes.ts';
import { createPlayoutClock } from './playout/playout-clock.ts';
import type { LiveSessions } from './session/live-sessions.ts';
import type { OnlookerRuntime } from './session/session-audience.ts';
import { createTokenDesk } from './session/token-desk.ts';
import type { Config } from './settings/settings.ts';

const SECRET_BYTES = 32;
/** They are seconds behind the listener: what a twenty-fifth of a second brings goes out together. */
const TICK_MS = 40;

export type AppOnlookersOptions = {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

export type OnlookerRoutes = {
  readonly sessions: LiveSessions;
  readonly pool: () => unknown;
  readonly isStopping: () => boolean;
};

export function openAppOnlookers(options: AppOnlookersOptions) {
  const { config, credentials, clock, random, log } = options;
  const ticks = createPlayoutClock({
    clock,
    tickMs: TICK_MS,
    onFault: (_player, fault) => log.error('onlookers failed', { cause: String(fault) }),
  });
  const runtime: OnlookerRuntime = { ticks, limits: config, count: { open: 0 } };
  // A session and whoever watches it meet in one process, so the secret need not outlive it.
  const tokens = createTokenDesk(createCallerTokens(random.id(SECRET_BYTES)), clock, random);
  return {
    runtime,
    tokens,
    async addRoutes(http: FastifyInstance, { sessions, pool, isStopping }: OnlookerRoutes): Promise<void> {
      await http.register(async (scope) => {
        checkBySchema(scope);
        const methods = refuseOtherMethods(scope);
        const common = { credentials, tokens, sessions, clock };
        addTokenRoutes(scope, { ...common, unixMs: Date.now });
        addLiveRoutes(scope, { ...common, adminKey: config.adminKey, pool });
        addOnlookerRoutes(scope, {
          ...common,
          log,
          isStopping,
          maxBufferedBytes: config.maxBufferedBytes,
        });
        methods.close();
      });
    },
    close: () => ticks.close(),
  };
}
