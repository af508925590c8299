// Audio without a container or a header, one channel: one sample of silence, and how bytes relate to time.

import type { SessionFormat } from './audio-format.ts';

/** `raw` is 16-bit little-endian. */
export type PlainSound = { readonly format: 'mulaw' | 'alaw' | 'raw'; readonly sampleRate: number };

/** One sample: positive zero of G.711's laws (µ-law inverts all bits, A-law the even ones), and 16 bits of nothing. */
export const SILENT_SAMPLE: Readonly<Record<PlainSound['format'], Uint8Array>> = {
  mulaw: Uint8Array.of(0xff),
  alaw: Uint8Array.of(0xd5),
  raw: Uint8Array.of(0, 0),
};

export const bytesPerMs = ({ format, sampleRate }: PlainSound): number =>
  (SILENT_SAMPLE[format].length * sampleRate) / 1000;

/** The same of any sound; undefined where bytes tell no time: in a container, or compressed. */
export const toldBytesPerMs = ({
  format,
  sampleRate,
}: {
  readonly format: SessionFormat;
  readonly sampleRate: number | undefined;
}): number | undefined => {
  const isPlain = format === 'mulaw' || format === 'alaw' || format === 'raw';
  return isPlain && sampleRate !== undefined ? bytesPerMs({ format, sampleRate }) : undefined;
};

/** `ms` of it. */
export const silenceOf = (sound: PlainSound, ms: number): Uint8Array => {
  const sample = SILENT_SAMPLE[sound.format];
  return new Uint8Array(Math.round((ms * sound.sampleRate) / 1000) * sample.length).fill(sample[0]!);
};
