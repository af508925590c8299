// The port that turns spoken parts into the file that is served: joined, at one loudness, in the format that was asked
// for, with its title inside. It works on files, off the playing thread.

import type { ServiceFormat } from '../speech/audio-format.ts';

export type FinishRequest = {
  /** MP3 files as the speech service sent them, in order. */
  readonly parts: readonly { readonly path: string /** Silence after it. */; readonly gapMs: number }[];
  /** Where the file is written, whole or not at all. */
  readonly outPath: string;
  readonly format: ServiceFormat;
  /** Hz; undefined: as the parts have it. */
  readonly sampleRate: number | undefined;
  /** For mp3 and ogg; undefined: the format's default. */
  readonly bitrateKbps: number | undefined;
  readonly title: string;
  readonly artist: string | undefined;
};

export type Finished = {
  readonly bytes: number;
  readonly durationSeconds: number;
  readonly sampleRate: number;
  /** Where each part lies in the file, without the gap after it; exact to a millisecond, for captions. */
  readonly places: readonly { readonly startMs: number; readonly endMs: number }[];
};

export type AudioFinisher = {
  /** Rejects with an `AppError`; leaves nothing at `outPath` then. `onProgress` gets 0 to 1. */
  finish(request: FinishRequest, onProgress: (done: number) => void, signal: AbortSignal): Promise<Finished>;
  close(): Promise<void>;
};
