// The operator's listener, off by default: running sessions, the pool, metrics. Ids and counts, never text or keys.

import Fastify, { type FastifyInstance } from 'fastify';
import { AppError } from '../../base/app-error.ts';
import { sendError } from '../../base/error-reply.ts';
import type { LiveView } from '../routes/live-view.ts';
import { NO_OTHER_SCHEMAS } from './check-by-schema.ts';
import { METRICS_TYPE } from './http-server.ts';
import { mayReadMetrics } from './metrics-access.ts';

export type AdminServerOptions = {
  readonly adminKey: string | undefined;
  readonly exposeMetrics: () => string | Promise<string>;
  readonly sessions: () => readonly LiveView[] | Promise<readonly LiveView[]>;
  readonly pool: () => unknown;
};

export function createAdminServer(options: AdminServerOptions): FastifyInstance {
  const app = Fastify({ logger: false, forceCloseConnections: true, schemaController: NO_OTHER_SCHEMAS });
  app.addHook('onRequest', async (request) => mayReadMetrics(request, options.adminKey));
  app.setErrorHandler((thrown, _request, reply) =>
    sendError(reply, thrown instanceof AppError ? thrown : new AppError('internal', 'The request failed.')),
  );
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, new AppError('not_found', 'There are /metrics, /sessions and /pool.')),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type(METRICS_TYPE).send(await options.exposeMetrics()),
  );
  app.get('/sessions', async () =>
    (await options.sessions()).map(({ id, ageMs, turnsUnheard, bufferedBytes, process }) => ({
      id,
      ageMs,
      turnsUnheard,
      bufferedBytes,
      ...(process !== undefined && { process }),
    })),
  );
  app.get('/pool', () => options.pool());
  return app;
}
