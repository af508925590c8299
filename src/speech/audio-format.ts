// Audio formats as callers name them: which sample rates each can have, and how bytes relate to time.

export const AUDIO_FORMATS = ['mp3', 'mulaw', 'raw', 'wav', 'ogg', 'flac'] as const;
/** `outputFormat` of the service interface (4.4, 4.5). */
export type ServiceFormat = (typeof AUDIO_FORMATS)[number];

/** What a live session may ask for. `raw` is 16-bit little-endian mono without a header. */
export const SESSION_FORMATS = ['mulaw', 'alaw', 'raw', 'wav', 'mp3', 'ogg', 'flac'] as const;
export type SessionFormat = (typeof SESSION_FORMATS)[number];

/** What a service can be asked for; `raw` is 16-bit PCM, little-endian, `ogg` is Ogg Opus. */
export const ASKED_FORMATS = ['mp3', 'wav', 'ogg', 'raw', 'mulaw', 'alaw'] as const;
export type AskedFormat = (typeof ASKED_FORMATS)[number];
export type AskedSound = {
  readonly format: AskedFormat;
  /** Hz; absent: the service's own. */
  readonly sampleRate?: number | undefined;
};

export const MIN_SAMPLE_RATE = 8000;
export const MAX_SAMPLE_RATE = 48000;
/** Of telephony legs alone: Asterisk has channels of this rate. */
export const MAX_LEG_SAMPLE_RATE = 192_000;

/** MPEG-1, -2 and -2.5 Layer III have these rates and no others (ISO 11172-3 2.4.2.3, ISO 13818-3 2.4.2.3). */
export const MP3_SAMPLE_RATES = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000] as const;

/** The rates that an Opus encoder takes (RFC 6716, 2); a decoder plays them all at 48000 Hz. */
export const OPUS_SAMPLE_RATES = [8000, 12000, 16000, 24000, 48000] as const;

/**
 * The rate at which Ogg Opus of `sampleRate` Hz is coded: the next one that Opus has. The stream tells the rate that was asked for
 * as that of its input (RFC 7845, 5.1), as `opusenc` does.
 */
export const opusRateOf = (sampleRate: number): number =>
  OPUS_SAMPLE_RATES.find((rate) => rate >= sampleRate) ?? 48_000;

/** The rates of a format that does not allow every whole one from 8000 to 48000 Hz. */
export const listedSampleRates = (format: SessionFormat | ServiceFormat): readonly number[] | undefined =>
  format === 'mp3' ? MP3_SAMPLE_RATES : undefined;

export function isSampleRateOf(format: SessionFormat | ServiceFormat, sampleRate: number): boolean {
  if (!Number.isInteger(sampleRate) || sampleRate < MIN_SAMPLE_RATE || sampleRate > MAX_SAMPLE_RATE)
    return false;
  return listedSampleRates(format)?.includes(sampleRate) ?? true;
}

/** Why `format`, which the caller calls `name`, cannot have `sampleRate`; undefined when it can. */
export function sampleRateRefusal(
  format: SessionFormat | ServiceFormat,
  sampleRate: number,
  name: string = format,
): string | undefined {
  if (isSampleRateOf(format, sampleRate)) return undefined;
  const rates =
    listedSampleRates(format)?.join(', ') ?? `every whole rate from ${MIN_SAMPLE_RATE} to ${MAX_SAMPLE_RATE}`;
  return `must be a rate that ${name} has: ${rates}`;
}

/** Audio as it leaves a turn. `sampleRate` is absent only for mp3 that passes through as the upstream sends it. */
export type OutputFormat = {
  readonly format: SessionFormat;
  readonly sampleRate: number | undefined;
  readonly frameMs: number;
};

/** MP3 without a rate of its own always passes through as it came; only silence must be encoded. */
export const mayNeedHeavyEncoder = ({
  format,
  sampleRate,
}: Pick<OutputFormat, 'format' | 'sampleRate'>): boolean =>
  format === 'ogg' || format === 'flac' || (format === 'mp3' && sampleRate !== undefined);

/** Whether MP3 of `sampleRate` goes out undecoded, with the delay of its encoder. */
export const passesThrough = (
  output: Pick<OutputFormat, 'format' | 'sampleRate'>,
  sampleRate: number,
): boolean => output.format === 'mp3' && (output.sampleRate ?? sampleRate) === sampleRate;
