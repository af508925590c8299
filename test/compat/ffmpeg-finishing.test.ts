// Finished files, made by our own codecs and by ffmpeg, judged by ffmpeg: what a caller gets is the same from both.
// And ffmpeg's own loudness meter as the judge of ours.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ffmpeg, { type ProbeData } from 'fluent-ffmpeg';
import { afterAll, describe, expect, it } from 'vitest';
import { createLoudnessMeter } from '../../src/audio/dsp/loudness-meter.ts';
import { CEILING_DBTP } from '../../src/audio/dsp/loudness-rule.ts';
import { encodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { AudioFinisher, Finished, FinishRequest } from '../../src/service/audio-finisher.ts';
import { finishWithGain } from '../../src/service/finishing/finish-with-gain.ts';
import { toFinished } from '../../src/service/finishing/finished-sound.ts';
import {
  createProcessFfmpegFinisher,
  type ProcessFfmpegFinisherOptions,
} from '../../src/service/finishing/process-ffmpeg-finisher.ts';
import { probeFfmpeg } from '../../src/service/finishing/process-ffmpeg-probe.ts';
import { writeWholeFile } from '../../src/service/finishing/whole-file.ts';
import { codecs } from '../support/codecs.ts';
import { fixtureSpeech } from '../support/fixture-speech.ts';
import { mp3Fixture } from '../support/mp3-fixtures.ts';
import { createSpokenParts } from '../support/spoken-parts.ts';

const means = { ...codecs, mp3: await loadMp3Encoders() };
const build = (await probeFfmpeg())!;
const spoken = createSpokenParts();
const never = new AbortController().signal;
afterAll(() => spoken.remove());

/** Our own, on this thread. */
const own: AudioFinisher = {
  async finish(request, onProgress) {
    const sound = await writeWholeFile(request.outPath, (outPath) =>
      finishWithGain({ ...request, outPath }, means, onProgress),
    );
    return toFinished(sound, sound.bytes);
  },
  async close() {},
};
const forbidden: AudioFinisher = {
  finish: () => Promise.reject(new Error('ffmpeg was to do this')),
  async close() {},
};
const withFfmpeg = (options: Partial<ProcessFfmpegFinisherOptions> = {}) =>
  createProcessFfmpegFinisher({
    build,
    otherwise: forbidden,
    clock: systemClock,
    log: silentLog,
    ...options,
  });
const finishers = [
  { by: 'own', finisher: own },
  { by: 'ffmpeg', finisher: withFfmpeg() },
];

const probe = (path: string): Promise<ProbeData> =>
  new Promise((resolve, reject) => {
    ffmpeg.ffprobe(path, (error, data) => (error === null ? resolve(data) : reject(error)));
  });
const inputOf = ({ format, outPath }: FinishRequest, sampleRate: number): string[] => {
  const muxer = format === 'raw' ? 's16le' : format;
  const isBare = format === 'raw' || format === 'mulaw';
  return [...(isBare ? ['-f', muxer, '-ar', String(sampleRate), '-ac', '1'] : []), '-i', outPath];
};
/** LUFS by ffmpeg. */
function ebur128(...input: string[]): number {
  const run = spawnSync('ffmpeg', [
    '-nostdin',
    '-hide_banner',
    ...input,
    '-af',
    'ebur128',
    '-f',
    'null',
    '-',
  ]);
  const [, lufs] = /Summary:[\s\S]*?I:\s*(-?[\d.]+) LUFS/.exec(run.stderr.toString()) ?? [];
  return Number(lufs);
}
const decodedSamples = (input: readonly string[]): number =>
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', ...input, '-f', 's16le', '-'], { maxBuffer: 1e8 })
    .length / 2;

/** dBTP by ffmpeg, which measures between the samples. */
function truePeak(...input: string[]): number {
  const run = spawnSync('ffmpeg', [
    ...['-nostdin', '-hide_banner', ...input, '-af', 'ebur128=peak=true', '-f', 'null', '-'],
  ]);
  const [, peak] = /True peak:\s*Peak:\s*(-?[\d.]+) dBFS/.exec(run.stderr.toString()) ?? [];
  return Number(peak);
}

/** Tagged, untagged and stereo ones of three rates. */
const parts = ['lame-cbr-24k.mp3', 'lame-untagged-22k.mp3', 'lame-joint-44k.mp3'].map((name, index) => {
  const path = join(spoken.folder, name);
  writeFileSync(path, mp3Fixture(name));
  return { path, gapMs: 100 * index };
});
const TITLE = 'Zwei Wörter: 日本語 😀';

/** Speech whose peaks have to be turned down, and with its peaks between the samples. */
const LOUD = [spoken.part('loud', 1.9, 4), spoken.part('soft', 0.05, 1), spoken.part('louder', 3, 2)];

describe('the peaks of a finished file', () => {
  const outputs = [
    ...(['mp3', 'ogg', 'flac', 'wav', 'raw'] as const).map((format) => ({ format, sampleRate: 24_000 })),
    { format: 'mp3', sampleRate: 44_100 },
    { format: 'mp3', sampleRate: 8000, bitrateKbps: 8 },
    { format: 'ogg', sampleRate: 24_000, bitrateKbps: 12 },
    { format: 'wav', sampleRate: 8000 },
    { format: 'mulaw', sampleRate: 8000 },
  ] as const;

  it.each(outputs)('stay below the ceiling as it is heard: $format at $sampleRate Hz', async (output) => {
    for (const { by, finisher } of finishers) {
      const outPath = join(spoken.folder, `peaks-${by}-${output.sampleRate}.${output.format}`);
      const request = spoken.request({ ...output, parts: LOUD, outPath });
      await finisher.finish(request, () => {}, never);
      expect(truePeak(...inputOf(request, output.sampleRate)), by).toBeLessThanOrEqual(CEILING_DBTP);
    }
  });
});

describe('the same speech', () => {
  it.each(['mp3', 'ogg', 'flac', 'wav'] as const)('makes the same file twice: %s', async (format) => {
    for (const { by, finisher } of finishers) {
      const [first, second] = await Promise.all(
        [1, 2].map(async (turn) => {
          const outPath = join(spoken.folder, `same-${by}-${turn}.${format}`);
          await finisher.finish(spoken.request({ format, parts, outPath, title: TITLE }), () => {}, never);
          return readFileSync(outPath);
        }),
      );
      expect(first!.equals(second!), by).toBe(true);
    }
  });
});

describe('finished files', () => {
  const outputs = [
    { format: 'mp3', sampleRate: 24_000 },
    { format: 'mp3', sampleRate: 8000 },
    { format: 'ogg', sampleRate: 24_000 },
    { format: 'flac', sampleRate: 22_050 },
    { format: 'wav', sampleRate: 48_000 },
    { format: 'raw', sampleRate: 16_000 },
    { format: 'mulaw', sampleRate: 8000 },
  ] as const;

  it.each(outputs)('$format at $sampleRate Hz are what they say, and the same from both', async (output) => {
    const { format, sampleRate } = output;
    const results: Finished[] = [];
    for (const { by, finisher } of finishers) {
      const outPath = join(spoken.folder, `${by}-${sampleRate}.${format}`);
      const request = spoken.request({ ...output, parts, outPath, title: TITLE, artist: 'A B' });
      const finished = await finisher.finish(request, () => {}, never);
      results.push({ ...finished, bytes: 0 });
      const playedRate = format === 'ogg' ? 48_000 : sampleRate;
      const samples = finished.durationSeconds * playedRate;
      const decoded = decodedSamples(inputOf(request, sampleRate));
      expect(Math.abs(decoded - samples)).toBeLessThanOrEqual(1);
      expect(Math.abs(ebur128(...inputOf(request, sampleRate)) + 16)).toBeLessThanOrEqual(0.5);
      expect(readFileSync(outPath)).toHaveLength(finished.bytes);
      if (format === 'raw' || format === 'mulaw') {
        expect(finished.bytes).toBe(samples * (format === 'raw' ? 2 : 1));
        continue;
      }
      const { streams, format: container } = await probe(outPath);
      expect(streams[0]).toMatchObject({ sample_rate: playedRate, channels: 1 });
      const tags = { ...streams[0]!.tags, ...container.tags };
      expect(tags.title ?? tags.TITLE).toBe(TITLE);
      expect(tags.artist ?? tags.ARTIST).toBe('A B');
    }
    expect(results[0]).toEqual(results[1]);
  });

  it.each(finishers)('are as loud, whatever the source ($by)', async ({ by, finisher }) => {
    for (const [name, gain] of [
      ['quiet', 0.08],
      ['loud', 1.9],
    ] as const) {
      const outPath = join(spoken.folder, `${by}-${name}.mp3`);
      const request = spoken.request({ parts: [spoken.part(name, gain, 3)], outPath });
      await finisher.finish(request, () => {}, never);
      expect(Math.abs(ebur128('-i', outPath) + 16)).toBeLessThanOrEqual(0.5);
    }
  });

  it('have tags that no program takes for options, and cut ones', async () => {
    const title = `-y /nowhere ${'😀'.repeat(300)}`;
    for (const { by, finisher } of finishers) {
      const outPath = join(spoken.folder, `${by}-title.flac`);
      await finisher.finish(
        spoken.request({ parts, outPath, format: 'flac', title, artist: 'a\0b' }),
        () => {},
        never,
      );
      const { format } = await probe(outPath);
      const tags = format.tags!;
      expect(Array.from((tags.title ?? tags.TITLE)!)).toHaveLength(250);
      expect(tags.artist ?? tags.ARTIST).toBe('a b');
    }
  });
});

describe('ffmpeg as finisher', () => {
  const outputs = () => readdirSync(spoken.folder).filter((name) => name.startsWith('out'));

  it('is killed on abort and leaves nothing', async () => {
    const stop = new AbortController();
    const request = spoken.request({ parts: [spoken.part('long', 1, 40)] });
    const work = withFfmpeg().finish(request, () => stop.abort(), stop.signal);
    await expect(work).rejects.toMatchObject({ name: 'AppError' });
    await expect(withFfmpeg().finish(request, () => {}, stop.signal)).rejects.toMatchObject({
      name: 'AppError',
    });
    expect(outputs()).toEqual([]);
  });

  it('leaves to the other what it lacks an encoder for, what it would cut elsewhere, and what it fails at', async () => {
    const damaged = join(spoken.folder, 'damaged.mp3');
    writeFileSync(damaged, mp3Fixture('damaged-24k.mp3'));
    const asked: string[] = [];
    const otherwise: AudioFinisher = {
      ...own,
      finish(request, onProgress, signal) {
        asked.push(request.format);
        return own.finish(request, onProgress, signal);
      },
    };
    const without = withFfmpeg({ build: { ...build, encoders: new Set(['flac']) }, otherwise });
    await without.finish(spoken.request({ parts, format: 'wav' }), () => {}, never);
    await without.finish(
      spoken.request({ parts: [{ path: damaged, gapMs: 0 }], format: 'flac' }),
      () => {},
      never,
    );
    const warned: string[] = [];
    const log = { ...silentLog, warn: (event: string) => warned.push(event) };
    const broken = withFfmpeg({ build: { ...build, path: '/nowhere/ffmpeg' }, otherwise, log });
    await broken.finish(spoken.request({ parts, format: 'raw' }), () => {}, never);
    expect(asked).toEqual(['wav', 'flac', 'raw']);
    expect(warned).toEqual(['ffmpeg_failed']);
  });

  it('survives a system that starts no process', async () => {
    // Without a PATH there is no `nice`, which the package starts ffmpeg by.
    const unstartable = withFfmpeg({ env: { PATH: '/nowhere' }, otherwise: own });
    const finished = await unstartable.finish(spoken.request({ parts, format: 'mulaw' }), () => {}, never);
    expect(finished.bytes).toBeGreaterThan(0);
  });

  it('is not there when it does not answer, or not in time', async () => {
    expect(await probeFfmpeg({ path: '/nowhere/ffmpeg' })).toBeUndefined();
    expect(await probeFfmpeg({ path: 'yes', deadlineMs: 50 })).toBeUndefined();
    expect([...build.encoders]).toEqual(
      expect.arrayContaining(['flac', 'libmp3lame', 'libopus', 'pcm_mulaw']),
    );
  });
});

describe('our loudness meter', () => {
  it.each([8000, 24_000, 44_100])('agrees with ffmpeg’s on speech, played at %i Hz', (sampleRate) => {
    // Played at another rate it is another sound, but both measure the same one.
    const speech = fixtureSpeech();
    const bytes = new Uint8Array(2 * speech.length);
    encodePcm16(speech, bytes);
    const path = join(spoken.folder, 'speech.raw');
    writeFileSync(path, bytes);
    const meter = createLoudnessMeter(sampleRate);
    meter.push(speech);
    const theirs = ebur128('-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', path);
    expect(Math.abs(meter.integrated() - theirs)).toBeLessThanOrEqual(0.1);
  });
});
