// How one sentence is spoken: rate, pitch, range and the pause before it, from the voice, the speed and the seed.
// The engine itself sounds the same every time, so this is where `seed` and `temperature` have their meaning
// (interface 4.4: a fixed seed yields identical audio; a higher temperature varies more). Pure.

import { seededNumbers } from '../base/seeded-numbers.ts';
import type { Pause } from '../speech-program/speech-script.ts';
import type { Voice } from './voices.ts';

export type Prosody = {
  /** Words a minute, as eSpeak NG counts them. */
  readonly rate: number;
  /** How much faster the sound must become afterwards; 1 as long as `rate` alone gives the speed. */
  readonly stretch: number;
  /** 0–99 each. */
  readonly pitch: number;
  readonly range: number;
  /** Silence before the sentence. */
  readonly pauseMs: number;
};

export type ProsodyOptions = {
  readonly voice: Voice;
  /** 1 is the voice's own pace. */
  readonly speed: number;
  readonly seed: number;
  /** 0 takes all variation away, so that every seed sounds the same; 2 doubles it. */
  readonly temperature: number;
};

export const DEFAULT_TEMPERATURE = 1;
const NORMAL_RATE = 175;
/**
 * eSpeak NG takes 80–450, but only between these do durations follow the rate within 5 % in every language tried
 * (at 450 German is a tenth too long and Mandarin too short); the rest of a speed is stretched.
 */
const SLOWEST_RATE = 100;
const FASTEST_RATE = 250;

/** Largest change at temperature 1. Eight pitch steps are about 8 % in frequency. */
const RATE_SPREAD = 0.08;
const PITCH_SPREAD = 8;
const RANGE_SPREAD = 18;
const PAUSE_SPREAD = 0.2;

const PAUSE_MS: Readonly<Record<Pause, number>> = {
  none: 0,
  clause: 100,
  sentence: 200,
  speaker: 300,
  paragraph: 400,
};

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** The same arguments give the same prosody. `sentence` counts from 0 over the request. */
export function createProsody(options: ProsodyOptions, sentence: number, pause: Pause): Prosody {
  const { voice, speed, seed, temperature } = options;
  const drawn = seededNumbers(seed, sentence);
  const next = () => drawn() * 2 - 1;
  const wantedRate = NORMAL_RATE * speed * (1 + next() * RATE_SPREAD * temperature);
  const rate = clamp(wantedRate, SLOWEST_RATE, FASTEST_RATE);
  const pitch = voice.pitch + next() * PITCH_SPREAD * temperature;
  const range = voice.range + next() * RANGE_SPREAD * temperature;
  const pauseMs = (PAUSE_MS[pause] * (1 + next() * PAUSE_SPREAD * temperature)) / speed;
  return {
    rate: Math.round(rate),
    stretch: wantedRate / rate,
    pitch: Math.round(clamp(pitch, 0, 99)),
    range: Math.round(clamp(range, 0, 99)),
    pauseMs: Math.round(pauseMs),
  };
}
