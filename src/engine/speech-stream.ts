// One request on its way out: script → speech program → resampler → encoder → response body. Sentences are asked
// for one at a time, and the next one only when the reader has taken the last; the first frames leave at once.

import { Readable } from 'node:stream';
import { createEncoder } from '../audio/encoders.ts';
import type { FilterBanks } from '../audio/filter-bank.ts';
import type { Mp3Encoders } from '../audio/mp3-encoder.ts';
import { createResampler } from '../audio/resampler.ts';
import type { PcmBlock, Stage } from '../audio/stage.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { SessionFormat } from '../speech/audio-format.ts';
import type { Language } from '../speech/language.ts';
import { createProsody } from './prosody.ts';
import type { SpeechProcess } from './speech-process.ts';
import type { SpokenLine } from './speech-script.ts';
import { programVoice, type Voice } from './voices.ts';

export type SpeechJob = {
  readonly lines: readonly SpokenLine[];
  readonly voices: { readonly 1: Voice; readonly 2: Voice };
  readonly language: Language;
  readonly speed: number;
  readonly seed: number;
  readonly temperature: number;
  readonly format: SessionFormat;
  readonly sampleRate: number;
};

export type SpeechTools = {
  readonly speech: Pick<SpeechProcess, 'speak'>;
  readonly encoders: Mp3Encoders;
  readonly banks: FilterBanks;
  readonly clock: Clock;
  /** How long a reader may take nothing while audio waits, before its connection is closed. */
  readonly readerStallMs: number;
};

export type SpeechBody = {
  /** Ends after the last frame. Destroying it gives up what is not spoken yet. */
  readonly body: Readable;
  /** Resolves with the first bytes; rejects when nothing could be spoken, and then `body` is destroyed. */
  readonly started: Promise<void>;
};

/** Bytes that may wait for the reader before the next sentence does: about 4 s of the default mp3. */
const BODY_BYTES = 32 * 1024;
/** Frames of a format that may be cut anywhere: few writes, and still prompt. */
const FRAME_MS = 100;
/** What a text with nothing to say sounds like. */
const NOTHING_MS = 250;

/** Sound at any rate in, encoded bytes out, with gaps of silence between. */
function createSink(job: SpeechJob, tools: SpeechTools, write: (bytes: Uint8Array) => void) {
  const { format, sampleRate } = job;
  const output = { format, sampleRate, frameMs: FRAME_MS };
  const encoder = createEncoder(output, tools.encoders, (frame) => write(frame.bytes));
  let source: { readonly sampleRate: number; readonly stage: Stage<Float32Array> } | undefined;

  const push = ({ samples, sampleRate: fromRate }: PcmBlock) => {
    if (source?.sampleRate !== fromRate) {
      source?.stage.flush();
      const stage = createResampler(tools.banks, fromRate, sampleRate, (resampled) =>
        encoder.push(resampled),
      );
      source = { sampleRate: fromRate, stage };
    }
    source.stage.push(samples);
  };
  const pause = (ms: number) => {
    const at = source?.sampleRate ?? sampleRate;
    push({ samples: new Float32Array(Math.round((ms * at) / 1000)), sampleRate: at });
  };
  const flush = () => {
    if (source === undefined) pause(NOTHING_MS);
    source?.stage.flush();
    encoder.flush();
  };
  return { push, pause, flush };
}

export function openSpeechStream(job: SpeechJob, tools: SpeechTools): SpeechBody {
  const { clock, readerStallMs, speech } = tools;
  const abort = new AbortController();
  let isFull = false;
  let hasBegun = false;
  let onRoom = () => {};
  let onBegun = () => {};

  const body = new Readable({
    highWaterMark: BODY_BYTES,
    read() {
      isFull = false;
      onRoom();
    },
    destroy(error, callback) {
      abort.abort(new AppError('upstream_broken', 'The reader of this speech has gone.'));
      onRoom();
      callback(error);
    },
  });
  // Whoever reads it learns of its error by its own means; until someone does, it must not end the program.
  body.on('error', () => {});
  const begin = () => {
    hasBegun = true;
    onBegun();
  };
  const sink = createSink(job, tools, (bytes) => {
    if (bytes.length === 0 || body.destroyed) return;
    isFull = !body.push(bytes);
    begin();
  });

  const room = () =>
    new Promise<void>((resolve, reject) => {
      if (!isFull || body.destroyed) return resolve();
      const giveUp = () =>
        reject(new AppError('slow_reader', 'The reader of this speech has stopped reading.'));
      const cancelDeadline = clock.after(readerStallMs, giveUp);
      onRoom = () => {
        cancelDeadline();
        resolve();
      };
    });

  const speakAll = async () => {
    for (const [index, line] of job.lines.entries()) {
      const voice = job.voices[line.speaker];
      const { pauseMs, ...prosody } = createProsody({ ...job, voice }, index, line.pause);
      if (pauseMs > 0) sink.pause(pauseMs);
      const utterance = { text: line.text, voice: programVoice(voice, job.language), ...prosody };
      await speech.speak(utterance, sink.push, abort.signal);
      await room();
    }
    sink.flush();
    body.push(null);
    begin();
  };

  const started = new Promise<void>((resolve, reject) => {
    onBegun = resolve;
    speakAll().catch((thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      // Once bytes are out, only a broken body can tell that the rest is missing.
      body.destroy(hasBegun ? error : undefined);
      reject(error);
    });
  });
  return { body, started };
}
