// The caller of a simulated call: silent until spoken to for a while, then a second of sound as loud as speech.
import { describe, expect, it } from 'vitest';
import { ALAW_VALUES, MULAW_VALUES } from '../../../src/audio/dsp/g711.ts';
import { bytesPerMs, type PlainSound } from '../../../src/speech/plain-sound.ts';
import { createCallerVoice } from '../../../testkit/callers/caller-voice.ts';

const SOUNDS: readonly PlainSound[] = [
  { format: 'mulaw', sampleRate: 8000 },
  { format: 'alaw', sampleRate: 8000 },
  { format: 'raw', sampleRate: 16_000 },
];

function loudest({ format }: PlainSound, bytes: Uint8Array): number {
  const codes = Array.from(bytes);
  if (format === 'mulaw') return Math.max(...codes.map((code) => Math.abs(MULAW_VALUES[code]!)));
  if (format === 'alaw') return Math.max(...codes.map((code) => Math.abs(ALAW_VALUES[code]!)));
  return Math.max(...Array.from(new Int16Array(bytes.slice().buffer), Math.abs));
}

describe.each(SOUNDS)('a caller in $format at $sampleRate Hz', (sound) => {
  it('talks for a second, so long after the first sound', () => {
    const caller = createCallerVoice(sound, 200);
    const levels = (chunks: number, isSpokenTo: boolean) =>
      Array.from({ length: chunks }, () => {
        const bytes = caller.next(isSpokenTo);
        expect(bytes.length).toBe(20 * bytesPerMs(sound));
        return loudest(sound, bytes);
      });
    expect(Math.max(...levels(50, false), ...levels(10, true))).toBeLessThan(10);
    const talk = levels(50, true);
    expect(Math.min(...talk)).toBeGreaterThan(5000);
    expect(Math.max(...talk)).toBeLessThan(8000);
    expect(Math.max(...levels(50, true))).toBeLessThan(10);
  });

  it('says nothing unless told to', () => {
    const caller = createCallerVoice(sound, undefined);
    for (let chunk = 0; chunk < 200; chunk += 1) expect(loudest(sound, caller.next(true))).toBeLessThan(10);
  });
});
