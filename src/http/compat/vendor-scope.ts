// The routes of one vendor on the public listener: the vendor's place for the key and its shape of a refusal, for
// everything that can go wrong on its paths; tenants, limits and the error table are the gateway's.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerKeyName, nameOfKey } from '../../access/bearer-key.ts';
import type { Credentials } from '../../access/credentials.ts';
import { type HeaderLines, headerLines } from '../../access/header-lines.ts';
import { AppError } from '../../base/app-error.ts';
import { noteError } from '../../base/error-reply.ts';
import { fromFramework } from '../../base/framework-error.ts';
import type { Log } from '../../base/log.ts';
import { renamedError } from '../../dialects/field-names.ts';
import type { KeyLimits } from '../../service/key-limits.ts';
import { refuseOtherMethods } from '../server/other-methods.ts';
import { noteRequest } from '../server/request-log.ts';
import { countRequest } from '../server/service-caller.ts';
import type { Refused } from './asked-speech.ts';

// Where the clients of another vendor put their API key: a header of its own, or `Authorization` behind one of its schemes.
type KeyPlaces = {
  /** A header that holds nothing but the key, in lower case; it goes before `authorization`. */
  readonly header?: string;
  /** Of `Authorization`, in lower case. */
  readonly schemes: readonly string[];
};

/** With two lines a proxy could check one and the gateway believe the other. */
function only(name: string, lines: readonly string[] | undefined): string | undefined {
  if (lines !== undefined && lines.length > 1)
    throw new AppError('unauthorized', `${name}: given twice; send it once.`);
  return lines?.[0];
}

/** Undefined when there is none, or in a form that is not this vendor's. Throws `unauthorized` for a header given twice. */
function readRequestKey(headers: HeaderLines, { header, schemes }: KeyPlaces): string | undefined {
  const own = header === undefined ? undefined : only(header, headers[header])?.trim();
  if (own !== undefined && own !== '') return own;
  const [, scheme, key] =
    /^\s*([\w-]+) +(\S+)\s*$/.exec(only('Authorization', headers.authorization) ?? '') ?? [];
  return scheme !== undefined && schemes.includes(scheme.toLowerCase()) ? key : undefined;
}

export type VendorRefusal = {
  readonly error: AppError;
  readonly status: number;
  /** The field of the request that is wrong, where it is one. */
  readonly field: string | undefined;
  readonly requestId: string;
};

export type Vendor = {
  readonly key: KeyPlaces;
  /** Every reply has an id here. */
  readonly idHeader: string;
  /** What the status of a refusal by the speech service's own limit is: some clients would not come back after a 429. */
  readonly upstreamLimit: 429 | 503;
  readonly toBody: (refusal: VendorRefusal) => object;
  /** What its requests call our fields, where that is something else. */
  readonly fieldNames: Readonly<Record<string, string>>;
};

export type VendorScopeMeans = {
  readonly credentials: Credentials;
  readonly limits: KeyLimits;
  readonly log: Log;
};

export type VendorScope = {
  readonly api: FastifyInstance;
  /** The caller of a route. */
  readonly tenantOf: (request: FastifyRequest) => string;
  /** A UUID, the same for one reply. */
  readonly requestIdOf: (reply: FastifyReply) => string;
  /** Answers a request that cannot be read as one. */
  readonly refuse: (reply: FastifyReply, refusal: Refused) => FastifyReply;
};

export async function openVendorScope(
  app: FastifyInstance,
  vendor: Vendor,
  { credentials, limits, log }: VendorScopeMeans,
  addRoutes: (scope: VendorScope) => void,
): Promise<void> {
  const tenants = new WeakMap<FastifyRequest, string>();
  const idOf = (reply: FastifyReply): string => {
    const { id } = reply.request;
    reply.header(vendor.idHeader, id);
    return id;
  };
  const send = (reply: FastifyReply, thrown: AppError): FastifyReply => {
    const error = renamedError(thrown, vendor.fieldNames);
    const field = error.field === '' ? undefined : error.field;
    const status = error.code === 'upstream_rate_limited' ? vendor.upstreamLimit : error.http;
    const requestId = idOf(reply);
    noteError(reply, error);
    if (error.code === 'unauthorized') reply.header('WWW-Authenticate', 'Bearer');
    if (error.retryAfterMs !== undefined)
      reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))));
    // Clients of two vendors retry every 5xx, unless a header says otherwise.
    if (status >= 500) reply.header('X-Should-Retry', String(error.retryable));
    return reply
      .code(status)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(vendor.toBody({ error, status, field, requestId })));
  };

  await app.register(async (api) => {
    api.setErrorHandler((thrown, request, reply) => {
      const { id, raw } = request;
      const error = fromFramework(thrown, request);
      if (error.code === 'internal' && !raw.socket.destroyed)
        log.error('a request failed inside', { request: id, cause: String(error.cause) });
      return send(reply, error);
    });
    const methods = refuseOtherMethods(api);
    api.addHook('onRequest', async (request, reply) => {
      idOf(reply);
      const apiKey = readRequestKey(headerLines(request.raw.rawHeaders), vendor.key);
      const isNamed = credentials.areRequired && apiKey !== undefined;
      noteRequest(request, { key: isNamed ? callerKeyName(apiKey) : undefined });
      const userId = credentials.identifyKey(apiKey);
      noteRequest(request, { tenant: userId });
      tenants.set(request, userId);
      const keyName = isNamed ? nameOfKey(apiKey) : userId;
      await countRequest(limits, request.routeOptions.config.rateRule, { userId, keyName }, reply);
    });
    addRoutes({
      api,
      tenantOf: (request) => tenants.get(request)!,
      requestIdOf: idOf,
      refuse: (reply, { field, message }) => send(reply, new AppError('invalid_request', message, { field })),
    });
    methods.close();
  });
}
