// What a binary frame says, as Web Audio wants it: 16-bit values divided by 32,768, G.711 codes by their table. Nothing
// is scaled, filtered or resampled, so what is played is what was sent.

import { ALAW_VALUES, MULAW_VALUES } from '../../../../src/audio/dsp/g711.ts';

export const PLAYED_FORMATS = ['raw', 'mulaw', 'alaw'] as const;
/** Formats whose frames need no decoder. */
export type PlayedFormat = (typeof PLAYED_FORMATS)[number];

const FULL_SCALE = 32_768;
const expanded = (values: Readonly<Int16Array>) => Float32Array.from(values, (value) => value / FULL_SCALE);
const TABLES = { mulaw: expanded(MULAW_VALUES), alaw: expanded(ALAW_VALUES) };

/** One frame, which holds whole samples, as samples in −1…1. */
export function decodeSamples(format: PlayedFormat, frame: Uint8Array): Float32Array<ArrayBuffer> {
  if (format === 'raw') {
    const bytes = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
    const samples = new Float32Array(frame.byteLength >> 1);
    for (let i = 0; i < samples.length; i++) samples[i] = bytes.getInt16(2 * i, true) / FULL_SCALE;
    return samples;
  }
  const table = TABLES[format];
  const samples = new Float32Array(frame.length);
  for (let i = 0; i < frame.length; i++) samples[i] = table[frame[i]!]!;
  return samples;
}
