import { describe, expect, it } from 'vitest';
import { AUDIO_FORMATS, isSampleRateOf, MP3_SAMPLE_RATES } from '../../src/speech/audio-format.ts';
import { QUALITIES } from '../../src/speech/job-request.ts';
import { bitrateOf, outputQuality } from '../../src/speech/output-quality.ts';

describe('output quality', () => {
  it('chooses a rate that the format has, and keeps the one that was asked for', () => {
    for (const format of AUDIO_FORMATS)
      for (const quality of QUALITIES) {
        expect(isSampleRateOf(format, outputQuality(format, quality).sampleRate)).toBe(true);
        expect(outputQuality(format, quality, 16_000).sampleRate).toBe(16_000);
      }
    expect(outputQuality('mulaw', 'premium').sampleRate).toBe(8000);
    expect(outputQuality('wav', 'premium').sampleRate).toBe(48_000);
  });

  it('never gives less for more', () => {
    for (const format of ['mp3', 'ogg'] as const) {
      const kbps = QUALITIES.map((quality) => outputQuality(format, quality).bitrateKbps!);
      expect(kbps).toEqual(kbps.toSorted((a, b) => a - b));
      expect(new Set(kbps).size).toBe(QUALITIES.length);
    }
    const rates = QUALITIES.map((quality) => outputQuality('flac', quality).sampleRate);
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
  });

  it('is medium where nobody says', () => {
    expect(outputQuality('mp3')).toEqual({ sampleRate: 24_000, bitrateKbps: 64 });
  });

  it('stays within what the format takes at the rate', () => {
    expect(outputQuality('mp3', 'premium', 8000).bitrateKbps).toBe(64);
    expect(outputQuality('mp3', 'premium', 24_000).bitrateKbps).toBe(128);
    expect(bitrateOf('mp3', 48_000, 8)).toBe(32);
    expect(bitrateOf('mp3', 24_000, 320)).toBe(160);
    expect(bitrateOf('ogg', 48_000, 1)).toBe(6);
    expect(bitrateOf('ogg', 8000, 999)).toBe(128);
    for (const sampleRate of MP3_SAMPLE_RATES) expect(bitrateOf('mp3', sampleRate, 40)).toBe(40);
  });

  it('gives no bit rate to formats that have none of their choice', () => {
    for (const format of ['wav', 'raw', 'mulaw', 'flac'] as const)
      expect(outputQuality(format, 'high').bitrateKbps).toBeUndefined();
  });
});
