// ffmpeg as the judge of our codecs, both ways: what we decode, resample and compand is what it makes of the same
// file, and what we encode is what it takes for granted. It is not part of the product.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ffmpeg, { type ProbeData } from 'fluent-ffmpeg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import { Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { Transcoder } from '../../src/audio/transcoder.ts';
import type { OutputFormat } from '../../src/speech/audio-format.ts';
import { codecs, speechMp3 } from '../support/codecs.ts';
import { bestLikenessDb, likenessDb, telephoneBand } from '../support/likeness.ts';
import { chunksOf, mp3Fixture, mp3References } from '../support/mp3-fixtures.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/audio');
/** What every decoder puts in front when no tag tells how much to cut; our chain cuts it, ffmpeg does not. */
const USUAL_DELAY = 1105;
/** Pieces of 50 ms are compared where they are loud enough for µ-law's 38 dB, and looked for 300 ms around. */
const PIECE = 400;
const LOUD = 500;
const DROPPED = 2400;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'voxgate-ffmpeg-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function transcode(mp3: Uint8Array, output: OutputFormat) {
  const frames: Uint8Array[] = [];
  let samples = 0;
  const transcoder = new Transcoder(output, codecs, (frame) => {
    frames.push(frame.bytes.slice());
    samples += frame.samples;
  });
  const parser = new Mp3FrameParser({
    onFrame: (frame) => transcoder.push({ kind: 'frame', frame }),
    onTag: (tag) => transcoder.push({ kind: 'tag', tag }),
  });
  transcoder.push({ kind: 'begin' });
  for (const chunk of chunksOf(mp3, [1000])) parser.push(chunk);
  parser.flush();
  transcoder.push({ kind: 'end' });
  transcoder.push({ kind: 'finish' });
  await transcoder.settled();
  transcoder.close();
  return { bytes: Buffer.concat(frames), samples };
}

const fromMulaw = (bytes: Uint8Array): Float64Array =>
  Float64Array.from(bytes, (code) => MULAW_VALUES[code]!);

type Judgement = {
  /** Samples at 8 kHz before any companding, at 16-bit scale. */
  readonly plain: Float64Array;
  readonly mulaw: Float64Array;
};

/** The fixture as ffmpeg hears it. */
async function judge(name: string): Promise<Judgement> {
  const isTagged = mp3References[name]?.tag !== undefined;
  const trim = isTagged ? [] : [`atrim=start_sample=${USUAL_DELAY}`, 'asetpts=PTS-STARTPTS'];
  // Without the last, ffmpeg mixes floats down at full strength; ours is the mean, as its own of 16 bits is.
  const filters = [...trim, 'aresample=8000:rematrix_maxval=1'];
  const [plainPath, mulawPath] = [join(folder, `${name}.f32`), join(folder, `${name}.ulaw`)];
  await new Promise<void>((resolve, reject) => {
    ffmpeg(join(FIXTURES, name))
      .output(plainPath)
      .audioFilters(filters)
      .outputOptions(['-ac', '1', '-f', 'f32le'])
      .output(mulawPath)
      .audioFilters(filters)
      .outputOptions(['-ac', '1', '-f', 'mulaw'])
      .on('error', reject)
      .on('end', () => resolve())
      .run();
  });
  const plain = readFileSync(plainPath);
  return {
    plain: Float64Array.from({ length: plain.length >> 2 }, (_, i) => plain.readFloatLE(i * 4) * 32_768),
    mulaw: fromMulaw(readFileSync(mulawPath)),
  };
}

const probe = (path: string): Promise<ProbeData> =>
  new Promise((resolve, reject) => {
    ffmpeg.ffprobe(path, (error, data) => (error === null ? resolve(data) : reject(error)));
  });

const ourMulaw = async (name: string): Promise<Float64Array> => {
  const { bytes } = await transcode(mp3Fixture(name), { format: 'mulaw', sampleRate: 8000, frameMs: 20 });
  return fromMulaw(bytes);
};

const whole = Object.entries(mp3References)
  .filter(([, { sourceSamples }]) => sourceSamples !== undefined)
  .map(([name]) => name);
