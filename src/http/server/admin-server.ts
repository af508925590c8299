// The operator's listener, off by default: running sessions and calls, the pool, metrics. Ids and counts, never text or
// keys.

import Fastify, { type FastifyInstance } from 'fastify';
import { AppError } from '../../base/app-error.ts';
import { sendError } from '../../base/error-reply.ts';
import { endForOperator, type OperatorDesk } from '../routes/operator-routes.ts';
import { NO_OTHER_SCHEMAS } from './check-by-schema.ts';
import { METRICS_TYPE } from './http-server.ts';
import { mayEndSessions, maySeeWhatRuns, type OperatorAccess } from './operator-access.ts';

export type AdminServerOptions = {
  readonly access: OperatorAccess;
  readonly exposeMetrics: () => string | Promise<string>;
  readonly pool: () => unknown;
  readonly desk: OperatorDesk;
};

export function createAdminServer(options: AdminServerOptions): FastifyInstance {
  const app = Fastify({ logger: false, forceCloseConnections: true, schemaController: NO_OTHER_SCHEMAS });
  // On this machine alone, and not where a proxy for others leads to: whoever reaches it is of this machine.
  const looking = { ...options.access, offeredBy: undefined };
  app.addHook('onRequest', async (request) => maySeeWhatRuns(request, looking));
  app.setErrorHandler((thrown, _request, reply) =>
    sendError(reply, thrown instanceof AppError ? thrown : new AppError('internal', 'The request failed.')),
  );
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, new AppError('not_found', 'There are /metrics, /sessions, /calls and /pool.')),
  );
  const { desk } = options;
  app.get('/metrics', async (_request, reply) =>
    reply.type(METRICS_TYPE).send(await options.exposeMetrics()),
  );
  app.get('/sessions', () => desk.sessions());
  app.get('/calls', () => desk.calls());
  app.get('/pool', () => options.pool());
  app.delete(
    '/sessions/:id',
    { onRequest: async (request) => mayEndSessions(request, options.access) },
    (request, reply) => endForOperator(desk, request, reply),
  );
  return app;
}
