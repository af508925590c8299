// What the caller of a simulated call has heard, as a WAV file: blocks at the times at which they were played, silence in
// between.

import { wavHeader } from '../../src/audio/containers/wav.ts';
import { ALAW_VALUES, MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import type { LegAudio } from '../../src/legs/leg.ts';
import type { HeardBlock } from './carrier-playout.ts';

/** Blocks follow each other to the millisecond; what is further apart is a silence. */
const TOGETHER_MS = 1;

function toPcm({ format }: LegAudio, bytes: Uint8Array): Uint8Array {
  if (format === 'raw') return bytes.subarray(0, bytes.length - (bytes.length % 2));
  const values = format === 'mulaw' ? MULAW_VALUES : ALAW_VALUES;
  const pcm = Buffer.alloc(bytes.length * 2);
  for (let i = 0; i < bytes.length; i += 1) pcm.writeInt16LE(values[bytes[i]!]!, i * 2);
  return pcm;
}

export function heardWav(audio: LegAudio, heard: readonly HeardBlock[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const { sampleRate } = audio;
  let endMs = heard[0]?.atMs ?? 0;
  for (const { atMs, bytes } of heard) {
    const pcm = toPcm(audio, bytes);
    if (atMs - endMs > TOGETHER_MS)
      parts.push(Buffer.alloc(2 * Math.round(((atMs - endMs) * sampleRate) / 1000)));
    parts.push(pcm);
    endMs = Math.max(endMs, atMs) + (pcm.length * 500) / sampleRate;
  }
  const data = Buffer.concat(parts);
  return Buffer.concat([wavHeader({ sampleRate, channels: 1, dataBytes: data.length }), data]);
}
