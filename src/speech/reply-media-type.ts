// The media type of a whole reply or file of a format, and its sample rate when none was named.

import type { ServiceFormat } from './audio-format.ts';

const RATE_OF_SPEECH = 24_000;
const RATE_OF_TELEPHONES = 8000;

/** Hz of a reply whose request names no rate. */
export const usualRateOf = (format: ServiceFormat): number =>
  format === 'mulaw' ? RATE_OF_TELEPHONES : RATE_OF_SPEECH;

export function mediaTypeOf(format: ServiceFormat, sampleRate: number): string {
  if (format === 'mp3') return 'audio/mpeg';
  if (format === 'ogg') return 'audio/ogg; codecs=opus';
  // audio/basic is µ-law at 8000 Hz and nothing else (RFC 2046 4.3); PCMU has a rate (RFC 4856).
  if (format === 'mulaw')
    return sampleRate === RATE_OF_TELEPHONES ? 'audio/basic' : `audio/PCMU;rate=${sampleRate}`;
  // Not audio/L16, which is big-endian (RFC 3551 4.5.11).
  if (format === 'raw') return `audio/pcm;rate=${sampleRate};channels=1;encoding=s16le`;
  return `audio/${format}`;
}
