// The embedded speech engine as a program with an HTTP address: it owns the server, the speech program behind it and the end of
// both. `voxgate engine` has it listen; in a process of the gateway's (engine-process.ts) it is given connections.

import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import Fastify from 'fastify';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { refuseUnreadable, sendError } from '../base/error-reply.ts';
import { BODY_BYTES, fromFramework } from '../base/framework-error.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { espeakCommand } from '../speech-program/speech-command.ts';
import { type CannedRule, createCannedSource } from './canned-source.ts';
import { createEngineAccess, type EngineKey } from './engine-access.ts';
import { createEngineRecorder, type EngineReport } from './engine-report.ts';
import { addEngineRoutes, addReportRoute } from './engine-routes.ts';
import { type FaultPlan, NO_FAULTS } from './fault-plan.ts';
import { toSpeechJob } from './speech-job.ts';
import { createSpeechSource } from './speech-source.ts';
import { VOICES } from './voices.ts';

export type EngineOptions = {
  /** Keys that may call. Empty: any non-empty pair of the two credentials, without a request limit. */
  readonly keys: readonly EngineKey[];
  readonly log: Log;
  readonly clock: Clock;
  /** Draws the seed of a request that has none. */
  readonly random: Random;
  /** Another speech program in place of eSpeak NG (docs/engine.md): its path or name, then its arguments. */
  readonly command?: readonly string[];
  /** Prebuilt sound in place of a speech program, for load and fault tests. */
  readonly canned?: CannedRule;
  readonly mostStreams?: number;
  readonly readerStallMs?: number;
  /** What it does wrong, on purpose (docs/engine.md); by default nothing. */
  readonly faults?: FaultPlan;
  /** Keeps count of what it answers; `served`: also at GET /report, for programs on this machine. */
  readonly report?: 'kept' | 'served';
  /** The wall clock, for the report. */
  readonly unixMs?: () => number;
};

export type ListeningEngineOptions = EngineOptions & {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
};

/** An engine that listens nowhere and is given its connections. */
export type ConnectedEngine = {
  /** Resolves when the speech program has started, or cannot be. */
  readonly ready: Promise<void>;
  /** A connection from which nothing has been read. */
  accept(socket: Socket): void;
  /** Speaks a sentence without a listener: the first one of a program takes longer than any other. Never rejects. */
  warmUp(): Promise<void>;
  /** Cuts what is being spoken, ends the speech program, and leaves nothing open. */
  close(): Promise<void>;
};

export type Engine = {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Empty unless the option `report` was given. */
  report(): EngineReport;
  /** Cuts what is being spoken, ends the speech program, and leaves nothing open. */
  close(): Promise<void>;
};

const WARM_UP = { model: 'VoxDialog', text: 'Hello there.', voice: VOICES[0]!.id, seed: 0 } as const;
const WARM_UP_MS = 10_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the gateway keeps an idle connection, so that it is the one to close. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** A gateway that plays in real time reads in bursts; a narration that is paused may not read for minutes. */
const READER_STALL_MS = 300_000;
const MAX_STREAMS = 128;
/** A canned reply costs a timer and a few kilobytes. */
const MAX_CANNED_STREAMS = 10_000;

const METHODS: Readonly<Record<string, string>> = {
  '/livez': 'GET',
  '/api/v1/voices': 'GET',
  '/api/v1/tts/stream': 'POST',
};

function buildServer() {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: true,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors(error, _request, reply) {
      sendError(reply, fromFramework(error));
    },
  });
  // JSON alone: the framework would also take text/plain and hand it on as a string.
  app.removeContentTypeParser('text/plain');
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const method = METHODS[path];
    if (method === undefined)
      return sendError(reply, new AppError('not_found', 'There is no such path here.'));
    reply.header('Allow', method);
    return sendError(reply, new AppError('method_not_allowed', `${path} is for ${method} only.`));
  });
  return app;
}

async function openEngine(options: EngineOptions) {
  const { keys, log, clock, random, canned } = options;
  const unixMs = options.unixMs ?? Date.now;
  const readerStallMs = options.readerStallMs ?? READER_STALL_MS;
  const source =
    canned === undefined
      ? await createSpeechSource({ command: options.command ?? espeakCommand(), clock, log, readerStallMs })
      : await createCannedSource({ ...canned, clock, readerStallMs });
  const recorder = options.report === undefined ? undefined : createEngineRecorder(clock, unixMs);
  const app = buildServer();

  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFramework(thrown, request);
    if (error.cause instanceof Error) log.error('engine_request_failed', { cause: error.cause.message });
    return sendError(reply, error);
  });
  addEngineRoutes(app, {
    access: createEngineAccess(keys, clock),
    source,
    faults: options.faults ?? NO_FAULTS,
    random,
    log,
    recorder,
    mostStreams: options.mostStreams ?? (canned === undefined ? MAX_STREAMS : MAX_CANNED_STREAMS),
  });
  if (recorder !== undefined && options.report === 'served') addReportRoute(app, recorder);
  return { app, source, recorder };
}

/** Resolves before its speech program has started, so that both load at the same time. */
export async function connectEngine(options: EngineOptions): Promise<ConnectedEngine> {
  const { clock, random } = options;
  const { app, source } = await openEngine(options);
  await app.ready();
  const sockets = new Set<Socket>();
  /** Deadlines of connections that have asked nothing yet: a server that does not listen has none of its own. */
  const unproven = new Map<Socket, () => void>();
  const settle = (socket: Socket) => {
    unproven.get(socket)?.();
    unproven.delete(socket);
  };
  app.server.prependListener('request', ({ socket }) => settle(socket));
  return {
    ready: source.ready,
    accept(socket) {
      sockets.add(socket);
      unproven.set(
        socket,
        clock.after(HEADERS_TIMEOUT_MS, () => socket.destroy()),
      );
      socket.once('close', () => {
        settle(socket);
        sockets.delete(socket);
      });
      // So a server is given sockets (node:http, Event: 'connection').
      app.server.emit('connection', socket);
    },
    async warmUp() {
      try {
        const { body, started } = source.open(toSpeechJob(WARM_UP, random).job);
        body.resume();
        await started;
        await finished(body, { signal: AbortSignal.timeout(WARM_UP_MS) });
      } catch {
        // Whatever is wrong, the first caller is told in full.
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await app.close();
      await source.close();
    },
  };
}

/**
 * Resolves when the port is bound and the speech program has started, so that no first word waits for it.
 * A program that is missing or dies does not stop the engine: requests are told.
 */
export async function startEngine(options: ListeningEngineOptions): Promise<Engine> {
  const { host, port } = options;
  const { app, source, recorder } = await openEngine(options);
  try {
    await app.listen({ host, port });
  } catch (thrown) {
    await source.close();
    throw thrown;
  }
  await source.ready;
  const address = app.server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    port: boundPort,
    report: () => recorder?.report() ?? { keys: [], requests: [] },
    async close() {
      await app.close();
      await source.close();
    },
  };
}
