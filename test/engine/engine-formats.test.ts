// Every outputFormat at the rates that it can have: what it is called, and that it holds exactly what was spoken.
// The speech program is a stand-in whose sentence lasts 150 ms.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine-server.ts';
import { listedSampleRates, type ServiceFormat } from '../../src/speech/audio-format.ts';
import { readFlac } from '../support/flac-reader.ts';
import {
  closeEngines,
  decodeMp3,
  engineForTest,
  fakeProgram,
  post,
  removeScratch,
  speechBody,
} from './engine-fixture.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await engineForTest({ command: fakeProgram() });
});
afterAll(async () => {
  await closeEngines();
  removeScratch();
});

const TEXT = `${'a'.repeat(239)}.`;
const SECONDS = 0.15;
const ANY_RATE = [8000, 8001, 11_025, 16_000, 22_050, 24_000, 44_100, 47_999, 48_000];
const LAME_DELAY = 1105;

async function reply(outputFormat: string, sampleRate?: number) {
  const response = await post(engine, speechBody({ text: TEXT, outputFormat, sampleRate, temperature: 0 }));
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status, bytes.toString('latin1', 0, 300)).toBe(200);
  return { type: response.headers.get('content-type'), bytes };
}

/** Samples at the rate, told by each format's own means. */
const COUNT: Record<ServiceFormat, (bytes: Buffer, sampleRate: number) => Promise<number> | number> = {
  raw: (bytes) => bytes.length / 2,
  mulaw: (bytes) => bytes.length,
  wav(bytes, sampleRate) {
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt32LE(24)]).toEqual(['RIFF', sampleRate]);
    return (bytes.length - 44) / 2;
  },
  flac(bytes, sampleRate) {
    const stream = readFlac(bytes);
    expect(stream.sampleRate).toBe(sampleRate);
    return stream.samples.length;
  },
  // RFC 7845 4 and 5.1: the last page's granule position less the pre-skip, both at 48 kHz.
  ogg(bytes, sampleRate) {
    expect(bytes.readUInt32LE(bytes.indexOf('OpusHead') + 12)).toBe(sampleRate);
    const preSkip = bytes.readUInt16LE(bytes.indexOf('OpusHead') + 10);
    const granule = Number(bytes.readBigInt64LE(bytes.lastIndexOf('OggS') + 6));
    return ((granule - preSkip) * sampleRate) / 48_000;
  },
  async mp3(bytes, sampleRate) {
    const decoded = await decodeMp3(bytes);
    expect(decoded.sampleRate).toBe(sampleRate);
    return decoded.pcm16.length / 2;
  },
};

describe.each(Object.keys(COUNT) as ServiceFormat[])('%s', (format) => {
  const rates = listedSampleRates(format) ?? ANY_RATE;

  it.each(rates)('at %i Hz holds every sample and none more', async (sampleRate) => {
    const { bytes } = await reply(format, sampleRate);
    const samples = await COUNT[format](bytes, sampleRate);
    const spoken = SECONDS * sampleRate;
    if (format !== 'mp3') return expect(Math.abs(samples - spoken)).toBeLessThan(1);
    // Whole frames, and LAME's delay.
    const frame = sampleRate < 32_000 ? 576 : 1152;
    expect(samples).toBeGreaterThanOrEqual(spoken + LAME_DELAY - 529);
    expect(samples).toBeLessThan(spoken + LAME_DELAY + 2 * frame);
  });
});

describe('the reply', () => {
  it('is called what it is', async () => {
    const typeOf = async (format: string, sampleRate?: number) => (await reply(format, sampleRate)).type;
    expect(await typeOf('mp3')).toBe('audio/mpeg');
    expect(await typeOf('wav')).toBe('audio/wav');
    expect(await typeOf('raw')).toBe('audio/pcm;rate=24000;channels=1;encoding=s16le');
    expect(await typeOf('mulaw')).toBe('audio/basic');
    expect(await typeOf('mulaw', 16_000)).toBe('audio/PCMU;rate=16000');
    expect(await typeOf('flac')).toBe('audio/flac');
    expect(await typeOf('ogg')).toBe('audio/ogg; codecs=opus');
  });

  it('is mp3 at 24 kHz and 64 kbit/s when nothing is named', async () => {
    const { bytes } = await reply('mp3');
    const { pcm16, sampleRate } = await decodeMp3(bytes);
    expect(sampleRate).toBe(24_000);
    expect(bytes.length / (pcm16.length / 2 / 24_000)).toBeCloseTo(8000, -1);
  });

  it('sounds the same in every lossless format', async () => {
    const [raw, wav, flac] = await Promise.all(['raw', 'wav', 'flac'].map((format) => reply(format)));
    expect(wav!.bytes.subarray(44).equals(raw!.bytes)).toBe(true);
    const { samples } = readFlac(flac!.bytes);
    expect(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).equals(raw!.bytes)).toBe(true);
  });

  it('frees its Opus encoder, however it ends', async () => {
    for (let round = 0; round < 3; round++) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const abort = new AbortController();
          if (index % 2 === 0) setImmediate(() => abort.abort());
          return post(engine, speechBody({ outputFormat: 'ogg' }), { signal: abort.signal })
            .then(async (response) => (await response.arrayBuffer()).byteLength && response.status)
            .catch(() => 'left');
        }),
      );
      expect(new Set(replies.filter((status) => status !== 'left'))).toEqual(new Set([200]));
    }
  });
});
