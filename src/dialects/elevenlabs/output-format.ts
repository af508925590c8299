// `output_format` of ElevenLabs → format and rate of ours. The bit rate in a name is a wish: mp3 and opus have their own here.

import { fieldError } from '../../base/check-fields.ts';
import type { SessionFormat } from '../../speech/audio-format.ts';

const rates = (codec: string, format: SessionFormat, list: readonly number[]) =>
  list.map((sampleRate) => [`${codec}_${sampleRate}`, { format, sampleRate }] as const);
const at = (name: string, bitRates: readonly number[], format: SessionFormat, sampleRate: number) =>
  bitRates.map((bitRate) => [`${name}_${bitRate}`, { format, sampleRate }] as const);

const BIT_RATES = [32, 64, 96, 128, 192] as const;

/** As the vendor lists them. PCM is 16-bit little-endian mono without a header. */
const FORMATS: ReadonlyMap<string, { readonly format: SessionFormat; readonly sampleRate: number }> = new Map(
  [
    ...at('mp3_22050', [32], 'mp3', 22_050),
    ...at('mp3_24000', [48], 'mp3', 24_000),
    ...at('mp3_44100', BIT_RATES, 'mp3', 44_100),
    ...rates('pcm', 'raw', [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]),
    ...rates('ulaw', 'mulaw', [8000]),
    ...rates('alaw', 'alaw', [8000]),
    ...at('opus_48000', BIT_RATES, 'ogg', 48_000),
  ],
);

export const DEFAULT_OUTPUT_FORMAT = 'mp3_44100_128';

/** Throws `invalid_request` that names the parameter and what there is. */
export function readOutputFormat(name: string): { format: SessionFormat; sampleRate: number } {
  const found = FORMATS.get(name);
  if (found !== undefined) return { ...found };
  throw fieldError({
    field: 'output_format',
    allowed: `must be one of ${[...FORMATS.keys()].join(', ')}`,
    given: name,
  });
}
