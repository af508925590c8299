// How much faster than real time one core decodes, resamples and encodes, alone and as the whole chain, with many
// streams taking turns as they do in the gateway; and what beginning a stream costs. Processor time, not wall time,
// so that a busy machine blurs it less.

import { setImmediate as breathe } from 'node:timers/promises';
import { createPlainEncoder } from '../audio/encoders.ts';
import { createFilterBanks } from '../audio/filter-bank.ts';
import type { HeavyEncoders } from '../audio/heavy-encoders.ts';
import { loadMp3Decoders } from '../audio/mp3-decoder.ts';
import { loadMp3Encoders } from '../audio/mp3-encoder.ts';
import { createMp3FrameParser, type Mp3Frame } from '../audio/mp3-frame-parser.ts';
import { createMp3ToPcm } from '../audio/mp3-to-pcm.ts';
import { createResampler } from '../audio/resampler.ts';
import { type Codecs, createTranscoder } from '../audio/transcoder.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { hasFfmpeg, runFfmpeg } from './ffmpeg-yardstick.ts';
import { medianOf } from './spread.ts';
import { makeVoiceLikeMp3, SOURCE_RATES, type SourceRate } from './voice-like-mp3.ts';

const OUTPUT = { format: 'mulaw', sampleRate: 8000, frameMs: 20 } as const;
/** Of one stream in one run. */
const SECONDS = 10;
const RUNS = 5;
const CHUNK_BYTES = 1024;
const STARTS = 200;
const CHILD_STARTS = 15;
const CHILD_SECONDS = 5;
const ONE_SHOT_SECONDS = 900;

/** One stream's work, in pieces; `push` answers false when it is done. */
type Work = { push(): boolean; close(): void };

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Processor time of all streams together, one piece each in turn. */
function timeInTurn(streams: readonly Work[]): number {
  const startedMs = cpuMs();
  for (let working = [...streams]; working.length > 0; ) working = working.filter((stream) => stream.push());
  const took = cpuMs() - startedMs;
  for (const stream of streams) stream.close();
  return took;
}

const nothing = () => {};

/** A piece at a time of `pieces`, then `finish`. */
function eachOf<T>(pieces: readonly T[], push: (piece: T) => void, close: () => void = nothing): Work {
  let next = 0;
  return {
    push() {
      push(pieces[next++]!);
      return next < pieces.length;
    },
    close,
  };
}

const chunksOf = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, i) =>
    bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  );

function parse(bytes: Uint8Array): readonly Mp3Frame[] {
  const frames: Mp3Frame[] = [];
  const parser = createMp3FrameParser({ onFrame: (frame) => frames.push(frame), onTag: nothing });
  parser.push(bytes);
  parser.flush();
  return frames;
}

function decodeAll(codecs: Codecs, frames: readonly Mp3Frame[]): readonly Float32Array[] {
  const blocks: Float32Array[] = [];
  const decoder = createMp3ToPcm(codecs.decoders, ({ samples }) => blocks.push(samples.slice()));
  decoder.beginStream();
  for (const frame of frames) decoder.push(frame);
  decoder.close();
  return blocks;
}

function resampleAll(
  codecs: Codecs,
  fromRate: number,
  blocks: readonly Float32Array[],
): readonly Float32Array[] {
  const out: Float32Array[] = [];
  const resampler = createResampler(codecs.banks, fromRate, OUTPUT.sampleRate, (samples) =>
    out.push(samples.slice()),
  );
  for (const block of blocks) resampler.push(block);
  return out;
}

/** The whole way of a turn: bytes as they arrive → frames. */
function openChain(codecs: Codecs, onFrame: () => void) {
  const transcoder = createTranscoder(OUTPUT, codecs, onFrame);
  const parser = createMp3FrameParser({
    onFrame: (frame) => transcoder.push({ kind: 'frame', frame }),
    onTag: (tag) => transcoder.push({ kind: 'tag', tag }),
  });
  transcoder.push({ kind: 'begin' });
  return { push: (chunk: Uint8Array) => parser.push(chunk), close: () => transcoder.close() };
}

type Speeds = Readonly<Record<'decode' | 'resample' | 'encode' | 'chain' | 'startMs', number>>;

