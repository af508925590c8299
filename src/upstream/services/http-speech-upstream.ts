// POST /api/v1/tts/stream over HTTP/1.1: one kept-alive connection for each live stream (over HTTP/2, undici 7 runs
// the POSTs of a connection one after another). undici's own timeouts are off: they fire up to a second late.

import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { SpeechTransport } from '../speech-transport.ts';
import { type Deadlines, exchangeSpeech } from './speech-exchange.ts';

export type HttpSpeechUpstreamOptions = {
  /** Origin and optional path prefix; /api/v1/tts/stream is appended. */
  readonly baseUrl: URL;
  /** The most streams at a time; one more is refused as `busy`. */
  readonly maxConnections: number;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
};

/** An idle connection is kept this long when the server names no time of its own (Keep-Alive: timeout=…). */
const KEEP_ALIVE_MS = 30_000;
const NOT_WARMED = new Error('not warmed in time');

export function createHttpSpeechUpstream(options: HttpSpeechUpstreamOptions): SpeechTransport {
  const { baseUrl, maxConnections, deadlines, clock } = options;
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  let live = 0;

  // While it dispatches a request, undici opens the connection that the request lacks, and cannot name it later.
  // So the connector notes the socket and `dispatch` picks it up: a request that is still connecting can be cut.
  // (The connector's type hides that it answers with the socket.)
  const connect = buildConnector({ timeout: 0 }) as (...args: Parameters<buildConnector.connector>) => Socket;
  let opened: Socket | undefined;
  const pool = new Pool(baseUrl.origin, {
    connections: maxConnections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: (target, callback) => {
      opened = connect(target, callback);
    },
  });
  const dispatch = (request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    opened = undefined;
    pool.dispatch(request, handler);
    return opened as Socket | undefined;
  };

  const ping = () =>
    new Promise<void>((resolve) => {
      let hangUp = () => {};
      let disarm = () => {};
      const done = () => {
        disarm();
        resolve();
      };
      disarm = clock.after(deadlines.connectMs + deadlines.firstByteMs, () => {
        hangUp();
        resolve();
      });
      const socket = dispatch(
        { method: 'GET', path: `${prefix}/livez` },
        {
          onRequestStart(controller) {
            hangUp = () => controller.abort(NOT_WARMED);
          },
          onResponseStart() {},
          onResponseData() {},
          onResponseEnd: done,
          onResponseError: done,
        },
      );
      if (socket !== undefined) hangUp = () => socket.destroy(NOT_WARMED);
    });

  return {
    send(request, { userId, apiKey }, attempt) {
      if (live >= maxConnections) {
        const error = new AppError(
          'busy',
          `All ${maxConnections} connections to the speech service are in use.`,
        );
        const failure = { error, status: undefined, advice: {} };
        attempt.onClosed(failure);
        return Promise.resolve({ ok: false, ...failure });
      }
      live += 1;
      const headers = {
        authorization: `Bearer ${apiKey}`,
        'x-user-id': userId,
        'content-type': 'application/json',
        accept: 'audio/mpeg',
        'accept-encoding': 'identity',
        // Lets the service send the length of the body after it (speech/body-bytes.ts). The field should be named in Connection,
        // too (RFC 9110, 10.1.4), but the HTTP client controls that field.
        te: 'trailers',
      };
      const body = JSON.stringify(request);
      const onClosed: typeof attempt.onClosed = (end) => {
        live -= 1;
        attempt.onClosed(end);
      };
      return exchangeSpeech({
        dispatch: (handler) =>
          dispatch({ method: 'POST', path: `${prefix}/api/v1/tts/stream`, headers, body }, handler),
        attempt: { ...attempt, onClosed },
        deadlines,
        clock,
        secrets: [apiKey, userId, request.text],
      });
    },
    async warm(connections) {
      await Promise.all(Array.from({ length: Math.min(connections, maxConnections) }, ping));
    },
    close: () => pool.destroy(),
  };
}
