// The caller of the service: both credentials of the interface (section 5), and the key's requests by the minute (section 8).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerKeyName, readBearer } from '../../access/bearer-key.ts';
import type { Credentials, ServiceCaller } from '../../access/credentials.ts';
import { type HeaderLines, headerLines } from '../../access/header-lines.ts';
import { AppError } from '../../base/app-error.ts';
import { rateLimitHeaders } from '../../limits/rate-limit-headers.ts';
import type { KeyLimits, RateRule } from '../../service/key-limits.ts';
import { noteRequest } from './request-log.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which limit a route counts under; none: it is not counted. */
    rateRule?: RateRule;
  }
}

const callers = new WeakMap<FastifyRequest, ServiceCaller>();

/** The caller of a route of the service; the hook below has checked it. */
export const ownerOf = (request: FastifyRequest): string => callers.get(request)!.userId;

/** As it was sent; of a header given twice, the first. */
export const idempotencyKeyOf = ({ headers }: FastifyRequest): string | undefined =>
  [headers['idempotency-key']].flat()[0];

/** The answer is what the first request with this key has made. */
export const tellReplayed = (reply: FastifyReply): void => {
  reply.header('Idempotency-Replayed', 'true');
};

/** Counts one request of the caller; throws `rate_limited`. The state of the window is told in the headers of the reply. */
export async function countRequest(
  limits: KeyLimits,
  rule: RateRule | undefined,
  { keyName }: ServiceCaller,
  reply: FastifyReply,
): Promise<void> {
  if (rule === undefined) return;
  const taken = await limits.take(rule, keyName);
  if (taken === undefined) return;
  reply.headers(rateLimitHeaders('06', taken.perMinute, taken));
  if (taken.allowed) return;
  throw new AppError(
    'rate_limited',
    `This key may make ${taken.perMinute} such requests in 60 seconds; wait for the rest.`,
    { retryAfterMs: taken.resetMs },
  );
}

/** Of a wrong key, too: the operator finds whose it is. */
function noteKey(request: FastifyRequest, headers: HeaderLines): void {
  const apiKey = readBearer(headers.authorization?.[0] ?? '');
  if (apiKey !== undefined) noteRequest(request, { key: callerKeyName(apiKey) });
}

/** Every route of `api` needs both headers from here on. */
export function requireCaller(api: FastifyInstance, credentials: Credentials, limits: KeyLimits): void {
  api.addHook('onRequest', async (request, reply) => {
    const headers = headerLines(request.raw.rawHeaders);
    if (credentials.areRequired) noteKey(request, headers);
    const caller = credentials.identifyCaller(headers);
    noteRequest(request, { tenant: caller.userId });
    callers.set(request, caller);
    await countRequest(limits, request.routeOptions.config.rateRule, caller, reply);
  });
}
