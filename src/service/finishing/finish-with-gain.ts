// A whole file in two passes over its parts: the first measures what the second turns into one loudness. Where peaks
// have to be limited, passes between them find out how much louder that takes. Nothing is kept between passes but
// numbers. For a worker thread: it writes synchronously.

import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { createLoudnessMeter } from '../../audio/dsp/loudness-meter.ts';
import {
  fromDecibels,
  type Levelling,
  levelling,
  MAX_TRIALS,
  type Measured,
  nextLevelling,
  toDecibels,
} from '../../audio/dsp/loudness-rule.ts';
import { createPeakLimiter } from '../../audio/dsp/peak-limiter.ts';
import { createTruePeakMeter } from '../../audio/dsp/true-peak.ts';
import { openFinishedFile } from '../../audio/finished-file.ts';
import type { Mp3Encoders } from '../../audio/mp3/mp3-encoder.ts';
import type { Stage } from '../../audio/stage.ts';
import type { FinishRequest } from '../audio-finisher.ts';
import { type DecodingMeans, decodeParts } from './decode-parts.ts';
import { bitrateOf } from './ffmpeg-build.ts';
import type { FinishedSound } from './finished-sound.ts';
import { finishingRate } from './finishing-rate.ts';
import { firstCeilingDbtp, MAX_WRITES, nextCeilingDbtp } from './peak-ceiling.ts';

export type FinishingMeans = DecodingMeans & { readonly mp3: Mp3Encoders };

/** Of the time that is left when a measuring pass begins; a pass that also encodes takes about twice as long. */
const MEASURING_SHARE = 0.3;
/** Of the time that is left when a file is written: an MP3 is heard afterwards. */
const WRITING_SHARE = 0.8;
/** Hz. */
const HEARING_RATE = 48_000;
const WRITE_BYTES = 64 * 1024;

/** Writes `outPath` in place: the caller handles a half-written file. `onProgress` gets 0 to 1. */
export async function finishWithGain(
  request: FinishRequest,
  means: FinishingMeans,
  onProgress: (done: number) => void,
): Promise<FinishedSound> {
  const { parts, outPath } = request;
  const sampleRate = await finishingRate(request);
  const totalBytes = parts.reduce((sum, { path }) => sum + statSync(path).size, 0);
  let done = 0;

  /** All parts once, at the file's rate; it takes `share` of what is left to do. */
  const pass = (share: number, onSamples: (samples: Float32Array) => void) => {
    const from = done;
    let readBytes = 0;
    const onBytes = (bytes: number) => {
      readBytes += bytes;
      done = from + (1 - from) * share * Math.min(1, readBytes / totalBytes);
      onProgress(done);
    };
    return decodeParts(parts, sampleRate, means, { onSamples, onBytes });
  };

  const { samples, places, ...measured } = await measure(sampleRate, (emit) => pass(MEASURING_SHARE, emit));
  let ceilingDbtp = firstCeilingDbtp(request.format, sampleRate, bitrateOf({ ...request, sampleRate }));
  let level = levelling(measured, ceilingDbtp);
  for (let trial = 0; level.peaks === 'limit' && trial < MAX_TRIALS; trial++) {
    const { loudnessLufs } = await measure(sampleRate, async (emit) => {
      const leveller = createLeveller(level, { sampleRate, ceilingDbtp }, emit);
      const tried = await pass(MEASURING_SHARE, (block) => leveller.push(block));
      leveller.flush();
      return tried;
    });
    const next = nextLevelling(level, loudnessLufs);
    if (next === undefined) break;
    level = next;
  }

  const write = async () => {
    const writer = openFileWriter(outPath);
    try {
      const rule = { ...request, sampleRate, samples, tags: request };
      const file = openFinishedFile(rule, means.mp3, (bytes) => writer.write(bytes));
      try {
        const leveller = createLeveller(level, { sampleRate, ceilingDbtp }, (block) => file.push(block));
        await pass(WRITING_SHARE, (block) => leveller.push(block));
        leveller.flush();
        writer.finish(file.end());
      } finally {
        file.close();
      }
    } finally {
      writer.close();
    }
  };
  for (let writes = 1; ; writes++) {
    await write();
    // Of the lossy formats MP3 alone can be decoded again here.
    if (request.format !== 'mp3' || level.peaks === 'keep' || writes === MAX_WRITES) break;
    const lower = nextCeilingDbtp(ceilingDbtp, await heardPeakDbtp(outPath, means));
    if (lower === undefined) break;
    ceilingDbtp = lower;
  }
  onProgress(1);
  return { sampleRate, samples, places };
}

/** Of an MP3 file, at a rate at which what lies between its samples is seen. */
async function heardPeakDbtp(path: string, means: DecodingMeans): Promise<number> {
  const peaks = createTruePeakMeter();
  await decodeParts([{ path, gapMs: 0 }], HEARING_RATE, means, {
    onSamples: (samples) => peaks.push(samples),
    onBytes() {},
  });
  return toDecibels(peaks.peak());
}

async function measure(
  sampleRate: number,
  play: (emit: (samples: Float32Array) => void) => Promise<FinishedSound['places']>,
): Promise<Measured & Pick<FinishedSound, 'samples' | 'places'>> {
  const loudness = createLoudnessMeter(sampleRate);
  const peaks = createTruePeakMeter();
  let samples = 0;
  const places = await play((block) => {
    samples += block.length;
    loudness.push(block);
    peaks.push(block);
  });
  return { samples, places, loudnessLufs: loudness.integrated(), peakDbtp: toDecibels(peaks.peak()) };
}

/** `emit` gets scratch memory. */
function createLeveller(
  { gainDb, peaks }: Levelling,
  { sampleRate, ceilingDbtp }: { readonly sampleRate: number; readonly ceilingDbtp: number },
  emit: (samples: Float32Array) => void,
): Stage<Float32Array> {
  const gain = fromDecibels(gainDb);
  if (peaks === 'limit')
    return createPeakLimiter({ sampleRate, gain, ceiling: fromDecibels(ceilingDbtp) }, emit);
  let louder = new Float32Array(0);
  return {
    push(samples) {
      if (louder.length < samples.length) louder = new Float32Array(samples.length);
      for (let i = 0; i < samples.length; i++) louder[i] = samples[i]! * gain;
      emit(louder.subarray(0, samples.length));
    },
    flush() {},
  };
}

/** Gathers small frames into writes that are worth a system call. */
function openFileWriter(path: string) {
  const file = openSync(path, 'w');
  const held = new Uint8Array(WRITE_BYTES);
  let heldBytes = 0;
  const writeAll = (bytes: Uint8Array, position: number | null) => {
    for (let at = 0; at < bytes.length; )
      at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at);
  };
  const flush = () => {
    writeAll(held.subarray(0, heldBytes), null);
    heldBytes = 0;
  };
  return {
    write(bytes: Uint8Array): void {
      if (heldBytes + bytes.length > held.length) flush();
      if (bytes.length > held.length) return writeAll(bytes, null);
      held.set(bytes, heldBytes);
      heldBytes += bytes.length;
    },
    /** `head` goes over the beginning. */
    finish(head: Uint8Array): void {
      flush();
      writeAll(head, 0);
    },
    close: () => closeSync(file),
  };
}
