// The engine's HTTP face: POST /api/v1/tts/stream of the service interface (4.5), our own list of voices, and
// /livez. The reply begins only when there is audio, so that a failure before that still has its status.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/app-error.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Caller, EngineAccess } from './engine-access.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { toSpeechJob } from './speech-job.ts';
import { openSpeechStream, type SpeechTools } from './speech-stream.ts';
import { VOICES } from './voices.ts';

export type EngineRoutesOptions = {
  readonly access: EngineAccess;
  readonly tools: SpeechTools;
  readonly faults: FaultPlan;
  readonly random: Random;
  readonly log: Log;
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

const listedVoices = VOICES.map(({ id, name, gender, language, description }) => ({
  id,
  name,
  gender,
  language,
  description,
}));

export function addEngineRoutes(app: FastifyInstance, options: EngineRoutesOptions): void {
  const { access, tools, faults, random, log, mostStreams } = options;
  let streams = 0;

  app.get('/livez', async () => ({ status: 'ok' }));

  // A scope of its own: which requests need credentials is decided by the route that matched, not by how its
  // path was spelt.
  app.register(async (api) => {
    const callers = new WeakMap<FastifyRequest, Caller>();
    api.addHook('onRequest', async (request) => {
      const userId = request.headers['x-user-id'];
      callers.set(request, access.admit(request.headers.authorization, [userId].flat()[0]));
    });

    api.get('/api/v1/voices', async () => listedVoices);

    api.post('/api/v1/tts/stream', async (request, reply) => {
      const caller = callers.get(request)!;
      countRequest(access, caller, reply);
      const faulty = faults.begin(caller, reply.raw);
      reply.headers(faulty.headers);
      const { instead } = faulty;
      if (instead !== undefined)
        return reply.code(instead.status).header('Content-Type', instead.contentType).send(instead.body);
      const { job, headers } = toSpeechJob(request.body, random);
      if (streams >= mostStreams)
        throw new AppError('busy', `The engine already speaks ${mostStreams} requests.`, {
          retryAfterMs: 1000,
        });

      const { body, started } = openSpeechStream(faulty.changeJob(job), tools);
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
      return reply.headers({ ...headers, 'Cache-Control': 'no-store' }).send(faulty.bendBody(body, job));
    });
  });
}
