// One line of the log for each request over plain HTTP when its reply is over, and its count by route and status. Every
// reply has an id, `X-Request-Id`, by which its line is found. A route is named by its pattern: an address may hold what
// opens a file, and a query a token.

import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { headerLines, traceIdOf } from '../../access/header-lines.ts';
import type { Clock } from '../../base/clock.ts';
import { errorOf } from '../../base/error-reply.ts';
import { type Log, levelOfStatus } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';

/** What becomes known of a request on its way. */
type Facts = {
  tenant?: string;
  /** The name of the caller's key. */
  key?: string | undefined;
  firstAudioMs?: number;
  audioMs?: () => number;
  /** The code of what ended the reply after it had begun. */
  broke?: string;
};

const known = new WeakMap<FastifyRequest, Facts>();

/** Adds to what the log will say of `request`; what is read from it is read when the reply is over. */
export function noteRequest(request: FastifyRequest, facts: Facts): void {
  const noted = known.get(request);
  if (noted === undefined) known.set(request, facts);
  else Object.assign(noted, facts);
}

/** For the framework: ids of requests that are UUIDs, as other vendors' clients expect them. */
export const newRequestId = (): string => randomUUID();

export type RequestLogOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Asked for all the time by machines, or parts of a page: told at the level `debug` unless they are refused. */
const QUIET: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/', '/assets/:name']);
/** Of a path that is no route's. */
const NO_ROUTE = 'none';
const STATUSES = [
  200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 408, 409, 413, 415, 416, 422, 426, 429, 500, 501,
  502, 503, 504, 507,
].map(String);
/** Of routes whose schema names none. */
const USUAL: ReadonlySet<string> = new Set(['200', '400', '401', '404', '429', '500', '503']);

/** Before the routes are added: each is counted from the start with the statuses that its schema names. */
export function logRequests(app: FastifyInstance, { clock, log, metrics }: RequestLogOptions): void {
  const routes = new Map<string, ReadonlySet<string>>([[NO_ROUTE, new Set(['404', '426'])]]);
  let count = (_route: string, _status: number) => {};
  app.addHook('onRoute', ({ url, schema }: RouteOptions) => {
    const told = Object.keys((schema?.response as object | undefined) ?? {});
    const known = routes.get(url) ?? USUAL;
    if (told.length === 0) routes.set(url, known);
    else routes.set(url, new Set([...(known === USUAL ? [] : known), ...told, '500']));
  });
  app.addHook('onReady', async () => {
    const counter = metrics.counters(
      'voxgate_http_requests_total',
      'Requests over plain HTTP whose reply is over, by route and status',
      { route: [...routes.keys()], status: STATUSES },
      [...routes].flatMap(([route, statuses]) => [...statuses].map((status) => ({ route, status }))),
    );
    count = (route, status) => counter.add(1, { route, status: String(status) });
  });

  app.addHook('onRequest', async (request, reply) => {
    const fromMs = clock.now();
    reply.header('X-Request-Id', request.id);
    reply.raw.once('close', () => {
      const route = request.routeOptions.url ?? NO_ROUTE;
      count(route, reply.raw.statusCode);
      tell(request, reply, route, clock.now() - fromMs);
    });
  });

  const tell = (request: FastifyRequest, reply: FastifyReply, route: string, tookMs: number) => {
    const { tenant, key, firstAudioMs, audioMs, broke } = known.get(request) ?? {};
    const { statusCode: status, writableFinished } = reply.raw;
    const code = broke ?? errorOf(reply);
    const fields = {
      request: request.id,
      trace: traceIdOf(headerLines(request.raw.rawHeaders)),
      method: request.method,
      route,
      tenant,
      key,
      status,
      code,
      tookMs: Math.round(tookMs),
      firstAudioMs: firstAudioMs === undefined ? undefined : Math.round(firstAudioMs),
      audioSeconds: audioMs === undefined ? undefined : Math.round(audioMs()) / 1000,
    };
    const isQuiet = broke === undefined && QUIET.has(route);
    // A balancer that asks whether to send more is answered 503 on purpose, every second.
    if (broke !== undefined || status >= 500)
      log[isQuiet ? 'debug' : 'warn']('request_failed', { ...fields, outcome: 'failed' });
    else if (status >= 400) log[levelOfStatus(status)]('request_refused', { ...fields, outcome: 'refused' });
    else {
      const outcome = writableFinished ? 'complete' : 'left';
      log[isQuiet ? 'debug' : 'info']('request_ended', { ...fields, outcome });
    }
  };
}
