// The heavy encoders as the plain stages that they are to whoever runs them.

import { createEncoder } from './encoders.ts';
import { createFlacEncoder } from './flac-encoder.ts';
import type { HeavyOutput } from './heavy-encoders.ts';
import type { Mp3Encoders } from './mp3-encoder.ts';
import { createOggOpusEncoder } from './ogg-opus-encoder.ts';
import type { AudioFrame, ClosableStage, Stage } from './stage.ts';

/** Ogg that is dropped without `close` keeps its codec's memory for as long as the thread lives. */
export function createHeavyStage(
  { format, sampleRate }: HeavyOutput,
  mp3: Mp3Encoders,
  emit: (frame: AudioFrame) => void,
): ClosableStage<Float32Array> {
  if (format === 'ogg') return createOggOpusEncoder(sampleRate, emit);
  if (format === 'flac') return collected(createFlacEncoder(sampleRate, emit));
  return collected(createEncoder({ format, sampleRate, frameMs: MP3_IGNORES_IT }, mp3, emit));
}

const MP3_IGNORES_IT = 20;

/** For memory that the collector frees. */
const collected = (stage: Stage<Float32Array>): ClosableStage<Float32Array> => ({ ...stage, close() {} });
