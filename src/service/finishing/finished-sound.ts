// What both finishers know of a file they have written, counted in samples at its own rate, and what callers are told.

import type { Finished } from '../audio-finisher.ts';

/** Where a part lies among the samples, without the gap after it. */
export type SamplePlace = { readonly start: number; readonly end: number };

export type FinishedSound = {
  readonly sampleRate: number;
  readonly samples: number;
  readonly places: readonly SamplePlace[];
};

export function toFinished({ sampleRate, samples, places }: FinishedSound, bytes: number): Finished {
  const toMs = (position: number) => Math.round((position * 1000) / sampleRate);
  return {
    bytes,
    sampleRate,
    durationSeconds: samples / sampleRate,
    places: places.map(({ start, end }) => ({ startMs: toMs(start), endMs: toMs(end) })),
  };
}
