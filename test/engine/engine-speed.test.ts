// `speed` over the whole of its range, with the real eSpeak NG: how long the speech lasts and how high it stays.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine-server.ts';
import { ADAM, ANNA, closeEngines, engineForTest, pitchHz, removeScratch, speak } from './engine-fixture.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await engineForTest();
});
afterAll(async () => {
  await closeEngines();
  removeScratch();
});

const RATE = 16_000;
const TEXT =
  'We are going down to the harbour early in the morning, because the boats come in before sunrise. Then we walk home.';
const fields = { text: TEXT, temperature: 0, sampleRate: RATE };

describe('speed', () => {
  it.each([
    { name: 'Anna', voice: ANNA },
    { name: 'Adam', voice: ADAM },
  ])('gives its duration within 5 percent, and leaves the pitch of $name where it is', async ({ voice }) => {
    const at = async (speed: number) => {
      const bytes = await speak(engine, { ...fields, voice, speed });
      return { seconds: bytes.length / 2 / RATE, pitch: pitchHz(bytes, RATE) };
    };
    const normal = await at(1);
    for (const speed of [0.1, 0.2, 0.4, 0.7, 1, 1.5, 2.5, 4, 5]) {
      const { seconds, pitch } = await at(speed);
      const told = { speed, duration: (seconds * speed) / normal.seconds, pitch: pitch / normal.pitch };
      expect(Math.abs(told.duration - 1), JSON.stringify(told)).toBeLessThan(0.05);
      expect(Math.abs(told.pitch - 1), JSON.stringify(told)).toBeLessThan(0.1);
    }
  });

  it('gives the same bytes for the same seed, after other requests and in another engine', async () => {
    const other = await engineForTest();
    for (const speed of [0.15, 4]) {
      const wanted = { text: 'Then we walk home. Slowly.', seed: 5, outputFormat: 'mp3', speed };
      const [one, , two] = await Promise.all(
        [wanted, { ...wanted, seed: 6 }, wanted].map((w) => speak(engine, w)),
      );
      expect(one!.equals(two!)).toBe(true);
      expect((await speak(other, wanted)).equals(one!)).toBe(true);
    }
  });
});
