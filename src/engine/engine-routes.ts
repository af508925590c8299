// The engine's HTTP interface: POST /api/v1/tts/stream of the service interface (4.5), our own list of voices, /livez, and
// on request a report for tests. The reply begins only when there is audio, so that a failure before that still has its status.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { headerLines } from '../access/header-lines.ts';
import { strangerTrace } from '../access/loopback-guard.ts';
import { AppError } from '../base/app-error.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { rateLimitHeaders } from '../limits/rate-limit-headers.ts';
import { BODY_BYTES_FIELD, takesTrailers } from '../speech/body-bytes.ts';
import type { Caller, EngineAccess } from './engine-access.ts';
import type { EngineRecorder, RequestRecord } from './engine-report.ts';
import type { FaultPlan } from './fault-plan.ts';
import { REPLY_FORMATS } from './reply-format.ts';
import { toSpeechJob } from './speech-job.ts';
import type { SpeechSource } from './speech-source.ts';
import { VOICES } from './voices.ts';
import { asksForWords, createWordTrailers, type WordTrailers } from './word-trailers.ts';

export type EngineRoutesOptions = {
  readonly access: EngineAccess;
  readonly source: SpeechSource;
  readonly faults: FaultPlan;
  readonly random: Random;
  readonly log: Log;
  readonly recorder: EngineRecorder | undefined;
  /** Requests spoken at the same time; one more is `busy`. */
  readonly mostStreams: number;
};

function countRequest(access: EngineAccess, caller: Caller, reply: FastifyReply): void {
  const decision = access.count(caller);
  if (decision === undefined) return;
  reply.headers(rateLimitHeaders('06', caller.perMinute, decision));
  if (!decision.allowed)
    throw new AppError(
      'rate_limited',
      `This key may make ${caller.perMinute} requests in 60 seconds; wait for the rest.`,
      {
        retryAfterMs: decision.resetMs,
      },
    );
}

/** Trailers need chunks, which HTTP/1.0 has not. */
const mayHaveTrailers = ({ raw }: FastifyRequest): boolean => raw.httpVersion !== '1.0';
const wordsFor = (request: FastifyRequest): WordTrailers | undefined =>
  asksForWords(request.headers['x-voxgate-timings']) && mayHaveTrailers(request)
    ? createWordTrailers()
    : undefined;

export const listedVoices = VOICES.map(({ id, name, gender, language, description }) => ({
  id,
  name,
  gender,
  language,
  description,
}));

export function addEngineRoutes(app: FastifyInstance, options: EngineRoutesOptions): void {
  const { access, source, faults, random, log, recorder, mostStreams } = options;
  let streams = 0;

  app.get('/livez', async () => ({ status: 'ok' }));

  // A scope of its own: which requests need credentials is decided by the route that matched, not by how its
  // path was spelt.
  app.register(async (api) => {
    const callers = new WeakMap<FastifyRequest, Caller>();
    const records = new WeakMap<FastifyRequest, RequestRecord>();
    api.addHook('onRequest', async (request) => {
      const userId = request.headers['x-user-id'];
      callers.set(request, access.admit(request.headers.authorization, [userId].flat()[0]));
    });

    if (recorder !== undefined)
      api.addHook('onSend', async (request, reply) => records.get(request)?.answered(reply.statusCode));

    api.get('/api/v1/voices', async () => listedVoices);

    api.post('/api/v1/tts/stream', async (request, reply) => {
      const caller = callers.get(request)!;
      if (recorder !== undefined) {
        const record = recorder.begin(caller);
        records.set(request, record);
        reply.raw.once('close', () => record.ended(reply.raw.writableFinished ? 'complete' : 'cut'));
      }
      countRequest(access, caller, reply);
      const faulty = faults.begin(caller, reply.raw);
      records.get(request)?.met(faulty.met);
      reply.headers(faulty.headers);
      if (faulty.isCutOff) {
        reply.hijack();
        request.raw.socket.resetAndDestroy();
        return;
      }
      const { instead } = faulty;
      if (instead !== undefined) {
        await faulty.untilInstead();
        return reply.code(instead.status).header('Content-Type', instead.contentType).send(instead.body);
      }
      const { job, headers } = toSpeechJob(request.body, random);
      if (streams >= mostStreams)
        throw new AppError('busy', `The engine already speaks ${mostStreams} requests.`, {
          retryAfterMs: 1000,
        });

      const characters = job.lines.reduce((sum, { text }) => sum + text.length, 0);
      records.get(request)?.understood(job.seed, characters);

      const words = wordsFor(request);
      const { body, started, madeBytes } = source.open(
        { ...job, ...faulty.changeManner(job) },
        words?.onWord,
      );
      streams += 1;
      body.once('close', () => {
        streams -= 1;
      });
      reply.raw.once('close', () => body.destroy());
      if (reply.raw.destroyed) body.destroy();
      await started;

      log.debug('engine_speaks', {
        sentences: job.lines.length,
        format: job.format,
        sampleRate: job.sampleRate,
      });
      const sound = faulty.bendBody(body, REPLY_FORMATS[job.format].bytesPerSecond(job.sampleRate));
      // A body that a fault has changed is to look like that of a service that does not know about it.
      const tellsBytes =
        faulty.bytes === 'all' && mayHaveTrailers(request) && takesTrailers(request.headers.te);
      const announced = [...(tellsBytes ? [BODY_BYTES_FIELD] : []), ...(words?.announced ?? [])];
      if (announced.length > 0) {
        reply.header('Trailer', announced.join(', '));
        // Before the framework's own listener ends the reply.
        sound.once('end', () =>
          reply.raw.addTrailers({
            ...(tellsBytes ? { [BODY_BYTES_FIELD]: String(madeBytes()) } : {}),
            ...words?.fields(),
          }),
        );
      }
      return reply.headers({ ...headers, 'Cache-Control': 'no-store' }).send(sound);
    });
  });
}

/**
 * What was counted, for programs on this machine alone: it names no key, but tells how much each caller speaks. Only for tests:
 * a proxy on this machine that adds no header passes for a program here.
 */
export function addReportRoute(app: FastifyInstance, recorder: EngineRecorder): void {
  app.get('/report', async ({ ip, raw }) => {
    const trace = strangerTrace(headerLines(raw.rawHeaders), 'http', ip);
    if (trace !== undefined)
      throw new AppError('forbidden', `${trace} Only programs on this machine may read the report.`);
    return recorder.report();
  });
}
