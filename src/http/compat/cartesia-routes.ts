// Cartesia's speech over HTTP: `POST /tts/bytes` as audio, `POST /tts/sse` as events with the times of words.

import { z } from 'zod';
import { toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { TimedWord } from '../../captions/word-timeline.ts';
import { COMPLETE, FIELD_NAMES, PARTIAL, wordTimestamps } from '../../dialects/cartesia/cartesia-messages.ts';
import { sampleRateRefusal } from '../../speech/audio-format.ts';
import { languageFault, languageOfTag } from '../../speech/language-tag.ts';
import { sampleRateField } from '../../speech/speech-request.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import {
  type AskedSpeech,
  type Read,
  readFields,
  refused,
  speedField,
  textField,
  voiceField,
} from './asked-speech.ts';
import { base64Of, EVENT_STREAM, eventOf } from './event-stream.ts';
import { codedSound, plainSound, type Sound } from './sound.ts';
import { type SpeakAskedMeans, type SpokenReply, speakAsked } from './speak-asked.ts';
import { createToldWords } from './told-words.ts';
import type { Vendor, VendorRefusal, VendorScope } from './vendor-scope.ts';

// The bodies of Cartesia's `POST /tts/bytes` and `POST /tts/sse`.
type CartesiaSpeech = {
  readonly asked: AskedSpeech;
  readonly words: 'timed' | 'unasked';
  /** As the caller gave it, for the events. */
  readonly contextId: string | undefined;
};

const CODES = { pcm_s16le: 'pcm16', pcm_f32le: 'float32', pcm_mulaw: 'mulaw', pcm_alaw: 'alaw' } as const;
/** Its older models know speeds by these names. */
const NAMED_SPEEDS = { slow: 0.8, normal: 1, fast: 1.2 } as const;

const encoding = z.enum(Object.keys(CODES) as (keyof typeof CODES)[]);
const sample_rate = sampleRateField;
const schema = z.object({
  transcript: textField,
  voice: z
    .union(
      [voiceField, z.object({ mode: z.literal('id').nullish(), id: voiceField }).transform(({ id }) => id)],
      { error: 'must be the id of a voice, as a string or as {"mode":"id","id":…}' },
    )
    .nullish(),
  output_format: z.discriminatedUnion(
    'container',
    [
      z.object({ container: z.literal('raw'), encoding, sample_rate }),
      z.object({ container: z.literal('wav'), encoding: encoding.default('pcm_s16le'), sample_rate }),
      z.object({ container: z.literal('mp3'), sample_rate }),
    ],
    { error: 'must be raw, wav or mp3' },
  ),
  language: z.string().max(100).nullish(),
  locale: z.string().max(100).nullish(),
  speed: z
    .enum(Object.keys(NAMED_SPEEDS) as (keyof typeof NAMED_SPEEDS)[])
    .nullish()
    .catch(undefined),
  generation_config: z.object({ speed: speedField.nullish() }).nullish(),
  add_timestamps: z.boolean().nullish(),
  context_id: z.string().max(512).nullish(),
});

function soundOf(format: z.infer<typeof schema>['output_format']): Read<Sound> {
  if (format.container !== 'mp3') {
    const container = format.container === 'wav' ? 'wav' : 'none';
    return { ok: true, value: codedSound(CODES[format.encoding], format.sample_rate, container) };
  }
  const refusal = sampleRateRefusal('mp3', format.sample_rate);
  return refusal === undefined
    ? { ok: true, value: plainSound('mp3', format.sample_rate) }
    : refused({ field: 'output_format.sample_rate', allowed: refusal, given: format.sample_rate });
}

