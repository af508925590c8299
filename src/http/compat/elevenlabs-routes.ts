// ElevenLabs's speech over HTTP: one voice, two voices, with and without the times of characters, and the voices there are.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../../base/app-error.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import type { AskedSpeech, Read } from './asked-speech.ts';
import {
  readElevenLabsDialogue,
  readElevenLabsSpeech,
  readSpeechPath,
  SPEECH_PATH,
  type SpeechPath,
} from './elevenlabs-request.ts';
import { timedLines, timedWhole } from './elevenlabs-timing.ts';
import { type SpeakAskedMeans, speakAsked } from './speak-asked.ts';
import type { Vendor, VendorScope } from './vendor-scope.ts';

/** Names that its clients know; all others are our own. */
const STATUSES: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'invalid_api_key',
  rate_limited: 'rate_limit_exceeded',
  upstream_rate_limited: 'too_many_concurrent_requests',
  busy: 'system_busy',
};

export const ELEVENLABS: Vendor = {
  key: { header: 'xi-api-key', schemes: ['bearer'] },
  idHeader: 'request-id',
  upstreamLimit: 429,
  toBody: ({ error }) => ({
    detail: { status: STATUSES[error.code] ?? error.code, message: error.message },
  }),
};

const SPEAKING = {
  config: { rateRule: 'make' },
  bodyLimit: SPEECH_BODY_BYTES,
  schema: { hide: true },
} as const;

export function addElevenLabsRoutes({ api, tenantOf, refuse }: VendorScope, means: SpeakAskedMeans): void {
  const speak = async (
    request: FastifyRequest,
    reply: FastifyReply,
    read: Read<AskedSpeech>,
    form: SpeechPath['reply'],
  ) => {
    if (!read.ok) return refuse(reply, read);
    const words = form === 'audio' ? 'unasked' : 'timed';
    const speech = await speakAsked(reply, means, read.value, { tenant: tenantOf(request), words });
    if (form === 'audio') return sendSpeech(reply, speech.sound);
    reply.type(form === 'timed-lines' ? 'application/x-ndjson' : 'application/json; charset=utf-8');
    return sendSpeech(reply, form === 'timed-lines' ? timedLines(speech) : timedWhole(speech));
  };

  api.post(`${SPEECH_PATH}*`, SPEAKING, async (request, reply) => {
    const path = readSpeechPath(request.url.split('?', 1)[0]!);
    if (path === 'for-sockets')
      throw new AppError('method_not_allowed', 'This path is a WebSocket; without one, use …/stream.');
    if (!path.ok) return refuse(reply, path);
    const { voice, reply: form } = path.value;
    return speak(request, reply, readElevenLabsSpeech(voice, request.body, request.query), form);
  });
  for (const path of ['/v1/text-to-dialogue', '/v1/text-to-dialogue/stream'])
    api.post(path, SPEAKING, (request, reply) =>
      speak(request, reply, readElevenLabsDialogue(request.body, request.query), 'audio'),
    );
  api.get('/v1/voices', { config: { rateRule: 'ask' }, schema: { hide: true } }, async () => ({
    voices: (await means.voices.list()).map(({ id, name, gender, language, description }) => ({
      voice_id: id,
      name: name ?? id,
      category: 'premade',
      labels: { ...(gender !== undefined && { gender }), ...(language !== undefined && { language }) },
      ...(description !== undefined && { description }),
    })),
  }));
}
