// The engine's HTTP face: POST /api/v1/tts/stream of the service interface (4.5), our own list of voices, and
// /livez. The reply begins only when there is audio, so that a failure before that still has its status.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/app-error.ts';
import { formatIssues } from '../base/format-issues.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import {
  isSampleRateOf,
  MP3_SAMPLE_RATES,
  type ServiceFormat,
  type SessionFormat,
} from '../speech/audio-format.ts';
import { MAX_SEED, type SpeechRequest, speechRequestSchema } from '../speech/speech-request.ts';
import type { Caller, EngineAccess } from './engine-access.ts';
import { DEFAULT_TEMPERATURE } from './prosody.ts';
import { createScript } from './speech-script.ts';
import { openSpeechStream, type SpeechJob, type SpeechTools } from './speech-stream.ts';
import { findVoice, VOICES, type Voice } from './voices.ts';

export type EngineRoutesOptions = {
  readonly access: EngineAccess;
  readonly tools: SpeechTools;
  readonly random: Random;
  readonly log: Log;
  /** Requests spoken at the same time; one more is `busy`. */
  readonly mostStreams: number;
};

type Output = { readonly contentType: (sampleRate: number) => string; readonly sampleRate: number };

/** What each available format is called and its rate when the request names none. RFC 3551 names PCMU. */
const OUTPUTS: Readonly<Partial<Record<ServiceFormat, Output>>> = {
  mp3: { contentType: () => 'audio/mpeg', sampleRate: 24_000 },
  wav: { contentType: () => 'audio/wav', sampleRate: 24_000 },
  raw: { contentType: (rate) => `audio/pcm;rate=${rate};channels=1;encoding=s16le`, sampleRate: 24_000 },
  mulaw: { contentType: (rate) => `audio/PCMU;rate=${rate}`, sampleRate: 8_000 },
};

/** Fields that say how to imitate a recorded voice: taken, and without a meaning for this engine. */
const WITHOUT_MEANING = [
  'prompt',
  'prompt2',
  'voiceConditioningSeconds',
  'voiceConditioningSeconds2',
] as const;

const invalid = (message: string) => new AppError('invalid_request', message);

function parseRequest(body: unknown): SpeechRequest {
  const parsed = speechRequestSchema.safeParse(body, { reportInput: true });
  if (!parsed.success) throw invalid(formatIssues(parsed.error.issues));
  const { turnPrefix, turnPrefix2 } = parsed.data;
  if (turnPrefix != null && turnPrefix.trim() === turnPrefix2?.trim())
    throw invalid('turnPrefix2: must differ from turnPrefix, or no one can tell whose turn begins');
  return parsed.data;
}

function voiceOf(field: 'voice' | 'voice2', id: string): Voice {
  const voice = findVoice(id);
  if (voice !== undefined) return voice;
  const given = JSON.stringify(id.slice(0, 80));
  throw invalid(`${field}: there is no voice ${given} here; GET /api/v1/voices lists the ids that there are`);
}

function outputOf(request: SpeechRequest): {
  format: SessionFormat;
  sampleRate: number;
  contentType: string;
} {
  const format = request.outputFormat ?? 'mp3';
  const output = OUTPUTS[format];
  if (output === undefined || format === 'ogg' || format === 'flac')
    throw new AppError(
      'unsupported',
      `outputFormat: this engine has no ${format} yet; it has ${Object.keys(OUTPUTS).join(', ')}`,
    );
  const sampleRate = request.sampleRate ?? output.sampleRate;
  if (!isSampleRateOf(format, sampleRate))
    throw invalid(`sampleRate: mp3 can have ${MP3_SAMPLE_RATES.join(', ')} Hz (got ${sampleRate})`);
  return { format, sampleRate, contentType: output.contentType(sampleRate) };
}

function ignoredFields(request: SpeechRequest): string[] {
  const ignored: string[] = WITHOUT_MEANING.filter((field) => request[field] != null);
  if (request.voice2 != null && request.turnPrefix2 == null) ignored.push('voice2');
  return ignored;
}

function toJob(request: SpeechRequest, random: Random): SpeechJob & { readonly contentType: string } {
  const voice = voiceOf('voice', request.voice);
  const voice2 = request.voice2 == null ? voice : voiceOf('voice2', request.voice2);
  const language = request.language ?? 'english';
  return {
    ...outputOf(request),
    lines: createScript({ ...request, language }),
    voices: { 1: voice, 2: voice2 },
    language,
    speed: request.speed ?? 1,
    seed: request.seed ?? random.below(MAX_SEED + 1),
    temperature: request.temperature ?? DEFAULT_TEMPERATURE,
  };
}

/** The window's state in the header fields that clients know (draft-ietf-httpapi-ratelimit-headers-06). */
function countRequest(access: EngineAccess, caller: Caller, reply: FastifyReply): void {
  const decision = access.count(caller);
  if (decision === undefined) return;
  reply.headers({
    'RateLimit-Limit': String(caller.perMinute),
    'RateLimit-Remaining': String(decision.remaining),
    'RateLimit-Reset': String(Math.ceil(decision.resetMs / 1000)),
  });
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
  const { access, tools, random, log, mostStreams } = options;
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
      countRequest(access, callers.get(request)!, reply);
      const parsed = parseRequest(request.body);
      const { contentType, ...job } = toJob(parsed, random);
      if (streams >= mostStreams)
        throw new AppError('busy', `The engine already speaks ${mostStreams} requests.`, {
          retryAfterMs: 1000,
        });

      const { body, started } = openSpeechStream(job, tools);
      streams += 1;
      body.once('close', () => {
        streams -= 1;
      });
      reply.raw.once('close', () => body.destroy());
      if (reply.raw.destroyed) body.destroy();
      await started;

      const ignored = ignoredFields(parsed);
      if (ignored.length > 0) reply.header('X-Voxgate-Ignored', ignored.join(', '));
      log.debug('engine_speaks', {
        sentences: job.lines.length,
        format: job.format,
        sampleRate: job.sampleRate,
      });
      return reply
        .headers({
          'Content-Type': contentType,
          'Cache-Control': 'no-store',
          'X-Voxgate-Seed': String(job.seed),
        })
        .send(body);
    });
  });
}
