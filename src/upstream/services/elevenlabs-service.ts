// POST /v1/text-to-speech/{voice}/stream of ElevenLabs. Fields as the package @elevenlabs/elevenlabs-js 2.73 sends them; a test holds
// the two against each other. Repeated seeds are "best effort" there, so a body that breaks is joined by its sound.

import { z } from 'zod';
import { acceptOf } from '../../audio/bodies/body-type.ts';
import type { AskedSound } from '../../speech/audio-format.ts';
import { languageCode } from '../../speech/language-tag.ts';
import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';
import { wordsOf } from './timed-answer.ts';

/** "Must be integer between 0 and 4294967295" (the package's own types). */
const SEEDS = 2 ** 32;
const MODEL = 'eleven_flash_v2_5';
/** "Rachel", which their own examples used for years; ids of other voices come by the settings. */
const VOICE = '21m00Tcm4TlvDq8ikWAM';

/** `AllowedOutputFormats` of the package. */
function formatOf({ format, sampleRate }: AskedSound): string {
  if (format === 'mulaw' || format === 'alaw') return `${format === 'mulaw' ? 'u' : 'a'}law_${sampleRate}`;
  return format === 'raw' ? `pcm_${sampleRate}` : 'mp3_44100_128';
}

/**
 * `StreamingAudioChunkWithTimestampsResponse` of the package: `alignment` has the characters of the text as it was sent, with their
 * times from the beginning of the speech (their page on streaming with timing).
 */
const timedPiece = z.object({
  audio_base64: z.string().nullish(),
  alignment: z
    .object({
      characters: z.array(z.string()),
      character_start_times_seconds: z.array(z.number()),
      character_end_times_seconds: z.array(z.number()),
    })
    .nullish(),
});

export const createElevenLabsService = ({ model = MODEL }: KindSettings): ServiceKind => {
  const requestFor =
    (route: string): ServiceKind['toHttp'] =>
    ({ text, voice, speed, seed, language }, { apiKey }, sound) => ({
      path: `/v1/text-to-speech/${encodeURIComponent(voice ?? VOICE)}/${route}?output_format=${formatOf(sound)}`,
      headers: {
        'xi-api-key': apiKey,
        'content-type': 'application/json',
        accept: route === 'stream' ? acceptOf(sound) : '*/*',
      },
      body: JSON.stringify({
        text,
        model_id: model,
        seed: seed == null ? undefined : Math.floor(seed) % SEEDS,
        language_code: language == null ? undefined : languageCode(language),
        voice_settings: speed === undefined ? undefined : { speed: clamped(speed, 0.7, 1.2) },
      }),
    });
  return {
    // 10,000 characters for Multilingual v2, 40,000 for Flash.
    shape: { voices: 'one', maxText: 10_000 },
    seeds: 'best-effort',
    ignored: ['temperature', 'prompt', 'prompt2', 'voiceConditioningSeconds', 'voiceConditioningSeconds2'],
    names: {
      ...{ voice_id: 'voice', model_id: 'model', language_code: 'language' },
      ...{ output_format: 'outputFormat', voice_settings: 'speed' },
    },
    warmPath: '/v1/models',
    sounds: {
      sounds: [
        { format: 'mp3', rates: [44_100] },
        { format: 'mulaw', rates: [8000] },
        { format: 'alaw', rates: [8000] },
        { format: 'raw', rates: [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] },
      ],
      prefers: 'listener',
      limit: 'at-once',
    },
    toHttp: requestFor('stream'),
    timed: {
      form: {
        framing: 'lines',
        read(piece) {
          const { audio_base64: audio, alignment } = timedPiece.parse(piece);
          return {
            audio: audio ?? undefined,
            words:
              alignment == null
                ? []
                : wordsOf(
                    alignment.characters,
                    alignment.character_start_times_seconds,
                    alignment.character_end_times_seconds,
                  ),
          };
        },
      },
      toHttp: requestFor('stream/with-timestamps'),
    },
  };
};
