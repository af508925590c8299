// Connections to addresses that callers name, over HTTP/1.1: one connection for each request, judged when it is made
// and gone when the answer is read, so that nothing a stranger's server does outlives the call. No proxy settings are
// read: a proxy would make the connection that is judged here. undici's own timeouts are off: they fire late.

import type { Readable } from 'node:stream';
import { Client } from 'undici';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { parseRetryAfter } from '../../limits/retry-after.ts';
import { createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { bareHost, readOutsideUrl } from './outside-url.ts';
import { saveBody, tooLarge } from './save-body.ts';

export type HttpGuardedFetchOptions = GuardedConnectorOptions & { readonly clock: Clock };

type Question = {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};
type Fields = Readonly<Record<string, string | string[] | undefined>>;
type Answer = { readonly status: number; readonly fields: Fields; readonly body: Readable };

const MAX_DEADLINE_MS = 60_000;
/** Name lookup, connection, TLS and the answer's head, for each address on the way. */
const HEAD_MS = 15_000;
const HEAD_BYTES = 16_384;
const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/**
 * The rest of an answer to a POST is read up to this size and time: a server that may finish its answer logs no broken
 * connection.
 */
const REST_BYTES = 16_384;
const REST_MS = 1000;
const USER_AGENT = 'voxgate';

const field = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : value?.[0];
};

const unreachable = (url: URL, why: string, cause?: unknown) =>
  new AppError('address_unreachable', `${bareHost(url)} ${why}.`, { cause });

/** The error's code tells enough; its message may repeat the whole address. */
function toOurWords(url: URL, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = (thrown as { code?: unknown } | undefined)?.code;
  const named = typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` (${code})` : '';
  return unreachable(url, `did not answer as it should${named}`, thrown);
}

async function takeRest(body: Readable, clock: Clock): Promise<void> {
  let bytes = 0;
  const disarm = clock.after(REST_MS, () => body.destroy());
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (bytes > REST_BYTES) break;
    }
  } catch {
    // The status is known; what follows it changes nothing.
  } finally {
    disarm();
  }
}

export function createHttpGuardedFetch(options: HttpGuardedFetchOptions): GuardedFetch {
  const { clock, allowPrivate } = options;
  const running = new Set<AbortController>();
  let state: 'open' | 'closed' = 'open';
  const stopped = () => new AppError('shutting_down', 'The service is about to stop.');

  const judged = (given: string, base?: URL): URL => {
    const read = readOutsideUrl(given, allowPrivate, base);
    if (!read.ok) throw new AppError('address_refused', read.problem);
    return read.url;
  };

  /** Runs `task` until it is done, the deadline is over, the caller leaves or all is closed. */
  const within = async <T>(
    deadlineMs: number,
    signal: AbortSignal,
    task: (ends: AbortController) => Promise<T>,
  ): Promise<T> => {
    signal.throwIfAborted();
    if (state === 'closed') throw stopped();
    const ends = new AbortController();
    const leave = () => ends.abort(signal.reason);
    const ms = Math.min(deadlineMs, MAX_DEADLINE_MS);
    const late = () =>
      ends.abort(new AppError('address_unreachable', `The address did not answer in full within ${ms} ms.`));
    const disarm = clock.after(ms, late);
    signal.addEventListener('abort', leave, { once: true });
    running.add(ends);
    try {
      return await task(ends);
    } finally {
      running.delete(ends);
      signal.removeEventListener('abort', leave);
      disarm();
    }
  };

  /** One question on a connection of its own, which ends with `use`. */
  const ask = async <T>(
    url: URL,
    question: Question,
    ends: AbortController,
    use: (answer: Answer) => Promise<T>,
  ): Promise<T> => {
    const connector = createGuardedConnector(options);
    const client = new Client(url.origin, {
      connect: connector.connect,
      pipelining: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: HEAD_BYTES,
    });
    // undici's own signal waits for the connection that it is to interrupt.
    const hangUp = () => {
      connector.hangUp();
      client.destroy(ends.signal.aborted ? (ends.signal.reason as Error) : null, () => {});
    };
    ends.signal.addEventListener('abort', hangUp, { once: true });
    const disarm = clock.after(HEAD_MS, () =>
      ends.abort(unreachable(url, `did not answer within ${HEAD_MS} ms`)),
    );
    try {
      ends.signal.throwIfAborted();
      const { statusCode, headers, body } = await client.request({
        ...question,
        headers: { 'user-agent': USER_AGENT, ...question.headers },
        path: url.pathname + url.search,
      });
      disarm();
      body.on('error', () => {});
      return await use({ status: statusCode, fields: headers, body });
    } catch (thrown) {
      if (ends.signal.aborted) throw ends.signal.reason;
      throw toOurWords(url, thrown);
    } finally {
      disarm();
      ends.signal.removeEventListener('abort', hangUp);
      hangUp();
    }
  };

  return {
    download: (given, { toPath, mostBytes, deadlineMs }, signal) =>
      within(deadlineMs, signal, async (ends) => {
        const question: Question = {
          method: 'GET',
          headers: { accept: '*/*', 'accept-encoding': 'identity' },
        };
        let url = judged(given);
        for (let redirects = 0; ; redirects++) {
          const from = url;
          const found = await ask(from, question, ends, async ({ status, fields, body }) => {
            const location = field(fields, 'location');
            if (REDIRECTS.includes(status) && location !== undefined) return judged(location, from);
            if (status !== 200) throw unreachable(from, `answered ${status}`);
            if (Number(field(fields, 'content-length') ?? 0) > mostBytes) throw tooLarge(mostBytes);
            const encoding = field(fields, 'content-encoding');
            const bytes = await saveBody({ body, encoding, toPath, mostBytes, signal: ends.signal });
            const contentType = field(fields, 'content-type')?.trim().toLowerCase();
            return { contentType, finalUrl: from.href, bytes };
          });
          if (!(found instanceof URL)) return found;
          if (redirects === MAX_REDIRECTS)
            throw unreachable(from, `is the last of more than ${MAX_REDIRECTS} redirects`);
          url = found;
        }
      }),
    post: (given, { headers, body, deadlineMs }, signal) =>
      within(deadlineMs, signal, (ends) =>
        ask(
          judged(given),
          { method: 'POST', headers, body },
          ends,
          async ({ status, fields, body: rest }) => {
            await takeRest(rest, clock);
            const retryAfterMs = parseRetryAfter(field(fields, 'retry-after'), field(fields, 'date'));
            return { status, retryAfterMs };
          },
        ),
      ),
    close() {
      state = 'closed';
      for (const ends of running) ends.abort(stopped());
    },
  };
}
