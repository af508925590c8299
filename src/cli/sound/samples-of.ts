// What a session sends as samples that a player takes: 16-bit, little-endian, mono.

import { WAV_HEADER_BYTES } from '../../audio/containers/wav.ts';
import { ALAW_VALUES, MULAW_VALUES } from '../../audio/dsp/g711.ts';

/** Of what is played: a phone's formats as a phone would be heard, and those that are samples already. */
export const PLAYED_FORMATS = ['raw', 'wav', 'mulaw', 'alaw'] as const;
export type PlayedFormat = (typeof PLAYED_FORMATS)[number];

const expand = (bytes: Uint8Array, values: Readonly<Int16Array>): Uint8Array => {
  const samples = Buffer.allocUnsafe(bytes.length * 2);
  for (let at = 0; at < bytes.length; at += 1) samples.writeInt16LE(values[bytes[at]!]!, at * 2);
  return samples;
};

/** For one turn, whose audio is given in order. */
export function createSampleReader(format: PlayedFormat): (bytes: Uint8Array) => Uint8Array {
  if (format === 'mulaw') return (bytes) => expand(bytes, MULAW_VALUES);
  if (format === 'alaw') return (bytes) => expand(bytes, ALAW_VALUES);
  let headerLeft = format === 'wav' ? WAV_HEADER_BYTES : 0;
  return (bytes) => {
    const cut = Math.min(headerLeft, bytes.length);
    headerLeft -= cut;
    return bytes.subarray(cut);
  };
}
