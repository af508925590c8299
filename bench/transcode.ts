// How much faster than real time one core decodes, resamples and encodes, alone and as the whole chain, with many
// streams taking turns as they do in the gateway; and what beginning a stream costs. Processor time, not wall time,
// so that a busy machine blurs it less.

import { createFilterBanks } from '../src/audio/dsp/filter-bank.ts';
import { createPlainSoundPath } from '../src/audio/dsp/plain-sound-path.ts';
import type { SoundPath } from '../src/audio/dsp/sound-path.ts';
import { createSoundPath } from '../src/audio/dsp/wasm-sound-path.ts';
import type { HeavyEncoders } from '../src/audio/heavy-encoders.ts';
import { createLayer3Decoders } from '../src/audio/mp3/layer3-decoders.ts';
import { loadMp3Encoders } from '../src/audio/mp3/mp3-encoder.ts';
import type { Codecs } from '../src/audio/transcoder.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { hasFfmpeg, runFfmpeg } from './lab/ffmpeg-yardstick.ts';
import { medianOf } from './lab/spread.ts';
import { CHUNK_BYTES, measureMpg123, measureSpeeds, SECONDS, type Speeds } from './lab/transcode-speeds.ts';
import { makeVoiceLikeMp3, SOURCE_RATES, type SourceRate } from './lab/voice-like-mp3.ts';

const CHILD_STARTS = 15;
const CHILD_SECONDS = 5;
const ONE_SHOT_SECONDS = 900;

const repeated = (frames: readonly Uint8Array[], frameMs: number, seconds: number): Uint8Array =>
  Buffer.concat(
    Array.from({ length: Math.round((seconds * 1000) / frameMs) }, (_, i) => frames[i % frames.length]!),
  );

type Yardstick = { readonly oneShot: number; readonly childStartMs: number; readonly childCpuMs: number };

async function measureFfmpeg(frames: readonly Uint8Array[], frameMs: number): Promise<Yardstick> {
  const long = repeated(frames, frameMs, ONE_SHOT_SECONDS);
  const short = repeated(frames, frameMs, CHILD_SECONDS);
  const oneShotMs: number[] = [];
  for (let run = 0; run < 3; run++) oneShotMs.push((await runFfmpeg(long)).cpuMs);
  const starts: { readonly firstOutputMs: number; readonly cpuMs: number }[] = [];
  for (let run = 0; run < CHILD_STARTS; run++) starts.push(await runFfmpeg(short));
  const childCpuMs = medianOf(starts.map((start) => start.cpuMs));
  return {
    // What both runs spend on starting is not speed.
    oneShot: ((ONE_SHOT_SECONDS - CHILD_SECONDS) * 1000) / (medianOf(oneShotMs) - childCpuMs),
    childStartMs: medianOf(starts.map((start) => start.firstOutputMs)),
    childCpuMs,
  };
}

const nameOf = ({ sampleRate, bitrateKbps }: SourceRate): string =>
  `${sampleRate / 1000} kHz, ${bitrateKbps} kbit/s`;
const keyOf = ({ sampleRate }: SourceRate): string => `at${Math.floor(sampleRate / 1000)}k`;

const times = (speed: number): string => `${speed.toFixed(0)}×`;

/** Only µ-law is made here. */
const NO_HEAVY: HeavyEncoders = { isFull: () => true, open: () => 'busy' };

const codecsWith = async (sound: SoundPath): Promise<Codecs> => ({
  decoders: createLayer3Decoders(),
  sound,
  heavy: NO_HEAVY,
});

async function run({ numbers, signal, progress }: BenchRun): Promise<BenchResult> {
  const encoders = await loadMp3Encoders();
  const sources = SOURCE_RATES.map((source) => {
    const { frames, frameMs } = makeVoiceLikeMp3(encoders, source, SECONDS, numbers.seed);
    return { source, frames, frameMs, mp3: repeated(frames, frameMs, SECONDS) };
  });
  const measureAll = async (name: string, sound: SoundPath): Promise<readonly Speeds[]> => {
    const codecs = await codecsWith(sound);
    const speeds: Speeds[] = [];
    for (const { source, mp3 } of sources) {
      progress(`transcode: ${nameOf(source)}, ${name}`);
      speeds.push(await measureSpeeds(codecs, mp3, source.sampleRate, numbers.streams));
      signal.throwIfAborted();
    }
    return speeds;
  };
  const banks = createFilterBanks();
  // One after the other: code that has met both is slower for both.
  const inWasm = await measureAll('WASM', createSoundPath(banks));
  const inPlain = await measureAll('plain TypeScript', createPlainSoundPath(banks));
  const byMpg123: number[] = [];
  for (const { source, mp3 } of sources) {
    progress(`transcode: ${nameOf(source)}, mpg123`);
    byMpg123.push(await measureMpg123(mp3, numbers.streams));
    signal.throwIfAborted();
  }

  const ffmpeg = hasFfmpeg();
  const rows: string[][] = [];
  const figures: Record<string, number> = {};
  for (const [index, { source, frames, frameMs }] of sources.entries()) {
    if (ffmpeg) progress(`transcode: ${nameOf(source)}, ffmpeg`);
    const yardstick = ffmpeg ? await measureFfmpeg(frames, frameMs) : undefined;
    signal.throwIfAborted();
    const speeds = inWasm[index]!;
    const plain = inPlain[index]!;
    const mpg123Decode = byMpg123[index]!;
    const named = {
      ...speeds,
      mpg123Decode,
      plainResample: plain.resample,
      plainChain: plain.chain,
      ...yardstick,
    };
    for (const [name, value] of Object.entries(named)) figures[`${keyOf(source)}_${name}`] = value;
    rows.push([
      nameOf(source),
      ...[speeds.decode, mpg123Decode, speeds.resample, speeds.encode, speeds.chain].map(times),
      speeds.startMs.toFixed(2),
      ...[plain.resample, plain.chain].map(times),
      yardstick === undefined ? '–' : times(yardstick.oneShot),
      yardstick === undefined ? '–' : yardstick.childStartMs.toFixed(0),
      yardstick === undefined ? '–' : yardstick.childCpuMs.toFixed(0),
    ]);
  }
  return {
    title: `transcode: MP3 → µ-law 8 kHz, ${numbers.streams} streams in turn, × real time of one core`,
    columns: [
      'source',
      'decode',
      'mpg123',
      'resample',
      'encode',
      'chain',
      'start, ms',
      'plain resample',
      'plain chain',
      'ffmpeg',
      'child start, ms',
      'child CPU, ms',
    ],
    rows,
    notes: [
      `Chain: ${CHUNK_BYTES}-byte chunks through parser, decoder, resampler, encoder and framer. Start: opening a stream to its first frame.`,
      'Decode: the whole band, as mpg123 does. Resample: what is left of it when only what is heard is decoded, as in the chain.',
      'mpg123: decoding by its package, both channels. Plain: the rest in TypeScript alone, for comparison.',
      ffmpeg
        ? `ffmpeg: one process, one thread, ${ONE_SHOT_SECONDS} s. Child: a process per stream, to its first output; CPU of ${CHILD_SECONDS} s of audio.`
        : 'ffmpeg is not installed here, so its columns are empty (apt-get install ffmpeg).',
    ],
    figures,
    faults: [],
  };
}

export const transcode: Bench = {
  summary: 'decode, resample, encode and the whole chain against real time, beside ffmpeg when it is there',
  defaults: { streams: 32, seed: 1 },
  run,
};
