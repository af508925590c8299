// The small parts between a frame of bytes and a position of the sound.
import { describe, expect, it } from 'vitest';
import { createAudioClock } from '../../../packages/client/src/player/audio-clock.ts';
import { createCreditTeller } from '../../../packages/client/src/player/credit-teller.ts';
import { decodeSamples } from '../../../packages/client/src/player/sample-decoder.ts';
import { MULAW_VALUES } from '../../../src/audio/dsp/g711.ts';
import { createWaveformPeaks } from '../../../src/playground/waveform-peaks.ts';

describe('sample decoder', () => {
  it('gives every 16-bit value as itself divided by 32,768', () => {
    const values = Int16Array.of(0, 1, -1, 32_767, -32_768, 12_345);
    const bytes = new DataView(new ArrayBuffer(values.length * 2));
    values.forEach((value, at) => {
      bytes.setInt16(2 * at, value, true);
    });
    const samples = decodeSamples('raw', new Uint8Array(bytes.buffer));
    expect([...samples].map((sample) => sample * 32_768)).toEqual([...values]);
  });

  it('reads every code of µ-law and A-law by the gateway’s own tables', () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
    const mulaw = decodeSamples('mulaw', codes);
    expect([...mulaw].map((sample) => Math.round(sample * 32_768))).toEqual([...MULAW_VALUES]);
    expect(decodeSamples('alaw', codes)[0x55]).toBe(-8 / 32_768);
  });
});

describe('audio clock', () => {
  it('moves with the frames between a start and a stop', () => {
    const clock = createAudioClock();
    expect(clock.playedAt(500, 0)).toBe(0);
    clock.set({ state: 'moving', frame: 1000, played: 0 });
    expect(clock.playedAt(900, 5000)).toBe(0);
    expect(clock.playedAt(1400, 5000)).toBe(400);
    clock.set({ state: 'still', frame: 1500, played: 500 });
    expect(clock.playedAt(1450, 5000)).toBe(450);
    expect(clock.playedAt(1600, 5000)).toBe(500);
    clock.set({ state: 'moving', frame: 2000, played: 500 });
    expect(clock.playedAt(2100, 5000)).toBe(600);
  });

  it('is never ahead of what has come, however late a stop is told', () => {
    const clock = createAudioClock();
    clock.set({ state: 'moving', frame: 0, played: 0 });
    expect(clock.playedAt(900, 700)).toBe(700);
  });
});

describe('waveform peaks', () => {
  it('keeps the loudest of each stretch, over any split', () => {
    const peaks = createWaveformPeaks(4);
    peaks.add(Float32Array.of(0.25, -0.5, 0));
    peaks.add(Float32Array.of(0.125, 0.75));
    expect([0, 1, 2, -1].map((column) => peaks.peak(column))).toEqual([0.5, 0.75, 0, 0]);
  });

  it('forgets what was cut, and goes on there', () => {
    const peaks = createWaveformPeaks(4);
    peaks.add(new Float32Array(16).fill(0.5));
    peaks.cut(6);
    expect([0, 1, 2, 3].map((column) => peaks.peak(column))).toEqual([0.5, 0.5, 0, 0]);
    peaks.add(new Float32Array(4).fill(0.75));
    expect([0, 1, 2, 3].map((column) => peaks.peak(column))).toEqual([0.5, 0.75, 0.75, 0]);
  });
});

describe('credit teller', () => {
  it('tells what is new, and not too often', () => {
    const credit = createCreditTeller();
    expect(credit.due('a', 0, 0)).toBeUndefined();
    expect(credit.due('a', 10, 5)).toBe(10);
    expect(credit.due('a', 30, 25)).toBeUndefined();
    expect(credit.due('a', 60, 60)).toBe(60);
    expect(credit.due('a', 60, 500)).toBeUndefined();
    expect(credit.due('b', 5, 501)).toBe(5);
  });
});