/** Files that are not one sound stream, and how much of each both sides must agree on. */
const broken = [
  {
    name: 'change-24k-44k.mp3',
    share: 0.5,
    because: 'after the change ffmpeg lies a fraction of a sample aside',
  },
  { name: 'damaged-24k.mp3', share: 0.6, because: 'damage is silence here; ffmpeg plays or drops it' },
];

describe('µ-law at 8 kHz against ffmpeg', () => {
  it.concurrent.each(whole)('%s is the same sound at the same time', async (name) => {
    const { plain, mulaw } = await judge(name);
    const ours = await ourMulaw(name);
    // The last frame is padded to 20 ms; ffmpeg may keep a sample more or less at the end.
    expect(Math.abs(ours.length - plain.length)).toBeLessThanOrEqual(160);

    const band = telephoneBand(ours);
    const reference = telephoneBand(plain);
    // µ-law itself leaves 38.3 dB of speech, so a decibel is all that decoder and resampler may take. The 51 dB at
    // which ffmpeg's decoder differs from others in a few MPEG-2 frames (24 kHz) are not seen beside that.
    expect(likenessDb(band, reference)).toBeGreaterThan(37);
    // Two quantisers, whose rounding differs by intent (see g711.ts), may err in opposite directions.
    expect(likenessDb(band, telephoneBand(mulaw))).toBeGreaterThan(36);
    // Aligned to the sample: one to either side is much worse.
    for (const lag of [-1, 1]) expect(likenessDb(band, reference, lag)).toBeLessThan(20);
  });

  it.concurrent.each(broken)('$name agrees in $share of its length: $because', async ({ name, share }) => {
    const { plain } = await judge(name);
    const band = telephoneBand(await ourMulaw(name));
    const reference = telephoneBand(plain);
    const likeness: number[] = [];
    for (let at = 0; at + PIECE <= band.length; at += PIECE) {
      const piece = band.subarray(at, at + PIECE);
      const rms = Math.sqrt(piece.reduce((sum, sample) => sum + sample * sample, 0) / PIECE);
      // ffmpeg drops what it cannot decode, so what follows lies earlier there.
      if (rms > LOUD) likeness.push(bestLikenessDb(piece, reference, at, DROPPED));
    }
    expect(likeness.length).toBeGreaterThan(20);
    const agreeing = likeness.filter((db) => db > 34).length;
    expect(agreeing / likeness.length).toBeGreaterThanOrEqual(share);
  });

  it('covers every fixture', () => {
    expect([...whole, ...broken.map(({ name }) => name)].sort()).toEqual(Object.keys(mp3References).sort());
  });
});

describe('what we encode, by ffprobe', () => {
  const SECONDS = 3;
  const outputs = [
    { format: 'wav', sampleRate: 8000, codec: 'pcm_s16le', container: 'wav' },
    { format: 'wav', sampleRate: 44_100, codec: 'pcm_s16le', container: 'wav' },
    { format: 'mp3', sampleRate: 16_000, codec: 'mp3', container: 'mp3' },
    { format: 'mp3', sampleRate: 24_000, codec: 'mp3', container: 'mp3' },
    { format: 'mp3', sampleRate: 48_000, codec: 'mp3', container: 'mp3' },
  ] as const;

  it.concurrent.each(outputs)('$format at $sampleRate Hz is what it says', async (output) => {
    const { format, sampleRate, codec, container } = output;
    const { bytes, samples } = await transcode(speechMp3(SECONDS * 1000), {
      format,
      sampleRate,
      frameMs: 20,
    });
    const path = join(folder, `${sampleRate}.${format}`);
    writeFileSync(path, bytes);

    const { streams, format: found } = await probe(path);
    expect(found.format_name).toBe(container);
    expect(streams).toHaveLength(1);
    expect(streams[0]).toMatchObject({ codec_name: codec, sample_rate: sampleRate, channels: 1 });
    // Our own count, which the pacing relies on; ffprobe works it out from the bytes and their rate.
    expect(Math.abs(Number(found.duration) - samples / sampleRate)).toBeLessThan(0.03);
    expect(Math.abs(Number(found.duration) - SECONDS)).toBeLessThan(0.15);
  });
});
