// Speech that tells which turn it is of: a tone for each, found again in µ-law.

import { MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import { tone } from './tone.ts';

const encoders = await loadMp3Encoders();
const made = new Map<string, Uint8Array>();

/** A tone of about `ms` as MP3 at 24 kHz without any tag. */
export function toneMp3(hz: number, ms: number): Uint8Array {
  const key = `${hz}:${ms}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const encoder = encoders.open({ sampleRate: 24_000, bitrateKbps: 64 });
  const body = encoder.encode(tone(hz, 24_000, ms * 24, 0.3));
  const bytes = Uint8Array.from([...body, ...encoder.finish()]);
  made.set(key, bytes);
  return bytes;
}

const WINDOW = 80;

/** The level of a tone in each 10 ms of µ-law at 8 kHz, 0…1 of full scale; `hz` a multiple of 100. */
function toneLevels(mulaw: Uint8Array, hz: number): number[] {
  const levels: number[] = [];
  for (let at = 0; at + WINDOW <= mulaw.length; at += WINDOW) {
    let [real, imaginary] = [0, 0];
    for (let i = 0; i < WINDOW; i += 1) {
      const angle = (2 * Math.PI * hz * i) / 8000;
      const value = MULAW_VALUES[mulaw[at + i]!]! / 32_768;
      real += value * Math.cos(angle);
      imaginary += value * Math.sin(angle);
    }
    levels.push((2 * Math.hypot(real, imaginary)) / WINDOW);
  }
  return levels;
}

/** How long a tone of `toneMp3` is heard, ms, to 10 ms. */
export const toneMs = (mulaw: Uint8Array, hz: number): number =>
  10 * toneLevels(mulaw, hz).filter((level) => level > 0.15).length;
