// The plain HTTP side of the public listener: health, metrics, the protocol's document, and one error shape for
// everything else, requests that cannot be read included. Upgrades are not its business.

import { type Buffer, isUtf8 } from 'node:buffer';
import Fastify, { type FastifyInstance } from 'fastify';
import { headerLines } from '../../access/header-lines.ts';
import { guardLoopback } from '../../access/loopback-guard.ts';
import { AppError, isStorageError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { refuseUnreadable, sendError } from '../../base/error-reply.ts';
import { BODY_BYTES, fromFramework } from '../../base/framework-error.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import { dropUnreadBodies, limitBodyTime, UPLOAD_MS } from './body-deadline.ts';
import { NO_OTHER_SCHEMAS } from './check-by-schema.ts';
import { mayReadMetrics, type OperatorAccess } from './operator-access.ts';
import { logRequests, newRequestId } from './request-log.ts';

export type HttpServerOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Sockets of all kinds, sessions included; more are closed as they come. */
  readonly maxSockets: number;
  /** Without API keys only this machine is served. */
  readonly loopbackOnly: boolean;
  /** Who may read the metrics. */
  readonly access: OperatorAccess;
  /** Why the gateway cannot take traffic now; undefined when it can. */
  readonly notReady: () => string | undefined;
  /** True from the signal to stop on: every answer closes its connection, so that the next request goes elsewhere. */
  readonly isLeaving?: () => boolean;
  /** What it takes sessions without, when it is ready. */
  readonly without?: () => readonly string[];
  /** A request failed because the disk is full or cannot be written. */
  readonly onStorageError?: (error: AppError) => void;
  readonly exposeMetrics: () => string | Promise<string>;
  readonly asyncApi: () => unknown;
  /** Whether a WebSocket would be taken at this path. */
  readonly isWebSocketPath?: (path: string) => boolean;
  /** Why a session that this address asks to go on with cannot; undefined: it can, or there is none asked for. */
  readonly resumeRefusal?: (url: string) => Promise<AppError | undefined>;
};

/** Slow or half-open peers are dropped long before they could accumulate (Node's own defaults are minutes). */
const HEADERS_TIMEOUT_MS = 10_000;
export const HANDSHAKE_MS = HEADERS_TIMEOUT_MS;
const CONNECTIONS_CHECK_MS = 2000;
export const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 8 * 1024;
/** 0 is no bound but that on bytes: beyond any other, Node drops headers silently, and with them a proxy's trace. */
export const MAX_HEADERS = 0;
/** What Node itself holds every request to. */
export const HTTP_GUARDS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
  maxHeaderSize: MAX_HEADER_BYTES,
} as const;
const WEBSOCKET_ONLY =
  'This path is a WebSocket, and the request has no Upgrade; connect with ws:// or wss://, and a proxy in between has to pass Upgrade and Connection on.';
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, tls } = options;
  const app = Fastify({
    logger: false,
    genReqId: newRequestId,
    bodyLimit: BODY_BYTES,
    requestTimeout: UPLOAD_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    // The bound on headers is one on paths, too; the framework's own answers in words that are not ours.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, ignoreTrailingSlash: true },
    schemaController: NO_OTHER_SCHEMAS,
    clientErrorHandler: refuseUnreadable,
    // A path that cannot be decoded reaches no route, nor the handlers below.
    frameworkErrors(error, _request, reply) {
      sendError(reply, fromFramework(error));
    },
    // The framework passes on one of the two, so the guards stand in both.
    ...(tls === undefined
      ? { http: HTTP_GUARDS }
      : { https: { ...HTTP_GUARDS, ...tls, handshakeTimeout: HANDSHAKE_MS } }),
  }) as unknown as FastifyInstance;
  // Bodies are JSON or forms; text that is said to be plain is what `fetch` sends when nobody has told it what it is.
  app.removeContentTypeParser('text/plain');
  readJsonAsUtf8(app);
  app.server.maxConnections = options.maxSockets;
  app.server.maxHeadersCount = MAX_HEADERS;

  logRequests(app, options);
  app.addHook('onRequest', async ({ raw, protocol }, reply) => {
    if (options.isLeaving?.() === true) reply.header('Connection', 'close');
    if (options.loopbackOnly) guardLoopback(headerLines(raw.rawHeaders), protocol);
  });
  limitBodyTime(app, options.clock);
  dropUnreadBodies(app);
  app.setErrorHandler((thrown, request, reply) => {
    const { id, raw } = request;
    const error = fromFramework(thrown, request);
    if (isStorageError(error)) options.onStorageError?.(error);
    // A request that its caller has abandoned is no fault, and there is no one to answer.
    if (error.code === 'internal' && !raw.socket.destroyed)
      log.error('a request failed inside', { request: id, cause: String(error.cause) });
    return sendError(reply, error);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    if (app.hasRoute({ method: 'GET', url: path })) {
      reply.header('Allow', 'GET, HEAD');
      return sendError(reply, new AppError('method_not_allowed', 'This path is for GET and HEAD.'));
    }
    const isGet = request.method === 'GET' || request.method === 'HEAD';
    if (isGet && options.isWebSocketPath?.(path) === true) {
      // Browsers tell nothing of an upgrade that was refused: this is where they ask.
      const refused = await options.resumeRefusal?.(request.url);
      if (refused !== undefined) return sendError(reply, refused);
      // RFC 9110 15.5.22 wants the header.
      reply.header('Upgrade', 'websocket');
      return sendError(reply, new AppError('upgrade_required', WEBSOCKET_ONLY));
    }
    const message =
      'There is nothing at this path; /openapi.json lists those of HTTP, /asyncapi.json tells the protocol of sessions.';
    return sendError(reply, new AppError('not_found', message));
  });

  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => {
    const reason = options.notReady();
    if (reason !== undefined) return reply.code(503).send({ status: 'unavailable', reason });
    const without = options.without?.() ?? [];
    return without.length === 0 ? { status: 'ok' } : { status: 'ok', without };
  });
  app.get('/metrics', async (request, reply) => {
    mayReadMetrics(request, options.access);
    return reply.type(METRICS_TYPE).send(await options.exposeMetrics());
  });
  app.get('/asyncapi.json', () => options.asyncApi());
  return app;
}

/** JSON is UTF-8 (RFC 8259, 8.1). In another encoding it would be spoken with a replacement character for each letter beyond ASCII. */
function readJsonAsUtf8(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(body as Buffer)) done(new AppError('invalid_json', 'body: must be JSON in UTF-8 (RFC 8259)'));
    else void parse(request, (body as Buffer).toString('utf8'), done);
  });
}
