// What a caller's `quality` means for a finished file: its bit rate where the format has one, and its sample rate where the caller
// named none. One voice, one channel.

import type { ServiceFormat } from './audio-format.ts';
import type { Quality } from './job-request.ts';

const DEFAULT_QUALITY: Quality = 'medium';

/**
 * kbit/s. For speech of one voice 64 kbit/s of mp3 are what speech services send, and more is for players that encode
 * again; Opus needs about half as much for the same.
 */
const KBPS: Readonly<Record<'mp3' | 'ogg', Readonly<Record<Quality, number>>>> = {
  mp3: { draft: 32, low: 48, medium: 64, high: 96, premium: 128 },
  ogg: { draft: 16, low: 24, medium: 32, high: 64, premium: 96 },
};

/** Hz, rates that every format has. Speech services synthesise at 24 kHz; 48 kHz is for what must be mixed with music. */
const SAMPLE_RATE: Readonly<Record<Quality, number>> = {
  draft: 16_000,
  low: 16_000,
  medium: 24_000,
  high: 24_000,
  premium: 48_000,
};
/** µ-law is the sound of telephones, which have one rate. */
const MULAW_SAMPLE_RATE = 8000;

/**
 * Bit rates of Layer III, kbit/s: MPEG-1 from 32 kHz (ISO 11172-3, 2.4.2.3), MPEG-2 from 16 kHz (ISO 13818-3,
 * 2.4.2.3), and MPEG-2.5 below, where LAME encodes no more than 64.
 */
const MP3_KBPS = {
  mpeg1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  mpeg25: [8, 16, 24, 32, 40, 48, 56, 64],
} as const;
/** One channel of libopus takes from 6 kbit/s; above 128 speech gains nothing. */
const OPUS_KBPS = { min: 6, max: 128 } as const;

const mp3BitratesAt = (sampleRate: number): readonly number[] =>
  MP3_KBPS[sampleRate >= 32_000 ? 'mpeg1' : sampleRate >= 16_000 ? 'mpeg2' : 'mpeg25'];

/** The bit rate that `format` has nearest to `kbps` at `sampleRate` Hz, the lower of two; undefined where it has none. */
export function bitrateOf(format: ServiceFormat, sampleRate: number, kbps: number): number | undefined {
  if (format === 'ogg') return Math.min(OPUS_KBPS.max, Math.max(OPUS_KBPS.min, kbps));
  if (format !== 'mp3') return undefined;
  return mp3BitratesAt(sampleRate).reduce((best, each) =>
    Math.abs(each - kbps) < Math.abs(best - kbps) ? each : best,
  );
}

export type OutputQuality = {
  /** Hz. */
  readonly sampleRate: number;
  /** undefined for formats without a bit rate of their choice. */
  readonly bitrateKbps: number | undefined;
};

/** `sampleRate` is what the caller asked for, which the format has; `quality` chooses when it is undefined. */
export function outputQuality(
  format: ServiceFormat,
  quality: Quality = DEFAULT_QUALITY,
  sampleRate: number = format === 'mulaw' ? MULAW_SAMPLE_RATE : SAMPLE_RATE[quality],
): OutputQuality {
  const wanted = format === 'mp3' || format === 'ogg' ? KBPS[format][quality] : 0;
  return { sampleRate, bitrateKbps: bitrateOf(format, sampleRate, wanted) };
}
