// What programs that are not ours make of our Ogg Opus and FLAC: Debian's flac, opus-tools and FFmpeg. FFmpeg has
// decoders of its own for both; opusdec is libopus.
import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFlacEncoder } from '../../src/audio/containers/flac-encoder.ts';
import { createOggOpusEncoder } from '../../src/audio/containers/ogg-opus-encoder.ts';
import { createFilterBanks } from '../../src/audio/dsp/filter-bank.ts';
import { encodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import { createResampler } from '../../src/audio/dsp/resampler.ts';
import type { AudioFrame } from '../../src/audio/stage.ts';
import { OPUS_SAMPLE_RATES } from '../../src/speech/audio-format.ts';
import { fixtureSpeech } from '../support/fixture-speech.ts';
import { decibels, noise, pushInChunks } from '../support/tone.ts';

const folder = mkdtempSync(join(tmpdir(), 'voxgate-compat-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Standard output, once the program has ended well and without a complaint. */
function run(program: string, ...args: string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, maxBuffer: 2 ** 26 });
  const complaints = stderr.toString();
  if (status !== 0 || /error|warning|invalid|corrupt/i.test(complaints))
    throw new Error(`${program} ${args.join(' ')}: ${status}\n${complaints}`);
  return stdout;
}
const ffmpegPcm = (file: string, ...output: string[]) =>
  run('ffmpeg', '-v', 'warning', '-xerror', '-i', file, ...output, '-f', 's16le', '-');
const probe = (file: string, entry: string) =>
  run('ffprobe', '-v', 'warning', '-show_entries', entry, '-of', 'csv=p=0', file).toString().trim();

const banks = createFilterBanks();
const speech24k = fixtureSpeech();
function resampled(samples: Float32Array, fromRate: number, toRate: number): Float32Array {
  const parts: number[] = [];
  const stage = createResampler(banks, { fromRate, toRate }, (block) => parts.push(...block));
  stage.push(samples);
  stage.flush();
  return Float32Array.from(parts);
}
function pcm16(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(2 * samples.length);
  encodePcm16(samples, bytes);
  return bytes;
}
const floats = (pcm: Buffer) =>
  Float32Array.from({ length: pcm.length / 2 }, (_, i) => pcm.readInt16LE(2 * i) / 32_768);

type Create = typeof createFlacEncoder;
function writeEncoded(name: string, create: Create, sampleRate: number, samples: Float32Array): number {
  const frames: AudioFrame[] = [];
  pushInChunks(
    create(sampleRate, (frame) => frames.push(frame)),
    samples,
    [576],
  );
  writeFileSync(join(folder, name), Buffer.concat(frames.map((frame) => frame.bytes)));
  return frames.length;
}

/** Signal to rest in dB when what is heard lies `shift` samples after what was said. */
function snrDb(said: Float32Array, heard: Float32Array, shift: number): number {
  let signal = 0;
  let rest = 0;
  for (let i = 0; i < said.length; i++) {
    const sample = heard[i + shift] ?? 0;
    signal += said[i]! ** 2;
    rest += (said[i]! - sample) ** 2;
  }
  return decibels(Math.sqrt(signal / rest));
}

describe('flac, to other programs', () => {
  it.each([8000, 11_025, 12_000, 22_050, 44_100, 47_999, 48_000])(
    'is the same 16-bit samples at %i Hz',
    (sampleRate) => {
      const samples = Float32Array.of(
        ...resampled(speech24k, 24_000, sampleRate),
        ...noise(3001),
        ...new Float32Array(2000),
      );
      writeEncoded('speech.flac', createFlacEncoder, sampleRate, samples);
      const wanted = pcm16(samples);
      // Without an MD5 sum in its header it warns; so the samples are compared below.
      run('flac', '--totally-silent', '--test', 'speech.flac');
      const raw = ['--force-raw-format', '--endian=little', '--sign=signed'];
      expect(
        run('flac', '--totally-silent', '--decode', '--stdout', ...raw, 'speech.flac').equals(wanted),
      ).toBe(true);
      expect(ffmpegPcm('speech.flac').equals(wanted)).toBe(true);
      expect(probe('speech.flac', 'stream=codec_name,sample_rate,channels')).toBe(`flac,${sampleRate},1`);
    },
  );
});

describe('ogg opus, to other programs', () => {
  it.each(OPUS_SAMPLE_RATES)('is whole, and as long as what was said, at %i Hz', (sampleRate) => {
    for (const length of [sampleRate / 100, sampleRate / 50, 12_345]) {
      writeEncoded('short.opus', createOggOpusEncoder, sampleRate, noise(length));
      expect(ffmpegPcm('short.opus').length / 2).toBe((length * 48_000) / sampleRate);
      run('opusdec', '--quiet', '--rate', '48000', 'short.opus', 'short.wav');
      const wav = run(
        'ffprobe',
        '-v',
        'warning',
        '-show_entries',
        'stream=duration_ts',
        '-of',
        'csv=p=0',
        'short.wav',
      );
      expect(Number(wav.toString())).toBe((length * 48_000) / sampleRate);
    }
  });

  it.each(OPUS_SAMPLE_RATES)('sounds as what was said, and when it was said, at %i Hz', (sampleRate) => {
    const said = resampled(speech24k, 24_000, sampleRate);
    writeEncoded('speech.opus', createOggOpusEncoder, sampleRate, said);
    const report = run('opusinfo', 'speech.opus').toString();
    expect(report).toMatch(/Pre-skip: 312/);
    expect(report).toMatch(new RegExp(`Original sample rate: ${sampleRate} ?Hz`));
    expect(report).toMatch(/Page duration: +100.0ms \(max\)/);
    expect(report).not.toMatch(/warning|error/i);

    const said48k = resampled(said, sampleRate, 48_000);
    const heard = floats(ffmpegPcm('speech.opus', '-ar', '48000'));
    expect(heard.length).toBe((said.length * 48_000) / sampleRate);
    // Decoders bring narrow bands to 48 kHz by filters of their own, which shift them by some samples of 20 µs.
    const shifts = Array.from({ length: 17 }, (_, i) => i - 8);
    const snr = Math.max(...shifts.map((shift) => snrDb(said48k, heard, shift)));
    // 20 at 48 kHz; what Opus chooses there sways by a quarter of a dB with the last bit of a sample.
    expect(snr).toBeGreaterThan(19.5);
  });
});
