// How one sentence is spoken: rate, pitch, range and the pause before it, from the voice, the speed and the seed.
// The engine itself sounds the same every time, so this is where `seed` and `temperature` have their meaning
// (interface 4.4: a fixed seed yields identical audio; a higher temperature varies more). Pure.

import type { Pause } from './speech-script.ts';
import type { Voice } from './voices.ts';

export type Prosody = {
  /** Words a minute, as eSpeak NG counts them. */
  readonly rate: number;
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
/** What the engine can do, about 0.46 to 2.6 times the normal rate; speeds beyond that are spoken at the bound. */
const SLOWEST_RATE = 80;
const FASTEST_RATE = 450;

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

/** Two multiply and shift-xor rounds after which each input bit sways each output bit (Wellons, lowbias32). */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Numbers from −1 to 1 for one sentence; a sentence's own do not depend on how many came before it. */
function offsets(seed: number, sentence: number): () => number {
  let state = mix(mix(seed) + sentence);
  return () => {
    state = mix(state + 0x9e3779b9);
    return (state / 0xffffffff) * 2 - 1;
  };
}

/** The same arguments give the same prosody. `sentence` counts from 0 over the request. */
export function createProsody(options: ProsodyOptions, sentence: number, pause: Pause): Prosody {
  const { voice, speed, seed, temperature } = options;
  const next = offsets(seed, sentence);
  const rate =
    clamp(NORMAL_RATE * speed, SLOWEST_RATE, FASTEST_RATE) * (1 + next() * RATE_SPREAD * temperature);
  const pitch = voice.pitch + next() * PITCH_SPREAD * temperature;
  const range = voice.range + next() * RANGE_SPREAD * temperature;
  const pauseMs = (PAUSE_MS[pause] * (1 + next() * PAUSE_SPREAD * temperature)) / clamp(speed, 0.5, 2.5);
  return {
    rate: Math.round(clamp(rate, SLOWEST_RATE, FASTEST_RATE)),
    pitch: Math.round(clamp(pitch, 0, 99)),
    range: Math.round(clamp(range, 0, 99)),
    pauseMs: Math.round(pauseMs),
  };
}
