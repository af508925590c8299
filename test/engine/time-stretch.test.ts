import { describe, expect, it } from 'vitest';
import { loadTimeStretch } from '../../src/engine/time-stretch.ts';
import { pitchHz } from './engine-fixture.ts';

const createTimeStretch = await loadTimeStretch();
const RATE = 22_050;

/** A steady vowel: harmonics of `pitchHz` around a formant at 600 Hz. */
const vowel = (hz: number, seconds: number) =>
  Float32Array.from({ length: seconds * RATE }, (_, index) => {
    let sum = 0;
    for (let harmonic = 1; harmonic < 10; harmonic++) {
      const phase = (2 * Math.PI * hz * harmonic * index) / RATE;
      sum += Math.sin(phase) / harmonic / (1 + Math.abs(harmonic * hz - 600) / 600);
    }
    return sum * 0.2;
  });

function stretched(samples: Float32Array, factor: number, blockSamples = 2205): Float32Array {
  const parts: Float32Array[] = [];
  const stage = createTimeStretch(factor, (block) => parts.push(block.samples.slice()));
  for (let at = 0; at < samples.length; at += blockSamples)
    stage.push({ samples: samples.subarray(at, at + blockSamples), sampleRate: RATE });
  stage.flush();
  stage.close();
  stage.close();
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part.buffer)));
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4).slice();
}

const pitchOf = (samples: Float32Array) => {
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * 32_767));
  return pitchHz(Buffer.from(pcm.buffer), RATE);
};

describe('createTimeStretch', () => {
  it('changes how long sound lasts and not how high it is', () => {
    for (const hz of [95, 210]) {
      const voice = vowel(hz, 1);
      for (const factor of [0.16, 0.7, 1.05, 2, 3.6]) {
        const sound = stretched(voice, factor);
        const lasts = voice.length / sound.length / factor;
        expect([hz, factor, lasts, pitchOf(sound) / hz]).toEqual([
          hz,
          factor,
          expect.closeTo(1, 1),
          expect.closeTo(1, 1),
        ]);
      }
    }
  });

  it('gives the same samples however they are cut, and whatever runs beside it', () => {
    const voice = vowel(110, 0.2);
    const whole = stretched(voice, 0.4);
    for (const blockSamples of [1, 255, 257, 5000])
      expect(stretched(voice, 0.4, blockSamples)).toEqual(whole);
    const other = createTimeStretch(3, () => {});
    other.push({ samples: vowel(220, 0.1), sampleRate: 48_000 });
    expect(stretched(voice, 0.4)).toEqual(whole);
    other.close();
  });

  it('hands everything on at 1, and nothing when nothing came', () => {
    const voice = vowel(100, 0.1);
    expect(stretched(voice, 1)).toEqual(voice);
    expect(stretched(new Float32Array(0), 2).length).toBe(0);
    expect(stretched(voice.subarray(0, 3), 5).length).toBeLessThan(50);
  });

  it('frees what it took', () => {
    const voice = vowel(100, 0.05);
    for (let i = 0; i < 1000; i++) {
      const stage = createTimeStretch(0.5, () => {});
      stage.push({ samples: voice, sampleRate: RATE });
      stage.close();
    }
    expect(stretched(voice, 0.5).length).toBeGreaterThan(voice.length);
  });
});