async function measureRate(codecs: Codecs, mp3: Uint8Array, rate: number, streams: number): Promise<Speeds> {
  const frames = parse(mp3);
  const blocks = decodeAll(codecs, frames);
  const resampled = resampleAll(codecs, rate, blocks);
  const chunks = chunksOf(mp3);

  const stages: Record<'decode' | 'resample' | 'encode' | 'chain', () => Work> = {
    decode() {
      const decoder = createMp3ToPcm(codecs.decoders, nothing);
      decoder.beginStream();
      return eachOf(
        frames,
        (frame) => decoder.push(frame),
        () => decoder.close(),
      );
    },
    resample() {
      const resampler = createResampler(codecs.banks, rate, OUTPUT.sampleRate, nothing);
      return eachOf(blocks, (block) => resampler.push(block));
    },
    encode() {
      const encoder = createPlainEncoder(OUTPUT, nothing);
      return eachOf(resampled, (samples) => encoder.push(samples));
    },
    chain() {
      const chain = openChain(codecs, nothing);
      return eachOf(chunks, chain.push, chain.close);
    },
  };
  const speeds = { decode: 0, resample: 0, encode: 0, chain: 0 };
  for (const stage of Object.keys(speeds) as (keyof typeof speeds)[]) {
    const times: number[] = [];
    for (let run = 0; run <= RUNS; run++) {
      const took = timeInTurn(Array.from({ length: streams }, stages[stage]));
      if (run > 0) times.push(took); // the first run warms up
      await breathe();
    }
    speeds[stage] = (streams * SECONDS * 1000) / medianOf(times);
  }
  return { ...speeds, startMs: measureStarts(codecs, chunks, streams) };
}

/** Processor time from opening a stream to its first frame, with the others open; the median of many. */
function measureStarts(codecs: Codecs, chunks: readonly Uint8Array[], streams: number): number {
  const others = Array.from({ length: streams - 1 }, () => openChain(codecs, nothing));
  for (const other of others) other.push(chunks[0]!);
  const times: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    let hasFrame = false;
    const startedMs = performance.now();
    const chain = openChain(codecs, () => {
      hasFrame = true;
    });
    for (let next = 0; !hasFrame && next < chunks.length; next++) chain.push(chunks[next]!);
    times.push(performance.now() - startedMs);
    chain.close();
  }
  for (const other of others) other.close();
  return medianOf(times);
}

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

/** Only µ-law is made here. */
const NO_HEAVY: HeavyEncoders = { isFull: true, open: () => 'busy' };

async function run({ numbers, signal, progress }: BenchRun): Promise<BenchResult> {
  const encoders = await loadMp3Encoders();
  const codecs: Codecs = { decoders: await loadMp3Decoders(), banks: createFilterBanks(), heavy: NO_HEAVY };
  const ffmpeg = hasFfmpeg();
  const rows: string[][] = [];
  const figures: Record<string, number> = {};
  for (const source of SOURCE_RATES) {
    progress(`transcode: ${nameOf(source)}`);
    const { frames, frameMs } = makeVoiceLikeMp3(encoders, source, SECONDS, numbers.seed);
    const mp3 = repeated(frames, frameMs, SECONDS);
    const speeds = await measureRate(codecs, mp3, source.sampleRate, numbers.streams);
    signal.throwIfAborted();
    const yardstick = ffmpeg ? await measureFfmpeg(frames, frameMs) : undefined;
    signal.throwIfAborted();
    const { decode, resample, encode, chain, startMs } = speeds;
    for (const [name, value] of Object.entries({ ...speeds, ...yardstick }))
      figures[`${keyOf(source)}_${name}`] = value;
    rows.push([
      nameOf(source),
      ...[decode, resample, encode, chain].map((speed) => `${speed.toFixed(0)}×`),
      startMs.toFixed(2),
      yardstick === undefined ? '–' : `${yardstick.oneShot.toFixed(0)}×`,
      yardstick === undefined ? '–' : yardstick.childStartMs.toFixed(0),
      yardstick === undefined ? '–' : yardstick.childCpuMs.toFixed(0),
    ]);
  }
  return {
    title: `transcode: MP3 → µ-law 8 kHz, ${numbers.streams} streams in turn, × real time of one core`,
    columns: [
      'source',
      'decode',
      'resample',
      'encode',
      'chain',
      'start, ms',
      'ffmpeg',
      'child start, ms',
      'child CPU, ms',
    ],
    rows,
    notes: [
      `Chain: ${CHUNK_BYTES}-byte chunks through parser, decoder, resampler, encoder and framer. Start: opening a stream to its first frame.`,
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
