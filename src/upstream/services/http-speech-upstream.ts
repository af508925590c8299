// Requests for speech over HTTP/1.1, whatever kind of service answers: one kept-alive connection for each live stream (over
// HTTP/2, undici 7 runs the POSTs of a connection one after another). undici's own timeouts are off: they fire up to a second late.

import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { AppError, toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { type RateAdvice, readRateAdvice } from '../../limits/rate-headers.ts';
import { announcesBodyBytes, readBodyBytes } from '../../speech/body-bytes.ts';
import type { Attempt, AttemptEnd, AttemptOptions, SpeechTransport } from '../speech-transport.ts';
import type { ToldLength } from '../speech-upstream.ts';
import { type AnswerHeaders, first, staysOpen } from './answer-headers.ts';
import { AnswerSound } from './answer-sound.ts';
import { type AskedRoute, ServiceRoutes } from './asked-route.ts';
import { BodyQueue } from './body-queue.ts';
import type { ServiceKind } from './service-kind.ts';
import type { TimedAnswer } from './timed-answer.ts';
import { type Failures, failuresOf, type SentFields, sentFields } from './upstream-failure.ts';

export type Deadlines = {
  /** Name lookup, TCP and TLS together. */
  readonly connectMs: number;
  /** From sending the request to the first byte of audio. */
  readonly firstByteMs: number;
  /** Between two chunks, while the reader waits for one. */
  readonly stallMs: number;
};

export type Exchange = {
  /** Hands the request to the HTTP client; answers with the socket that it opens for it, if it opens one. */
  readonly dispatch: (handler: Dispatcher.DispatchHandler) => Socket | undefined;
  readonly attempt: AttemptOptions;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  /** What no error may repeat: key, user id, spoken text. */
  readonly secrets: readonly string[];
  /** The fields of the request, as they were sent. */
  readonly sent: () => SentFields;
  readonly failures: Failures;
  /** Judges what comes. */
  readonly sound: AnswerSound;
  readonly route: AskedRoute;
};

type Phase = 'connecting' | 'sent' | 'refused' | 'streaming' | 'closed';
/** Of an error body only this much is read, for its error id. */
const ERROR_BODY_BYTES = 4096;
/** And only for this long: a refused request is to try another key at once. */
const ERROR_BODY_MS = 250;
const HUNG_UP = new Error('hung up');
/** Most that is kept of a body that cannot be paused: a quarter of an hour of speech at 64 kbit/s. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/**
 * One request and its answer, from the first SYN to the last byte: the phases, their deadlines, and what each event of the HTTP client
 * means in each phase. It ends once, by whichever comes first: the end of the body, a fault, a deadline, the caller's signal, or a
 * reader that leaves. Settles as `SpeechTransport.send` does.
 */
function exchangeSpeech(exchange: Exchange): Promise<Attempt> {
  const { dispatch, deadlines, clock, secrets, sound, failures } = exchange;
  const { timed, distrust, refusal: refusalOf } = exchange.route;
  const { signal, onSent, onClosed } = exchange.attempt;

  return new Promise<Attempt>((resolve, reject) => {
    let phase: Phase = 'connecting';
    let controller: Dispatcher.DispatchController | undefined;
    let opening: Socket | undefined;
    let sentAtMs = 0;
    let advice: RateAdvice = {};
    let refusal = { status: 0, headers: {} as AnswerHeaders, bytes: 0, parts: [] as Buffer[] };
    let disarm: () => void = () => {};
    let mayHoldBack = false;
    let toldBytes: number | undefined;
    let toldLength: ToldLength | undefined;

    const hangUp = () => {
      if (controller !== undefined) controller.abort(HUNG_UP);
      else opening?.destroy(HUNG_UP);
    };
    /** The exchange is over; answers with the phase that it was in. */
    const close = (end: AttemptEnd): Phase => {
      const was = phase;
      phase = 'closed';
      disarm();
      signal.removeEventListener('abort', cancel);
      onClosed(end);
      return was;
    };
    const fail = (error: AppError, status?: number) => {
      if (close({ error, status, advice }) === 'streaming') queue.fail(error);
      else resolve({ ok: false, error, status, advice });
      hangUp();
    };
    const cancel = () => {
      if (close('aborted') === 'streaming') queue.fail(signal.reason as Error);
      else reject(signal.reason as Error);
      hangUp();
    };
    const failAfter = (delayMs: number, code: 'upstream_unreachable' | 'upstream_timeout', what: string) => {
      disarm();
      disarm = clock.after(delayMs, () => fail(failures.late(code, what, delayMs)));
    };
    const refuse = () => {
      const { status, headers, parts } = refusal;
      const [retryAfter, date] = [first(headers['retry-after']), first(headers.date)];
      const body = Buffer.concat(parts).toString();
      const ofRoute = refusalOf(status, body);
      // What is wrong is how it was asked, not the key: a 403 would count against that.
      if (ofRoute !== undefined) fail(ofRoute, 400);
      else fail(failures.refused({ status, retryAfter, date, body }, secrets, exchange.sent()), status);
    };

    const queue = new BodyQueue(
      {
        pause() {
          if (mayHoldBack) controller?.pause();
        },
        resume() {
          if (mayHoldBack) controller?.resume();
        },
        abandon() {
          close('aborted');
          hangUp();
        },
        stalled: () => fail(failures.silent(deadlines.stallMs)),
      },
      { clock, stallMs: deadlines.stallMs, signal },
    );

    /** Hands on the body as soon as it is known what it is. */
    const begin = (chunk: Uint8Array, isAll: boolean) => {
      const type = sound.take(chunk, isAll);
      if (type === undefined) return;
      if (type instanceof AppError) return fail(type, 200);
      disarm();
      phase = 'streaming';
      queue.push(sound.bytes());
      resolve({
        ok: true,
        chunks: queue.chunks,
        type,
        gathering: queue,
        ...(toldLength === undefined ? {} : { toldLength }),
        ...(timed === undefined ? {} : { words: timed.words }),
        refuse: distrust,
        ttfbMs: clock.now() - sentAtMs,
        advice,
      });
    };
    const take = (chunk: Uint8Array) => {
      queue.push(chunk);
      if (queue.heldInBytes() > MAX_HELD_BYTES) fail(failures.tooFast());
    };

    const receive = (bytes: Uint8Array) => {
      if (phase === 'streaming') take(bytes);
      else if (phase === 'sent') begin(bytes, false);
    };
    /** Of an answer that tells times, the sound in it. */
    const unpack = (soundIn: (answer: TimedAnswer) => Uint8Array, answer: TimedAnswer) => {
      try {
        const bytes = soundIn(answer);
        if (bytes.length > 0) receive(bytes);
      } catch (thrown) {
        fail(toAppError(thrown), 200);
      }
    };

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(begun) {
        if (phase === 'closed') return begun.abort(HUNG_UP);
        controller = begun;
        phase = 'sent';
        sentAtMs = clock.now();
        onSent();
        failAfter(deadlines.firstByteMs, 'upstream_timeout', 'sent no audio');
      },
      onResponseStart(_, status, headers) {
        if (phase !== 'sent' || status < 200) return;
        advice = readRateAdvice(headers);
        if (status !== 200) {
          phase = 'refused';
          refusal = { status, headers, bytes: 0, parts: [] };
          disarm();
          disarm = clock.after(ERROR_BODY_MS, refuse);
          return;
        }
        mayHoldBack = staysOpen(headers);
        if (timed !== undefined) return;
        if (announcesBodyBytes(headers.trailer)) toldLength = { bytes: () => toldBytes };
        const error = sound.refusal(first(headers['content-type']), first(headers['content-encoding']));
        if (error !== undefined) fail(error, status);
      },
      onResponseData(_, chunk) {
        if (phase === 'refused') {
          refusal.parts.push(chunk);
          refusal.bytes += chunk.length;
          if (refusal.bytes > ERROR_BODY_BYTES) refuse();
        } else if (timed === undefined) receive(chunk);
        else unpack((answer) => answer.push(chunk), timed);
      },
      onResponseEnd(_, trailers) {
        if (timed !== undefined && phase !== 'refused') unpack((answer) => answer.end(), timed);
        if (phase === 'sent' && sound.bytes().length > 0) begin(new Uint8Array(0), true);
        if (phase === 'streaming') {
          toldBytes = readBodyBytes(trailers);
          close('ok');
          queue.end();
        } else if (phase === 'refused') refuse();
        else if (phase === 'sent')
          fail(new AppError('upstream_bad_audio', 'The speech service answered with an empty body.'), 200);
      },
      onResponseError(_, error) {
        if (phase === 'closed') return;
        if (phase === 'refused') refuse();
        else fail(failures.broken(phase === 'streaming' ? 'upstream_broken' : 'upstream_unreachable', error));
      },
    };

    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel);
    failAfter(deadlines.connectMs, 'upstream_unreachable', 'took no connection');
    opening = dispatch(handler);
  });
}

