// From the fields of a request (interface 4.5) to what is to be spoken, and to what the caller is told about it.
// Throws `invalid_request` that names the field, what was given and what is allowed, and never repeats the text.

import { checkFields } from '../base/check-fields.ts';
import type { Random } from '../base/random.ts';
import { unknownVoice } from '../speech/listed-voice.ts';
import { mediaTypeOf, usualRateOf } from '../speech/reply-media-type.ts';
import {
  MAX_DRAWN_SEED,
  RECORDED_VOICE_FIELDS,
  type SpeechRequest,
  streamRequestSchema,
} from '../speech/speech-request.ts';
import { spokenAs } from '../speech-program/program-language.ts';
import { createScript } from '../speech-program/speech-script.ts';
import { DEFAULT_TEMPERATURE } from './prosody.ts';
import type { SpeechJob } from './speech-stream.ts';
import { findVoice, VOICES, type Voice } from './voices.ts';

export type ReplyHeaders = Readonly<Record<string, string>>;

function voiceOf(field: 'voice' | 'voice2', id: string): Voice {
  const voice = findVoice(id);
  if (voice !== undefined) return voice;
  throw unknownVoice(
    field,
    id,
    VOICES.map((each) => each.id),
  );
}

function ignoredFields(request: SpeechRequest): string[] {
  const ignored: string[] = RECORDED_VOICE_FIELDS.filter((field) => request[field] != null);
  if (request.voice2 != null && request.turnPrefix2 == null) ignored.push('voice2');
  return ignored;
}

/** `body` is JSON as it came; `random` draws the seed when it has none. */
export function toSpeechJob(body: unknown, random: Random): { job: SpeechJob; headers: ReplyHeaders } {
  const request: SpeechRequest = checkFields(streamRequestSchema, body, 'body');
  const voice = voiceOf('voice', request.voice);
  const voice2 = request.voice2 == null ? voice : voiceOf('voice2', request.voice2);
  const language = request.language ?? 'english';
  const format = request.outputFormat ?? 'mp3';
  const job: SpeechJob = {
    format,
    sampleRate: request.sampleRate ?? usualRateOf(format),
    lines: createScript({ ...request, language }),
    voices: { 1: voice, 2: voice2 },
    language,
    speed: request.speed ?? 1,
    seed: request.seed ?? random.below(MAX_DRAWN_SEED + 1),
    temperature: request.temperature ?? DEFAULT_TEMPERATURE,
  };
  const ignored = ignoredFields(request);
  const proxy = spokenAs(language);
  return {
    job,
    headers: {
      'Content-Type': mediaTypeOf(format, job.sampleRate),
      'X-Voxgate-Seed': String(job.seed),
      ...(ignored.length > 0 && { 'X-Voxgate-Ignored': ignored.join(', ') }),
      ...(proxy !== undefined && { 'X-Voxgate-Spoken-As': proxy }),
    },
  };
}
