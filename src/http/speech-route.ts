// `POST /api/v1/tts/stream` for HTTP clients (interface 4.5): one text, spoken by the one speak(), in the format and rate
// that was asked for. The reply begins with the first audio, so that a failure before it still has its status.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Random } from '../base/random.ts';
import { drainSpeech } from '../pipeline/drained-speech.ts';
import type { SpeechRuntime } from '../pipeline/speech-runtime.ts';
import type { VoiceBook } from '../service/voice-book.ts';
import { AUDIO_FORMATS, type OutputFormat, type ServiceFormat } from '../speech/audio-format.ts';
import { mediaTypeOf, usualRateOf } from '../speech/reply-media-type.ts';
import {
  MAX_REQUEST_TEXT,
  MAX_SEED,
  type SpeechRequest,
  streamRequestSchema,
  synthesisOf,
} from '../speech/speech-request.ts';
import { splitIntoRequests } from '../text/request-text.ts';
import { wholeTextSegments } from '../text/turn-text.ts';
import { errorReplies } from './error-replies.ts';
import type { OpenReplies } from './open-replies.ts';
import { ownerOf } from './service-caller.ts';
import { takenInTime } from './taken-in-time.ts';

export type SpeechRouteOptions = {
  readonly runtime: SpeechRuntime;
  readonly random: Random;
  readonly voices: VoiceBook;
  readonly replies: OpenReplies;
};

/** A listener of such a reply says hello again after this. */
const DUE_AFTER_MS = 1000;
const FRAME_MS = 20;
/** Systems hold megabytes of a reply: who plays it as it comes may leave us waiting for a minute between two gulps. */
const STALLED_MS = 120_000;

/** 20,000 characters of up to 12 bytes (two JSON escapes), and both prompts of as many. */
const BODY_BYTES = 1024 * 1024;
/** For the document: the media types of the formats at their usual rates. */
const AUDIO = Object.fromEntries(
  AUDIO_FORMATS.map((format) => [
    mediaTypeOf(format, usualRateOf(format)),
    { schema: z.string().meta({ format: 'binary' }) },
  ]),
);

/** MP3 without a rate comes as the speech service sends it, frame by frame. */
const outputOf = ({
  outputFormat,
  sampleRate,
}: SpeechRequest): OutputFormat & { readonly format: ServiceFormat } => {
  const format = outputFormat ?? 'mp3';
  return {
    format,
    sampleRate: sampleRate ?? (format === 'mp3' ? undefined : usualRateOf(format)),
    frameMs: FRAME_MS,
  };
};

export function addSpeechRoute(
  api: FastifyInstance,
  { runtime, random, voices, replies }: SpeechRouteOptions,
): void {
  const { clock } = runtime;
  api.post(
    '/api/v1/tts/stream',
    {
      config: { rateRule: 'make' },
      bodyLimit: BODY_BYTES,
      schema: {
        summary: 'Speak a text; the reply is its audio as it is made',
        tags: ['Speech'],
        body: streamRequestSchema,
        response: {
          200: { description: 'The audio as it is made; X-Voxgate-Seed tells its seed', content: AUDIO },
          ...errorReplies(400, 401, 413, 415, 429, 502, 503, 504),
        },
      },
    },
    async (request, reply) => {
      const wanted = request.body as SpeechRequest;
      voices.check({ voice: wanted.voice, voice2: wanted.voice2 });
      const { turnPrefix, turnPrefix2 } = wanted;
      const prefixes = { turnPrefix: turnPrefix ?? undefined, turnPrefix2: turnPrefix2 ?? undefined };
      const segments = wholeTextSegments(wanted.text, {
        language: wanted.language ?? 'english',
        markup: 'keep',
        ...prefixes,
      });
      const seed = wanted.seed ?? random.below(MAX_SEED + 1);
      const output = outputOf(wanted);
      replies.add(reply.raw);
      const left = new AbortController();
      reply.raw.once('close', () => left.abort(new Error('the client has gone')));
      const tenant = ownerOf(request);
      const speech = drainSpeech(
        {
          runtime,
          synthesis: synthesisOf(wanted),
          seed,
          defaultVoice: undefined,
          defaultVoice2: undefined,
          texts: splitIntoRequests(segments, MAX_REQUEST_TEXT, prefixes),
          output,
          toWork: () => ({ class: 'first', tenant, deadlineMs: clock.now() + DUE_AFTER_MS }),
          listener: 'live',
          words: 'unasked',
        },
        left.signal,
      );
      const first = await speech.chunks.next();
      async function* body() {
        if (!first.done) yield first.value;
        yield* speech.chunks;
      }
      const taken = takenInTime(body(), STALLED_MS, clock, () => reply.raw.destroy());
      const ignored = voices.ignoredFields.filter(
        (field) => (wanted as Record<string, unknown>)[field] != null,
      );
      return reply
        .headers({
          'Content-Type': mediaTypeOf(output.format, speech.sampleRate ?? usualRateOf('mp3')),
          'X-Voxgate-Seed': String(seed),
          ...(ignored.length > 0 && { 'X-Voxgate-Ignored': ignored.join(', ') }),
          'Cache-Control': 'no-store',
        })
        .send(Readable.from(taken, { objectMode: false, highWaterMark: 64 * 1024 }));
    },
  );
}