export type HttpSpeechUpstreamOptions = {
  /** Origin and optional path prefix; the kind's paths are appended. */
  readonly baseUrl: URL;
  readonly kind: ServiceKind;
  /** The most streams at a time; one more is refused as `busy`. */
  readonly maxConnections: number;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  /** Of one of several services: its messages name it. */
  readonly name?: string | undefined;
};

/** An idle connection is kept this long when the server names no time of its own (Keep-Alive: timeout=…). */
const KEEP_ALIVE_MS = 30_000;
const NOT_WARMED = new Error('not warmed in time');

export function createHttpSpeechUpstream(options: HttpSpeechUpstreamOptions): SpeechTransport {
  const { baseUrl, kind, maxConnections, deadlines, clock } = options;
  const failures = failuresOf(options.name);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  let live = 0;
  const routes = new ServiceRoutes(kind, clock);

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
        { method: 'GET', path: `${prefix}${kind.warmPath}` },
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
    shape: kind.shape,
    sounds: kind.sounds,
    send(request, credentials, attempt) {
      if (live >= maxConnections) {
        const error = new AppError(
          'busy',
          `All ${maxConnections} connections to the speech service are in use.`,
        );
        const failure = { error, status: undefined, advice: {} };
        attempt.onClosed(failure);
        return Promise.resolve({ ok: false, ...failure });
      }
      const route = routes.routeFor(request, credentials);
      const { path, headers, body, without = '' } = route.http;
      const base = without !== '' && prefix.endsWith(without) ? prefix.slice(0, -without.length) : prefix;
      // What is written may throw; only what was written counts.
      live += 1;
      const onClosed: typeof attempt.onClosed = (end) => {
        live -= 1;
        attempt.onClosed(end);
      };
      return exchangeSpeech({
        dispatch: (handler) =>
          dispatch(
            {
              method: 'POST',
              path: base + path,
              headers: { ...headers, 'accept-encoding': 'identity' },
              body,
            },
            handler,
          ),
        attempt: { ...attempt, onClosed },
        deadlines,
        clock,
        secrets: [credentials.apiKey, credentials.userId, request.text].filter((secret) => secret !== ''),
        sent: () => sentFields(path, body, kind.names, request),
        failures,
        sound: new AnswerSound(route.sound, kind.usualPcmRate, route.distrust),
        route,
      });
    },
    async warm(connections) {
      await Promise.all(Array.from({ length: Math.min(connections, maxConnections) }, ping));
    },
    close: () => pool.destroy(),
  };
}
