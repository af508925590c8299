// Builds the observers and the tokens that let them and browsers in: the clock of all observers, and their routes on the
// public listener.

import type { FastifyInstance } from 'fastify';
import { createCallerTokens } from '../access/caller-tokens.ts';
import type { Credentials } from '../access/credentials.ts';
import { createResumeTokens } from '../access/resume-tokens.ts';
import type { SigningKeys } from '../access/signing-keys.ts';
import { createTokenIssuer } from '../access/token-issuer.ts';
import { wallClock } from '../base/shared-clock.ts';
import { addLiveRoutes } from '../http/routes/live-routes.ts';
import type { LiveView } from '../http/routes/live-view.ts';
import { addObserverRoutes } from '../http/routes/observer-routes.ts';
import { addOperatorRoutes, type OperatorDesk } from '../http/routes/operator-routes.ts';
import { addTokenRoutes } from '../http/routes/token-routes.ts';
import { checkBySchema } from '../http/server/check-by-schema.ts';
import { refuseOtherMethods } from '../http/server/other-methods.ts';
import { createPlayoutClock } from '../playout/playout-clock.ts';
import type { LiveSessions } from '../session/live-sessions.ts';
import type { OnlookerRuntime } from '../session/observers/session-audience.ts';
import { operatorAccess } from '../settings/operator-access.ts';
import type { AppContext } from './context.ts';

/** Observers are seconds behind the listener: what 40 ms bring is sent together. */
const TICK_MS = 40;

export type AppObserversOptions = AppContext & {
  readonly credentials: Credentials;
  /** Of all processes and instances of the gateway. */
  readonly tokenKeys: SigningKeys;
  /** Observers that this process may have. */
  readonly maxOnlookers: number;
};

export type ObserverRoutes = {
  /** Those of this process: only these can be observed here. */
  readonly sessions: LiveSessions;
  readonly isStopping: () => boolean;
};

export type ObserverListRoutes = ObserverRoutes & {
  readonly hasSession: (userId: string, id: string) => boolean | Promise<boolean>;
  /** Its journal is there, whatever has become of its instance; absent: there are none. */
  readonly isKept?: (id: string) => Promise<boolean>;
  readonly sessionsOf: (userId: string) => readonly LiveView[] | Promise<readonly LiveView[]>;
  readonly revoke: (userId: string, id: string) => void | Promise<void>;
  /** As `revoke`, of one that was taken back elsewhere, for all processes of the gateway. */
  readonly noteRevoked: (id: string, leftMs: number) => void;
  readonly pool: () => unknown;
  readonly desk: OperatorDesk;
};

export function openAppObservers(options: AppObserversOptions) {
  const { config, credentials, clock, random, log } = options;
  const ticks = createPlayoutClock({
    clock,
    tickMs: TICK_MS,
    onFault: (_player, fault) => log.error('onlookers failed', { cause: String(fault) }),
  });
  const limits = { ...config, maxOnlookers: options.maxOnlookers };
  const runtime: OnlookerRuntime = { ticks, limits, count: { open: 0 } };
  const tokens = createTokenIssuer(createCallerTokens(options.tokenKeys), wallClock, random);
  const addSeats = (scope: FastifyInstance, { sessions, isStopping }: ObserverRoutes) =>
    addObserverRoutes(scope, {
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
    /** Of all processes of the gateway, too. */
    resumeTokens: createResumeTokens(options.tokenKeys),
    /** The observers' routes alone. */
    addSeats: (http: FastifyInstance, routes: ObserverRoutes): Promise<void> =>
      inScope(http, (scope) => addSeats(scope, routes)),
    /** The observers' routes, and all that a caller needs to use them. */
    addRoutes: (http: FastifyInstance, routes: ObserverListRoutes): Promise<void> =>
      inScope(http, (scope) => {
        const { hasSession, sessionsOf, revoke, pool, desk, isStopping } = routes;
        const access = operatorAccess(config);
        addTokenRoutes(scope, { credentials, tokens, hasSession, revoke, unixMs: Date.now, isStopping });
        addLiveRoutes(scope, { credentials, sessionsOf, access, pool });
        addOperatorRoutes(scope, { desk, access });
        addSeats(scope, routes);
      }),
    close: () => ticks.close(),
  };
}

export type AppObservers = ReturnType<typeof openAppObservers>;
