// Where the engine's sound comes from: a speech program, or prebuilt sound that stands in for it (canned-source.ts).
// The rest of the engine cannot tell one from the other.

import { availableParallelism } from 'node:os';
import { createFilterBanks } from '../audio/dsp/filter-bank.ts';
import { createSoundPath } from '../audio/dsp/wasm-sound-path.ts';
import { loadMp3Encoders } from '../audio/mp3/mp3-encoder.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createSpeechPrograms } from '../speech-program/speech-programs.ts';
import { type OnWord, openSpeechStream, type SpeechBody, type SpeechJob } from './speech-stream.ts';
import { loadTimeStretch } from './time-stretch.ts';

export type SpeechSource = {
  /** `onWord` is told when each word is heard, by a source that knows. */
  open(job: SpeechJob, onWord?: OnWord): SpeechBody;
  /** Resolves when the first request need not wait for anything; a request may come before that. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
};

export type SpeechSourceOptions = {
  /** Program and arguments; anything that keeps to docs/engine.md. */
  readonly command: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly readerStallMs: number;
};

/** More would speak faster than the rest of an engine can follow. */
const MAX_PROGRAMS = 2;

export async function createSpeechSource(options: SpeechSourceOptions): Promise<SpeechSource> {
  const { command, clock, log, readerStallMs } = options;
  const [mp3, createTimeStretch] = await Promise.all([loadMp3Encoders(), loadTimeStretch()]);
  const count = Math.min(MAX_PROGRAMS, availableParallelism());
  const speech = createSpeechPrograms({ command, count, clock, log });
  const tools = {
    speech,
    codecs: { mp3 },
    createTimeStretch,
    soundPath: createSoundPath(createFilterBanks()),
    clock,
    readerStallMs,
  };
  return {
    open: (job, onWord) => openSpeechStream(job, tools, onWord),
    ready: speech.started,
    close: () => speech.close(),
  };
}
