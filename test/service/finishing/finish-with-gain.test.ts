// The whole way from parts to a file, on this thread: lengths, loudness, and what cannot be finished.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createLoudnessMeter } from '../../../src/audio/dsp/loudness-meter.ts';
import { CEILING_DBTP } from '../../../src/audio/dsp/loudness-rule.ts';
import { createTruePeakMeter } from '../../../src/audio/dsp/true-peak.ts';
import { loadMp3Encoders } from '../../../src/audio/mp3/mp3-encoder.ts';
import type { FinishRequest } from '../../../src/service/audio-finisher.ts';
import { finishWithGain } from '../../../src/service/finishing/finish-with-gain.ts';
import { toFinished } from '../../../src/service/finishing/finished-sound.ts';
import { codecs } from '../../support/codecs.ts';
import { mp3Fixture } from '../../support/mp3-fixtures.ts';
import { createSpokenParts } from '../../support/spoken-parts.ts';
import { decibels } from '../../support/tone.ts';

const means = { ...codecs, mp3: await loadMp3Encoders() };
const spoken = createSpokenParts();
afterAll(() => spoken.remove());

async function finish(wish: Partial<FinishRequest>) {
  const request = spoken.request({ format: 'raw', ...wish });
  const steps: number[] = [];
  const sound = await finishWithGain(request, means, (done) => steps.push(done));
  const bytes = readFileSync(request.outPath);
  return { ...sound, finished: toFinished(sound, bytes.length), bytes, steps };
}

function loudnessOf(raw: Buffer, sampleRate: number) {
  const samples = Float32Array.from({ length: raw.length / 2 }, (_, i) => raw.readInt16LE(2 * i) / 32_768);
  const meter = createLoudnessMeter(sampleRate);
  const peaks = createTruePeakMeter();
  meter.push(samples);
  peaks.push(samples);
  return { lufs: meter.integrated(), peakDb: decibels(peaks.peak()) };
}

const fixture = (name: string) => {
  const path = join(spoken.folder, name);
  writeFileSync(path, mp3Fixture(name));
  return path;
};

describe('finishing with our own codecs', () => {
  it.each([
    ['quiet', 0.08],
    ['as it comes', 1],
    ['loud', 1.9],
  ])('brings speech that is %s to one loudness, below the ceiling', async (name, gain) => {
    for (const sampleRate of [8000, 24_000]) {
      const { bytes } = await finish({ parts: [spoken.part(name, gain, 2)], sampleRate });
      const { lufs, peakDb } = loudnessOf(bytes, sampleRate);
      expect(Math.abs(lufs + 16)).toBeLessThan(0.3);
      expect(peakDb).toBeLessThanOrEqual(CEILING_DBTP);
    }
  });

  it('puts parts and silences where it says, exactly', async () => {
    const parts = [
      { path: fixture('lame-cbr-24k.mp3'), gapMs: 250 },
      { path: fixture('lame-joint-44k.mp3'), gapMs: 0 },
      { path: fixture('lame-8k.mp3'), gapMs: 100 },
    ];
    const { finished, samples, places, bytes } = await finish({ parts, sampleRate: 16_000 });
    // Sources of 54,321 samples at 24 kHz, 88,200 at 44.1 kHz and 18,001 at 8 kHz.
    expect(places).toEqual([
      { start: 0, end: 36_214 },
      { start: 40_214, end: 72_214 },
      { start: 72_214, end: 108_216 },
    ]);
    expect(samples).toBe(108_216 + 1600);
    expect(bytes).toHaveLength(2 * samples);
    expect(finished.durationSeconds).toBe(samples / 16_000);
    expect(finished.places[1]).toEqual({ startMs: 2513, endMs: 4513 });
    for (let at = 36_300; at < 40_100; at++) expect(bytes.readInt16LE(2 * at)).toBe(0);
  });

  it('takes the rate of the parts, or the next one that the format has', async () => {
    const parts = [{ path: fixture('lame-untagged-22k.mp3'), gapMs: 0 }];
    expect((await finish({ parts })).sampleRate).toBe(22_050);
    expect((await finish({ parts, format: 'ogg' })).sampleRate).toBe(24_000);
  });

  it('tells progress that rises to 1', async () => {
    const { steps } = await finish({ parts: [spoken.part('long', 1, 8), spoken.part('more', 1)] });
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(steps.length).toBeGreaterThan(3);
    expect(steps.at(-1)).toBeCloseTo(1, 6);
  });

  it('keeps silence silent', async () => {
    const { bytes } = await finish({ parts: [spoken.part('silent', 0)] });
    expect(loudnessOf(bytes, 24_000).peakDb).toBeLessThan(-60);
  });

  it('refuses what it can make nothing of, naming the part', async () => {
    const empty = join(spoken.folder, 'empty');
    writeFileSync(empty, 'no sound at all');
    const good = spoken.part('good', 1);
    await expect(finish({ parts: [good, { path: empty, gapMs: 0 }] })).rejects.toMatchObject({
      code: 'upstream_bad_audio',
      message: expect.stringContaining('Part 2 of 2'),
    });
    await expect(finish({ parts: [] })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(finish({ parts: [], sampleRate: 8000 })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(finish({ parts: [good], format: 'mp3', sampleRate: 44_101 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(finish({ parts: [{ path: `${empty}-not-there`, gapMs: 0 }] })).rejects.toThrow('ENOENT');
  });
});
