import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { MPEGDecoder } from 'mpg123-decoder';
import { describe, expect, it } from 'vitest';
import {
  loadMp3Encoders,
  type Mp3Encoder,
  type Mp3Rule,
  speechBitrateKbps,
} from '../../../src/audio/mp3/mp3-encoder.ts';
import { parseMp3Header, wordAt } from '../../../src/audio/mp3/mp3-header.ts';
import { isSampleRateOf, MP3_SAMPLE_RATES } from '../../../src/speech/audio-format.ts';
import { noise, tone } from '../../support/tone.ts';

const encoders = await loadMp3Encoders();
const SPEECH: Mp3Rule = { sampleRate: 24_000, bitrateKbps: 64 };

function encodeWith(encoder: Mp3Encoder, samples: Float32Array, sizes: readonly number[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    parts.push(encoder.encode(samples.slice(at, at + size)));
    at += size;
  }
  parts.push(encoder.finish());
  return new Uint8Array(Buffer.concat(parts));
}
const encode = (rule: Mp3Rule, samples: Float32Array, sizes: readonly number[] = [576]) =>
  encodeWith(encoders.open(rule), samples, sizes);

/** Walks from header to header; fails when a frame does not end where the next one begins. */
function headersOf(bytes: Uint8Array) {
  const headers = [];
  for (let at = 0; at < bytes.length; ) {
    const header = at + 4 <= bytes.length ? parseMp3Header(wordAt(bytes, at)) : undefined;
    if (header === undefined) throw new Error(`no frame at byte ${at} of ${bytes.length}`);
    headers.push(header);
    at += header.frameBytes;
    if (at > bytes.length) throw new Error('the last frame is cut');
  }
  return headers;
}

describe('mp3 encoder', () => {
  it.each(MP3_SAMPLE_RATES)('writes whole mono frames of one bit rate at %i Hz', (sampleRate) => {
    const bitrateKbps = speechBitrateKbps(sampleRate);
    const samples = noise(sampleRate / 2, 3);
    const bytes = encode({ sampleRate, bitrateKbps }, samples);
    const headers = headersOf(bytes);
    for (const header of headers) expect(header).toMatchObject({ sampleRate, bitrateKbps, channels: 1 });
    const samplesPerFrame = headers[0]!.samplesPerFrame;
    expect(headers.length * samplesPerFrame).toBeGreaterThanOrEqual(samples.length + 1105);
    expect(headers.length * samplesPerFrame).toBeLessThan(samples.length + 1105 + 3 * samplesPerFrame);
  });

  it('writes no Xing or Info frame', () => {
    const bytes = Buffer.from(encode(SPEECH, noise(24_000)));
    expect([bytes.indexOf('Xing'), bytes.indexOf('Info')]).toEqual([-1, -1]);
  });

  it('delays by 1105 samples, decoder included', async () => {
    const pulse = tone(1000, 24_000, 240).map((sample, i) => sample * Math.sin((Math.PI * i) / 240));
    const samples = new Float32Array(12_000);
    samples.set(pulse, 4000);
    const decoder = new MPEGDecoder({ enableGapless: false });
    await decoder.ready;
    const [decoded] = decoder.decode(encode(SPEECH, samples)).channelData;
    decoder.free();
    const likeness = (delay: number) =>
      pulse.reduce((sum, sample, i) => sum + sample * (decoded![4000 + i + delay] ?? 0), 0);
    const delays = Array.from({ length: 2000 }, (_, delay) => delay);
    expect(delays.reduce((best, delay) => (likeness(delay) > likeness(best) ? delay : best), 0)).toBe(1105);
  });

  it('does not care how the samples are split', () => {
    const samples = noise(4000, 5);
    const whole = encode(SPEECH, samples, [samples.length]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 6 }), (sizes) => {
        expect(encode(SPEECH, samples, sizes)).toEqual(whole);
      }),
      { numRuns: 10 },
    );
    expect(encode(SPEECH, samples, [1])).toEqual(whole);
  });

  it('gives the same bytes whatever ran before or runs beside', () => {
    const samples = noise(8000, 7);
    const alone = encode(SPEECH, samples);
    encode({ sampleRate: 44_100, bitrateKbps: 96 }, noise(10_000, 9));

    const one = encoders.open(SPEECH);
    const other = encoders.open({ sampleRate: 8000, bitrateKbps: 32 });
    const parts: Uint8Array[] = [];
    for (let at = 0; at < samples.length; at += 500) {
      parts.push(one.encode(samples.slice(at, at + 500)));
      other.encode(noise(700, at + 1));
    }
    parts.push(one.finish());
    expect(Buffer.concat(parts).equals(alone)).toBe(true);
  });

  it('hands out memory of its own', () => {
    const encoder = encoders.open(SPEECH);
    const first = encoder.encode(noise(5000));
    const before = first.slice();
    encoder.encode(noise(5000, 99));
    encoder.finish();
    expect(first.length).toBeGreaterThan(0);
    expect(first).toEqual(before);
  });

  it('clips what is too loud and takes NaN for silence, so that one bad sample spoils nothing', () => {
    const samples = tone(440, 24_000, 12_000, 0.5);
    for (const [bad, same] of [
      [Number.NaN, 0],
      [1e30, 1],
      [Number.NEGATIVE_INFINITY, -1],
    ] as const)
      expect(encode(SPEECH, samples.with(3000, bad))).toEqual(encode(SPEECH, samples.with(3000, same)));
  });

  it('takes no samples and many', () => {
    const encoder = encoders.open(SPEECH);
    expect(encoder.encode(new Float32Array(0))).toHaveLength(0);
    expect(encoder.encode(new Float32Array(240_000)).length).toBeGreaterThan(70_000);
    headersOf(encodeWith(encoders.open(SPEECH), new Float32Array(240_000), [240_000]));
  });

  it('refuses a rate that mp3 has not', () => {
    for (const sampleRate of [8001, 0, 96_000, Number.NaN])
      expect(() => encoders.open({ sampleRate, bitrateKbps: 64 })).toThrow(RangeError);
  });

  it('has a bit rate for every rate', () => {
    for (const rate of MP3_SAMPLE_RATES) expect(isSampleRateOf('mp3', rate)).toBe(true);
    expect(MP3_SAMPLE_RATES.map(speechBitrateKbps)).toEqual([32, 32, 32, 48, 64, 64, 80, 96, 96]);
  });
});
