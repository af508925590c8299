// The CPU-heavy encoders as plain stages, for the thread that runs them.

import { createFlacEncoder } from './containers/flac-encoder.ts';
import { createOggOpusEncoder } from './containers/ogg-opus-encoder.ts';
import { createEncoder } from './encoders.ts';
import type { HeavyOutput } from './heavy-encoders.ts';
import type { Mp3Encoders } from './mp3/mp3-encoder.ts';
import type { AudioFrame, ClosableStage, ReleasableStage } from './stage.ts';

export type HeavyStage = ClosableStage<Float32Array> & ReleasableStage<Float32Array>;

/** Frames are fresh memory. Ogg that is dropped without `close` keeps its codec's memory for as long as the thread lives. */
export function createHeavyStage(
  { format, sampleRate }: HeavyOutput,
  mp3: Mp3Encoders,
  emit: (frame: AudioFrame) => void,
): HeavyStage {
  if (format === 'ogg') return createOggOpusEncoder(sampleRate, emit);
  // The collector frees the others. LAME cannot be made to catch up, but by ending the stream.
  if (format === 'flac') return { ...createFlacEncoder(sampleRate, emit), close() {} };
  const encoder = createEncoder({ format, sampleRate, frameMs: MP3_IGNORES_IT }, mp3, emit);
  return { ...encoder, release() {}, close() {} };
}

const MP3_IGNORES_IT = 20;
