// Where a hand-over is told to be: `switched` and `servedBy`, against where the sound of the second service begins in what was sent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MULAW_VALUES } from '../../../src/audio/dsp/g711.ts';
import { decodePcm16 } from '../../../src/audio/dsp/pcm16.ts';
import { VOICES } from '../../../src/engine/voices.ts';
import { openVoices, type Voices } from '../../support/breaking-service.ts';
import { codecs } from '../../support/codecs.ts';
import { decodedMp3 } from '../../support/decoded-mp3.ts';
import { createFailingServices } from '../../support/failing-services.ts';
import { startSession } from '../../support/live-session.ts';
import { placeOf } from '../../support/words-in-recording.ts';

const TEXT = 'Good evening, and welcome back. The last train to the harbour leaves in ten minutes.';
const ENGINE_RATE = 24_000;
const EXCERPT_MS = 400;

let voices: Voices;
beforeAll(async () => {
  voices = await openVoices();
}, 60_000);
afterAll(() => voices.close());

function resampled(sound: Float32Array, toRate: number): Float32Array {
  const blocks: Float32Array[] = [];
  const stage = codecs.sound.resample({ fromRate: ENGINE_RATE, toRate }, (block) =>
    blocks.push(block.slice()),
  );
  stage.push(sound);
  stage.flush();
  return Float32Array.from(blocks.flatMap((block) => [...block]));
}

describe('a hand-over in mid-speech', () => {
  it.each([
    ['raw', 24_000, 1_300],
    ['mulaw', 8_000, 1_620],
  ] as const)(
    'is told to the millisecond: %s at %i Hz, broken off at %i ms',
    async (format, sampleRate, breaksAtMs) => {
      const failing = createFailingServices({
        voices,
        first: { voice: VOICES[0]!.id },
        second: { voice: VOICES[5]!.id },
      });
      const live = startSession({ services: failing.services, preset: { format, sampleRate } });
      failing.startsAt(live.clock);
      failing.breaksAt(breaksAtMs);
      live.send({ type: 'speak', turn: 't', text: TEXT });
      for (let s = 0; s < 40 && live.said('ended').length === 0; s += 1) await failing.run(live, 500);
      const bytes = live.audioOf('t');
      const sent =
        format === 'raw'
          ? decodePcm16(bytes)
          : Float32Array.from(bytes, (byte) => MULAW_VALUES[byte]! / 32_768);
      const sound = resampled(decodedMp3(failing.requests.at(-1)!.mp3), sampleRate);
      const { atMs } = live.said('switched')[0]!;
      const told = Math.round((atMs * sampleRate) / 1000);
      const excerpt = sound.subarray(0, (EXCERPT_MS * sampleRate) / 1000);
      const reach = Math.round(0.06 * sampleRate);
      const { at, likeness } = placeOf(sent, excerpt, told - reach, told + reach);
      expect(likeness).toBeGreaterThan(0.9);
      // Times are told in whole milliseconds.
      expect(Math.abs(((at - told) * 1000) / sampleRate)).toBeLessThanOrEqual(1.5);
      expect(live.said('ended')[0]!.servedBy![1]!.fromMs).toBe(Math.round(atMs));
    },
  );
});
