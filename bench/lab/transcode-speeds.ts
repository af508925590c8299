// What one turn's codecs cost, measured with many streams that take turns as they do in the gateway: each step alone,
// the whole chain, and the beginning of a stream.

import { setImmediate as breathe } from 'node:timers/promises';
import { MPEGDecoder } from 'mpg123-decoder';
import { heardBelowHz } from '../../src/audio/dsp/filter-bank.ts';
import type { Rates } from '../../src/audio/dsp/sound-path.ts';
import type { Mp3Decoders } from '../../src/audio/mp3/mp3-decoder.ts';
import { type Mp3Frame, Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { Mp3ToPcm } from '../../src/audio/mp3/mp3-to-pcm.ts';
import { type Codecs, Transcoder } from '../../src/audio/transcoder.ts';
import { createPlainFrames, pcmFormatOf } from '../../src/audio/turn-encoder.ts';
import { medianOf } from './spread.ts';

/** Of one stream in one run. */
export const SECONDS = 10;
export const CHUNK_BYTES = 1024;
const OUTPUT = { format: 'mulaw', sampleRate: 8000, frameMs: 20 } as const;
const RUNS = 5;
const STARTS = 200;

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
  const parser = new Mp3FrameParser({ onFrame: (frame) => frames.push(frame), onTag: nothing });
  parser.push(bytes);
  parser.flush();
  return frames;
}

/** A stream's frames, one decoded at a time. */
function decoding(decoders: Mp3Decoders, frames: readonly Mp3Frame[]): Work {
  const decoder = new Mp3ToPcm(decoders, nothing);
  decoder.beginStream();
  return eachOf(
    frames,
    (frame) => decoder.push(frame),
    () => decoder.close(),
  );
}

/** As a turn hears it. */
const HEARD_HZ = heardBelowHz(OUTPUT.sampleRate);
const ratesFrom = (codecs: Codecs, fromRate: number): Rates => ({
  fromRate,
  toRate: OUTPUT.sampleRate,
  belowHz: codecs.decoders.belowHz(HEARD_HZ, fromRate),
});

function decodeAll(codecs: Codecs, frames: readonly Mp3Frame[]): readonly Float32Array[] {
  const blocks: Float32Array[] = [];
  const decoder = new Mp3ToPcm(codecs.decoders, ({ samples }) => blocks.push(samples.slice()), HEARD_HZ);
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
  const resampler = codecs.sound.resample(ratesFrom(codecs, fromRate), (samples) =>
    out.push(samples.slice()),
  );
  for (const block of blocks) resampler.push(block);
  resampler.close();
  return out;
}

/** The whole way of a turn: bytes as they arrive → frames. */
function openChain(codecs: Codecs, onFrame: () => void) {
  const transcoder = new Transcoder(OUTPUT, codecs, onFrame);
  const parser = new Mp3FrameParser({
    onFrame: (frame) => transcoder.push({ kind: 'frame', frame }),
    onTag: (tag) => transcoder.push({ kind: 'tag', tag }),
  });
  transcoder.push({ kind: 'begin' });
  return { push: (chunk: Uint8Array) => parser.push(chunk), close: () => transcoder.close() };
}

/** Times real time of one core; `startMs` is the processor time to a stream's first frame. */
export type Speeds = Readonly<Record<'decode' | 'resample' | 'encode' | 'chain' | 'startMs', number>>;

/** Of `mp3`, which is `SECONDS` long. */
export async function measureSpeeds(
  codecs: Codecs,
  mp3: Uint8Array,
  rate: number,
  streams: number,
): Promise<Speeds> {
  const frames = parse(mp3);
  const blocks = decodeAll(codecs, frames);
  const resampled = resampleAll(codecs, rate, blocks);
  const chunks = chunksOf(mp3);

  const stages: Record<'decode' | 'resample' | 'encode' | 'chain', () => Work> = {
    decode: () => decoding(codecs.decoders, frames),
    resample() {
      const resampler = codecs.sound.resample(ratesFrom(codecs, rate), nothing);
      return eachOf(
        blocks,
        (block) => resampler.push(block),
        () => resampler.close(),
      );
    },
    encode() {
      const frames = createPlainFrames(OUTPUT, nothing);
      const rates = { fromRate: OUTPUT.sampleRate, toRate: OUTPUT.sampleRate };
      const encoder = codecs.sound.encode(rates, pcmFormatOf(OUTPUT.format), (bytes) => frames.push(bytes));
      return eachOf(
        resampled,
        (samples) => encoder.push(samples),
        () => encoder.close(),
      );
    },
    chain() {
      const chain = openChain(codecs, nothing);
      return eachOf(chunks, chain.push, chain.close);
    },
  };
  const speeds = { decode: 0, resample: 0, encode: 0, chain: 0 };
  for (const stage of Object.keys(speeds) as (keyof typeof speeds)[])
    speeds[stage] = await speedOf(stages[stage], streams);
  return { ...speeds, startMs: measureStarts(codecs, chunks, streams) };
}

/** Decoding alone of `mp3`, which is `SECONDS` long, by mpg123, × real time of one core. */
export async function measureMpg123(mp3: Uint8Array, streams: number): Promise<number> {
  const frames = parse(mp3);
  const decoders = Array.from({ length: streams }, () => new MPEGDecoder({ enableGapless: false }));
  await Promise.all(decoders.map((decoder) => decoder.ready));
  let opened = 0;
  const speed = await speedOf(() => {
    const decoder = decoders[opened++ % streams]!;
    return eachOf(frames, ({ bytes }) => decoder.decodeFrame(bytes));
  }, streams);
  for (const decoder of decoders) decoder.free();
  return speed;
}

async function speedOf(open: () => Work, streams: number): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const took = timeInTurn(Array.from({ length: streams }, open));
    if (run > 0) times.push(took); // the first run warms up
    await breathe();
  }
  return (streams * SECONDS * 1000) / medianOf(times);
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
