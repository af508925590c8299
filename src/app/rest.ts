// Builds everything that is plain HTTP: health, metrics, the speech service, other vendors' speech, tokens, the page,
// which do not listen yet; and the operator's listener, on this machine alone.

import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { sessionGone } from '../access/resume-tokens.ts';
import { toAppError } from '../base/app-error.ts';
import { listening } from '../base/processes/listen-fault.ts';
import { asyncApiDocument } from '../dialects/asyncapi.ts';
import { DIALECTS } from '../dialects/dialects.ts';
import { RESUME } from '../dialects/session-preset.ts';
import { checkResume } from '../gateway/sockets/admit-upgrade.ts';
import { addCompatRoutes } from '../http/compat/compat-routes.ts';
import type { LegRoutesOptions } from '../http/routes/leg-routes.ts';
import { addPlaygroundRoutes } from '../http/routes/playground-routes.ts';
import { type AdminServerOptions, createAdminServer } from '../http/server/admin-server.ts';
import { createHttpServer } from '../http/server/http-server.ts';
import { addServiceApi } from '../http/server/service-api.ts';
import { operatorAccess, type ServedCallers } from '../settings/operator-access.ts';
import type { Config } from '../settings/settings.ts';
import { ADMIN_HOST, listenAt, originOf, portOf, SPARE_SOCKETS, type StartOptions } from './gateway.ts';
import type { AppObservers, ObserverListRoutes } from './observers.ts';
import { type AppService, type AppServiceOptions, openAppService } from './service.ts';

export type AppRestOptions = Omit<AppServiceOptions, 'searchPath' | 'isStopping' | 'onLost' | 'noteRevoked'> &
  Pick<StartOptions, 'service' | 'searchPath' | 'playgroundFolder' | 'engine' | 'onLost'> & {
    /** Undefined also where another process speaks TLS. */
    readonly tls: { readonly cert: string; readonly key: string } | undefined;
    readonly observers: AppObservers;
    readonly routes: ObserverListRoutes;
    readonly legs: LegRoutesOptions;
    /** A load balancer is to send nothing more. What comes all the same is taken until `isStopping`. */
    readonly isLeaving: () => boolean;
    readonly exposeMetrics: () => string | Promise<string>;
    /** Has onlookers of sessions that other instances have go on to them. */
    readonly passOnlookersOn?: (http: FastifyInstance) => void;
  };

const PLAYGROUND = fileURLToPath(new URL('../playground', import.meta.url));

function isWebSocketPath(path: string): boolean {
  const upgrade = { path, query: new URLSearchParams(), headers: {}, protocols: [] };
  return DIALECTS.some((dialect) => {
    try {
      return dialect.enter(upgrade) !== undefined;
    } catch {
      return true; // its own, and refused for what is missing
    }
  });
}

export async function openAppRest(options: AppRestOptions) {
  const { config, clock, log, metrics, version, credentials, observers, routes, legs } = options;
  const http = createHttpServer({
    clock,
    log,
    metrics,
    tls: options.tls,
    maxSockets: config.maxConnections + SPARE_SOCKETS,
    loopbackOnly: !credentials.areRequired,
    access: operatorAccess(config),
    isLeaving: options.isLeaving,
    notReady() {
      if (options.isLeaving()) return 'stopping';
      return options.engine?.isReady() === false ? 'engine-restarting' : service?.notReady();
    },
    without: () => service?.without() ?? [],
    onStorageError: (error) => service?.onStorageError(error),
    exposeMetrics: options.exposeMetrics,
    isWebSocketPath,
    async resumeRefusal(url) {
      const text = new URL(url, 'http://gateway.invalid').searchParams.get(RESUME);
      if (text === null) return undefined;
      try {
        const access = { resumeTokens: observers.resumeTokens, tokens: observers.tokens, credentials };
        const { userId, session } = checkResume(text, access);
        const isThere =
          (await routes.isKept?.(session)) === true || (await routes.hasSession(userId, session));
        return isThere ? undefined : sessionGone();
      } catch (thrown) {
        return toAppError(thrown);
      }
    },
    asyncApi: () => {
      asyncApi ??= asyncApiDocument(version, new URL(config.publicUrl ?? options.origin()));
      return asyncApi;
    },
  });
  let asyncApi: unknown;
  options.passOnlookersOn?.(http);
  const service: AppService | undefined =
    options.service === 'off'
      ? undefined
      : await openAppService({
          ...options,
          searchPath: options.searchPath,
          isStopping: routes.isStopping,
          noteRevoked(id, leftMs) {
            if (!observers.tokens.isRevoked(id)) routes.noteRevoked(id, leftMs);
          },
          onLost: options.onLost ?? (() => {}),
        });
  if (service !== undefined) {
    await addServiceApi(http, { ...service.api, legs });
    await addCompatRoutes(http, service.compat);
  }
  await observers.addRoutes(http, {
    ...routes,
    async revoke(userId, id) {
      await routes.revoke(userId, id);
      await service?.keepRevoked(id);
    },
  });
  const playground = addPlaygroundRoutes(http, {
    folder: options.playgroundFolder ?? PLAYGROUND,
    publicUrl: config.publicUrl,
    wants: credentials.areRequired ? 'keys' : 'nothing',
  });
  return { http, service, playground };
}

/** The operator's listener: its address; undefined when it is off. */
export async function openAppAdmin(
  config: ServedCallers & Pick<Config, 'host' | 'port' | 'audiosocketPort' | 'adminPort' | 'peerPort'>,
  told: Omit<AdminServerOptions, 'access'>,
  onStop: (stop: () => Promise<void>) => void,
): Promise<string | undefined> {
  const at = listenAt(config, 'adminPort');
  if (at.port === 0) return undefined;
  const admin = createAdminServer({ ...told, access: operatorAccess(config) });
  await listening(admin.listen(at), at);
  onStop(async () => {
    await admin.close();
  });
  return originOf('http', ADMIN_HOST, portOf(admin.server.address()));
}
