// `POST /api/v1/tts/stream` for HTTP clients (interface 4.5): one text, spoken by the one speak(), in the format and rate
// that was asked for. The reply begins with the first audio, so that a failure before it still has its status.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Random } from '../../base/random.ts';
import type { VoiceDirectory } from '../../service/voice-directory.ts';
import { AUDIO_FORMATS, type OutputFormat, type ServiceFormat } from '../../speech/audio-format.ts';
import { mediaTypeOf, usualRateOf } from '../../speech/reply-media-type.ts';
import {
  type ChosenSpeechRequest,
  chosenRequestSchema,
  MAX_DRAWN_SEED,
  MAX_REQUEST_TEXT,
  type SpeechRequest,
  synthesisOf,
} from '../../speech/speech-request.ts';
import { wishesOf } from '../../speech/upstream-names.ts';
import { resolveVoices } from '../../speech/voice-aliases.ts';
import { splitIntoRequests } from '../../text/request-text.ts';
import { wholeTextSegments } from '../../text/turn-text.ts';
import { errorReplies } from '../server/error-replies.ts';
import { ownerOf } from '../server/service-caller.ts';
import {
  beginSpeech,
  REPLY_FRAME_MS,
  SPEECH_BODY_BYTES,
  type SpeechReplyMeans,
  sendSpeech,
} from './speech-reply.ts';

export type SpeechRouteOptions = SpeechReplyMeans & {
  readonly random: Random;
  readonly voices: VoiceDirectory;
};

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
    frameMs: REPLY_FRAME_MS,
  };
};

export function addSpeechRoute(api: FastifyInstance, options: SpeechRouteOptions): void {
  const { random, voices } = options;
  api.post(
    '/api/v1/tts/stream',
    {
      config: { rateRule: 'make' },
      bodyLimit: SPEECH_BODY_BYTES,
      schema: {
        summary: 'Speak a text; the reply is its audio as it is made',
        tags: ['Speech'],
        body: chosenRequestSchema,
        response: {
          200: { description: 'The audio as it is made; X-Voxgate-Seed tells its seed', content: AUDIO },
          ...errorReplies(400, 401, 413, 415, 429, 502, 503, 504),
        },
      },
    },
    async (request, reply) => {
      const given = request.body as ChosenSpeechRequest;
      const { voice, voice2, turnPrefix: prefix, turnPrefix2: prefix2 } = given;
      const named = { voice, voice2, turnPrefix: prefix, turnPrefix2: prefix2 };
      const wanted = { ...given, ...resolveVoices(voices.aliases, named) } as SpeechRequest;
      const tenant = ownerOf(request);
      const wishes = wishesOf(given);
      voices.check(
        { voice: wanted.voice, voice2: wanted.voice2 },
        { tenant, upstream: wishes.upstream ?? [] },
      );
      const { turnPrefix, turnPrefix2, language = 'english' } = wanted;
      const prefixes = { turnPrefix: turnPrefix ?? undefined, turnPrefix2: turnPrefix2 ?? undefined };
      const segments = wholeTextSegments(wanted.text, {
        language: language ?? 'english',
        markup: 'keep',
        ...prefixes,
      });
      const seed = wanted.seed ?? random.below(MAX_DRAWN_SEED + 1);
      const output = outputOf(wanted);
      const speech = await beginSpeech(reply, options, {
        synthesis: synthesisOf(wanted),
        seed,
        defaultVoice: undefined,
        defaultVoice2: undefined,
        texts: splitIntoRequests(segments, MAX_REQUEST_TEXT, prefixes),
        output,
        namedRate: wanted.sampleRate,
        words: 'unasked',
        tenant,
        ...wishes,
      });
      const nowhere = voices.ignoredFields.filter(
        (field) => (wanted as Record<string, unknown>)[field] != null,
      );
      const ignored = [...new Set([...nowhere, ...speech.ignored])];
      const proxy = voices.spokenAs(language ?? 'english', speech.service);
      reply.headers({
        'Content-Type': mediaTypeOf(output.format, speech.sampleRate),
        'X-Voxgate-Seed': String(seed),
        ...speech.headers,
        ...(speech.service !== undefined && { 'X-Voxgate-Upstream': speech.service }),
        ...(ignored.length > 0 && { 'X-Voxgate-Ignored': ignored.join(', ') }),
        ...(proxy !== undefined && { 'X-Voxgate-Spoken-As': proxy }),
        'Cache-Control': 'no-store',
      });
      return sendSpeech(reply, speech.chunks);
    },
  );
}
