// How many of the places for timed speeches each kind may fill: captions all of them, what nobody waits for so much only a part.

import type { TimedSpeech } from './word-timer.ts';

const PLACES: Readonly<Record<TimedSpeech['urgency'], (most: number) => number>> = {
  captions: (most) => most,
  'heard-text': (most) => most >> 1,
  file: (most) => Math.max(1, most >> 2),
};

/** Of `most` places in all. */
export const placesFor = (urgency: TimedSpeech['urgency'], most: number): number => PLACES[urgency](most);