export function readCartesiaSpeech(body: unknown, as: 'bytes' | 'events'): Read<CartesiaSpeech> {
  const read = readFields(schema, body);
  if (!read.ok) return read;
  const { transcript, voice, output_format, speed, generation_config, add_timestamps, context_id } =
    read.value;
  if (as === 'events' && output_format.container !== 'raw')
    return refused({
      field: 'output_format.container',
      allowed: 'must be raw; events have no container',
      given: output_format.container,
    });
  const sound = soundOf(output_format);
  if (!sound.ok) return sound;
  const tag = read.value.language ?? read.value.locale;
  const language = languageOfTag(tag);
  if (tag != null && tag !== '' && language === undefined)
    return refused(languageFault(read.value.language == null ? 'locale' : 'language', tag));
  const named = speed == null ? undefined : NAMED_SPEEDS[speed];
  return {
    ok: true,
    value: {
      asked: {
        lines: [{ text: transcript, voice: voice ?? undefined }],
        language,
        speed: generation_config?.speed ?? named,
        markup: 'strip',
        sound: sound.value,
        namedRate: output_format.sample_rate,
      },
      words: as === 'events' && add_timestamps === true ? 'timed' : 'unasked',
      contextId: context_id ?? undefined,
    },
  };
}

/** Both shapes that its clients know, the old one's `error` and the new one's fields. */
const errorBody = ({ error, status, requestId }: Omit<VendorRefusal, 'field'>) => ({
  type: 'error',
  done: true,
  error: error.message,
  title: error.code.replaceAll('_', ' '),
  message: error.message,
  error_code: error.code,
  status_code: status,
  request_id: requestId,
});

export const CARTESIA: Vendor = {
  fieldNames: FIELD_NAMES,
  key: { header: 'x-api-key', schemes: ['bearer'] },
  idHeader: 'x-request-id',
  // A 4xx is the end to its clients; only a 5xx is tried again.
  upstreamLimit: 503,
  toBody: errorBody,
};

type EventsAbout = {
  readonly context: { readonly context_id?: string };
  readonly requestId: string;
  readonly clock: Pick<Clock, 'now'>;
};

async function* eventsOf(
  speech: SpokenReply,
  words: 'timed' | 'unasked',
  about: EventsAbout,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { context, requestId, clock } = about;
  const timesOf = (words: readonly TimedWord[]) => ({
    type: 'timestamps',
    done: false,
    status_code: PARTIAL,
    ...context,
    word_timestamps: wordTimestamps(words),
  });
  const told = words === 'timed' ? createToldWords(speech) : undefined;
  let sinceMs = clock.now();
  try {
    for await (const bytes of speech.sound) {
      const nowMs = clock.now();
      const step_time = Math.round((nowMs - sinceMs) * 1000) / 1000;
      sinceMs = nowMs;
      const data = base64Of(bytes);
      yield eventOf(
        { type: 'chunk', data, done: false, status_code: PARTIAL, step_time, ...context },
        'chunk',
      );
      const now = told?.next() ?? [];
      if (now.length > 0) yield eventOf(timesOf(now), 'timestamps');
    }
  } catch (thrown) {
    const error = toAppError(thrown);
    yield eventOf({ ...errorBody({ error, status: error.http, requestId }), ...context }, 'error');
    return;
  }
  const rest = told?.rest() ?? [];
  if (rest.length > 0) yield eventOf(timesOf(rest), 'timestamps');
  yield eventOf({ type: 'done', done: true, status_code: COMPLETE, ...context }, 'done');
}

export function addCartesiaRoutes(
  { api, tenantOf, requestIdOf, refuse }: VendorScope,
  means: SpeakAskedMeans,
): void {
  for (const [path, as] of [
    ['/tts/bytes', 'bytes'],
    ['/tts/sse', 'events'],
  ] as const)
    api.post(
      path,
      { config: { rateRule: 'make' }, bodyLimit: SPEECH_BODY_BYTES, schema: { hide: true } },
      async (request, reply) => {
        const read = readCartesiaSpeech(request.body, as);
        if (!read.ok) return refuse(reply, read);
        const { asked, words, contextId } = read.value;
        const speech = await speakAsked(reply, means, asked, { tenant: tenantOf(request), words });
        if (as === 'bytes') return sendSpeech(reply, speech.sound);
        reply.type(EVENT_STREAM);
        const about = {
          context: contextId === undefined ? {} : { context_id: contextId },
          requestId: requestIdOf(reply),
          clock: means.runtime.clock,
        };
        return sendSpeech(reply, eventsOf(speech, words, about));
      },
    );
}
