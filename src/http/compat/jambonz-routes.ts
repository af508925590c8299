// jambonz's custom vendor without streaming: `POST /jambonz/tts`. It looks at the status of a refusal and at nothing else,
// so refusals have our own shape.

import { z } from 'zod';
import { toErrorBody } from '../../base/app-error.ts';
import { MAX_SAMPLE_RATE, MIN_SAMPLE_RATE } from '../../speech/audio-format.ts';
import { languageOfTag } from '../../speech/language-tag.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import { type AskedSpeech, type Read, readFields, textField, voiceField } from './asked-speech.ts';
import { plainSound, type Sound } from './sound.ts';
import { type SpeakAskedMeans, speakAsked } from './speak-asked.ts';
import type { Vendor, VendorScope } from './vendor-scope.ts';

// The body, and the sound that `Accept` asks for.
const TELEPHONE_HZ = 8000;
const MAX_WISHES = 20;

/** Headerless is little-endian, as jambonz plays it, whatever RFC 3551 says of its name. */
const linear = (sampleRate: number): Sound => ({
  ...plainSound('raw', sampleRate),
  mediaType: `audio/l16;rate=${sampleRate}`,
});

function soundOf(type: string, parameters: readonly string[]): Sound | undefined {
  if (/^(?:\*\/\*|audio\/\*|audio\/mpeg|audio\/mp3)$/.test(type)) return plainSound('mp3', undefined);
  const rate = Number(/^rate=(\d{4,5})$/.exec(parameters.find((one) => one.startsWith('rate=')) ?? '')?.[1]);
  const sampleRate = rate >= MIN_SAMPLE_RATE && rate <= MAX_SAMPLE_RATE ? rate : TELEPHONE_HZ;
  if (/^audio\/(?:x-|vnd\.)?wave?$/.test(type)) return plainSound('wav', sampleRate);
  return type === 'audio/l16' ? linear(sampleRate) : undefined;
}

/** The preferred format of those that are made here; mp3 without a header or a match (RFC 9110 12.5.1). */
export function acceptedSound(accept: string | undefined): Sound {
  const wishes = (accept ?? '').split(',', MAX_WISHES).flatMap((wish) => {
    const [type = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
    const sound = soundOf(type, parameters);
    const quality = Number(/^q=([\d.]+)$/.exec(parameters.find((one) => one.startsWith('q=')) ?? 'q=1')?.[1]);
    return sound === undefined || !(quality > 0) ? [] : [{ sound, quality }];
  });
  const best = wishes.reduce<(typeof wishes)[number] | undefined>(
    (found, wish) => (found === undefined || wish.quality > found.quality ? wish : found),
    undefined,
  );
  return best?.sound ?? plainSound('mp3', undefined);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '\\<', gt: '>' };

/** The five that XML has, and numbers; after a backslash a bracket is no tag to the code that strips tags. */
const plainEntities = (ssml: string): string =>
  ssml.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[(name as string).toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return point > 0x1f && point <= 0x10ffff ? String.fromCodePoint(point) : ' ';
  });

const schema = z.object({
  language: z.string().max(100).nullish(),
  voice: voiceField.nullish(),
  type: z.enum(['text', 'ssml']).nullish(),
  text: textField,
});

export function readJambonzSpeech(body: unknown, accept: string | undefined): Read<AskedSpeech> {
  const read = readFields(schema, body);
  if (!read.ok) return read;
  const { language, voice, type, text } = read.value;
  const isMarkup = type === 'ssml';
  return {
    ok: true,
    value: {
      lines: [{ text: isMarkup ? plainEntities(text) : text, voice: voice ?? undefined }],
      // Its portals send one for every voice; a voice of another is not refused for it.
      language: languageOfTag(language),
      speed: undefined,
      markup: isMarkup ? 'strip' : 'keep',
      sound: acceptedSound(accept),
    },
  };
}

export const JAMBONZ: Vendor = {
  fieldNames: {},
  key: { schemes: ['bearer'] },
  idHeader: 'x-request-id',
  upstreamLimit: 503,
  toBody: ({ error }) => toErrorBody(error),
};

export function addJambonzRoutes({ api, tenantOf, refuse }: VendorScope, means: SpeakAskedMeans): void {
  api.post(
    '/jambonz/tts',
    { config: { rateRule: 'make' }, bodyLimit: SPEECH_BODY_BYTES, schema: { hide: true } },
    async (request, reply) => {
      const read = readJambonzSpeech(request.body, request.headers.accept);
      if (!read.ok) return refuse(reply, read);
      const tenant = tenantOf(request);
      return sendSpeech(
        reply,
        (await speakAsked(reply, means, read.value, { tenant, words: 'unasked' })).sound,
      );
    },
  );
}
