// One call of the REST side: credentials, a deadline, and refusals as `VoxgateError`.

import { splitCredentials } from '../../../src/base/addresses/address-credentials.ts';
import { connectFault, silenceOf } from './connect-fault.ts';
import { toVoxgateError } from './voxgate-error.ts';

export type RestOptions = {
  /** `http://localhost:8080`, or what stands before /api/v1. */
  readonly baseUrl: string;
  /** Empty: user and password of the address are sent, as a proxy before the gateway may want them. */
  readonly apiKey?: string | undefined;
  /** The name that stands before the key in the gateway's settings. */
  readonly userId?: string | undefined;
  /** For a whole call but the audio of `speak`; 30 s unless set. */
  readonly deadlineMs?: number | undefined;
};

export type RestRequest = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly json?: unknown;
  readonly form?: FormData;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number;
};

/** `read` takes what is wanted of an answer that is a success; the deadline is over when it resolves. */
export type RestCall = <T>(
  path: string,
  request: RestRequest,
  read: (response: Response) => T | Promise<T>,
) => Promise<T>;

const DEADLINE_MS = 30_000;

/** Where requests and sessions go, and the credentials that both send. Throws for what is no address. */
export function callerOf(options: Pick<RestOptions, 'baseUrl' | 'apiKey' | 'userId'>): {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const { url, authorization: pair } = splitCredentials(options.baseUrl);
  const { apiKey = '', userId = '' } = options;
  const authorization = apiKey === '' ? (pair ?? '') : `Bearer ${apiKey}`;
  for (const [name, value] of Object.entries({ apiKey: authorization, userId }))
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new TypeError(`${name}: must be visible ASCII characters on one line (value not shown)`);
  return {
    base: url.href.replace(/\/+$/, ''),
    headers: {
      ...(authorization !== '' && { authorization }),
      ...(userId !== '' && { 'x-user-id': userId }),
    },
  };
}

export function createRestCall(options: RestOptions): RestCall {
  const { base, headers: credentials } = callerOf(options);
  return async (path, request, read) => {
    const { method = 'GET', json, form, query = {}, idempotencyKey, signal } = request;
    const url = new URL(`${base}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const late = new AbortController();
    const deadlineMs = request.deadlineMs ?? options.deadlineMs ?? DEADLINE_MS;
    const timer = setTimeout(() => late.abort(silenceOf(base, deadlineMs)), deadlineMs);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...credentials,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...(form === undefined ? {} : { body: form }),
        signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      });
      if (!response.ok) throw await toVoxgateError(response);
      return await read(response);
    } catch (error) {
      throw error instanceof TypeError ? connectFault(error, url.href) : error;
    } finally {
      clearTimeout(timer);
    }
  };
}
