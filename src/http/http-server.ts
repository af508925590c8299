// The plain HTTP side of the public listener: health, metrics, the protocol's document, and one error shape for
// everything else. Upgrades are not its business.

import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { guardLoopback } from '../access/loopback-guard.ts';
import { AppError, toAppError, toErrorBody } from '../base/app-error.ts';
import type { Log } from '../base/log.ts';
import { mayReadMetrics } from './metrics-access.ts';

export type HttpServerOptions = {
  readonly log: Log;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Without API keys only this machine is served. */
  readonly loopbackOnly: boolean;
  readonly adminKey: string | undefined;
  /** Why the gateway cannot take traffic now; undefined when it can. */
  readonly notReady: () => string | undefined;
  readonly exposeMetrics: () => string;
  readonly asyncApi: () => unknown;
};

/** Slow or half-open peers are dropped long before they could gather (Node's own defaults are minutes). */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_CHECK_MS = 2000;
const KEEP_ALIVE_MS = 65_000;
const MOST_HEADER_BYTES = 8 * 1024;
const BODY_BYTES = 256 * 1024;
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  if (error.retryAfterMs !== undefined) reply.header('Retry-After', Math.ceil(error.retryAfterMs / 1000));
  return reply.code(error.http).send(toErrorBody(error));
}

/** The framework's own refusals, told in our codes. */
function fromFramework(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const status = (thrown as FastifyError).statusCode;
  if (status === 413) return new AppError('payload_too_large', 'The request body is too large.');
  if (status === 415)
    return new AppError('unsupported_media_type', 'The request body must be application/json.');
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError('invalid_request', 'The request cannot be read.');
  }
  return toAppError(thrown);
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, tls } = options;
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    ...(tls === undefined ? {} : { https: tls }),
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
    },
  }) as unknown as FastifyInstance;

  app.addHook('onRequest', async (request) => {
    if (options.loopbackOnly && request.url !== '/livez' && request.url !== '/readyz') {
      guardLoopback(request.headers, tls === undefined ? 'http' : 'https');
    }
  });
  app.setErrorHandler((thrown, _request, reply) => {
    const error = fromFramework(thrown);
    if (error.code === 'internal') log.error('a request failed inside', { cause: String(error.cause) });
    return sendError(reply, error);
  });
  app.setNotFoundHandler((_request, reply) =>
    sendError(
      reply,
      new AppError('not_found', 'There is nothing at this path; /asyncapi.json tells the protocol.'),
    ),
  );

  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => {
    const reason = options.notReady();
    return reason === undefined ? { status: 'ok' } : reply.code(503).send({ status: 'unavailable', reason });
  });
  app.get('/metrics', (request, reply) => {
    mayReadMetrics(request, options.adminKey);
    return reply.type(METRICS_TYPE).send(options.exposeMetrics());
  });
  app.get('/asyncapi.json', () => options.asyncApi());
  return app;
}
