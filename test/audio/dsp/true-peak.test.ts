import { describe, expect, it } from 'vitest';
import { createTruePeakMeter } from '../../../src/audio/dsp/true-peak.ts';
import { decibels, noise, tone } from '../../support/tone.ts';

function peakDb(samples: Float32Array, size = 1000): number {
  const meter = createTruePeakMeter();
  for (let at = 0; at < samples.length; at += size) meter.push(samples.subarray(at, at + size));
  meter.push(new Float32Array(6));
  return decibels(meter.peak());
}

/** A sine of a quarter of the rate whose samples all miss its peak by 3 dB (EBU Tech 3341, case 16). */
const betweenSamples = (amplitude: number) =>
  Float32Array.from({ length: 4800 }, (_, i) => amplitude * Math.sin((Math.PI / 2) * i + Math.PI / 4));

describe('true peak meter', () => {
  it('sees the peak that lies between two samples, which differ from it by 3 dB', () => {
    expect(Math.max(...betweenSamples(0.5))).toBeCloseTo(0.5 / Math.SQRT2);
    // Tech 3341 allows +0.2 and −0.4 dB.
    expect(peakDb(betweenSamples(0.5))).toBeGreaterThan(-6.4);
    expect(peakDb(betweenSamples(0.5))).toBeLessThan(-5.8);
  });

  it('reads what the samples themselves reach', () => {
    expect(peakDb(tone(997, 48_000, 48_000, 0.5))).toBeCloseTo(-6.02, 1);
    const click = new Float32Array(100);
    click[50] = -0.8;
    expect(peakDb(click)).toBeCloseTo(decibels(0.8), 6);
  });

  it('sees the first sample, and the last one when silence follows', () => {
    const edges = new Float32Array(40);
    edges[0] = 0.3;
    edges[39] = -0.6;
    expect(peakDb(edges, 7)).toBeCloseTo(decibels(0.6), 6);
    expect(peakDb(edges.subarray(0, 30))).toBeCloseTo(decibels(0.3), 6);
  });

  it('reads the same in any split, and nothing from nothing', () => {
    const samples = noise(5000);
    expect(peakDb(samples, 1)).toBe(peakDb(samples, 5000));
    expect(peakDb(samples, 1153)).toBe(peakDb(samples, 5000));
    expect(createTruePeakMeter().peak()).toBe(0);
  });
});
