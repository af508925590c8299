// One reply: script → speech program → time stretch → resampler → encoder → response body.
// Sentences are asked for one at a time, and the next one only when the reader has taken the last; the first bytes
// leave at once. Sound for which the reader is too slow waits as the program's own samples, before it is stretched.

import { Readable } from 'node:stream';
import type { SoundPath } from '../audio/dsp/sound-path.ts';
import type { ClosableStage, PcmBlock } from '../audio/stage.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { ServiceFormat } from '../speech/audio-format.ts';
import type { Language } from '../speech/language.ts';
import type { WordEvent } from '../speech-program/speech-child.ts';
import type { SpeechPrograms } from '../speech-program/speech-programs.ts';
import type { SpokenLine } from '../speech-program/speech-script.ts';
import { createWordTimes, type TimedWord } from '../speech-program/word-times.ts';
import { createProsody } from './prosody.ts';
import { type ReplacedSound, replaceSound } from './replaced-sound.ts';
import { REPLY_FORMATS, type ReplyCodecs } from './reply-format.ts';
import type { CreateTimeStretch } from './time-stretch.ts';
import { programVoice, type Voice } from './voices.ts';

export type SpeechJob = {
  readonly lines: readonly SpokenLine[];
  readonly voices: { readonly 1: Voice; readonly 2: Voice };
  readonly language: Language;
  readonly speed: number;
  readonly seed: number;
  readonly temperature: number;
  readonly format: ServiceFormat;
  /** One that the format can have. */
  readonly sampleRate: number;
  /** By a fault alone. */
  readonly replaced?: ReplacedSound;
};

export type SpeechTools = {
  readonly speech: Pick<SpeechPrograms, 'speak'>;
  readonly codecs: ReplyCodecs;
  readonly soundPath: Pick<SoundPath, 'resample'>;
  readonly createTimeStretch: CreateTimeStretch;
  readonly clock: Clock;
  /** How long a reader may take nothing while audio waits, before its connection is closed. */
  readonly readerStallMs: number;
};

export type SpeechBody = {
  /** Ends after the last frame. Destroying it gives up what is not spoken yet. */
  readonly body: Readable;
  /** Resolves with the first bytes; rejects when nothing could be spoken, and then `body` is destroyed. */
  readonly started: Promise<void>;
  /** How long the body is as far as it has been made; once it has ended, all of it. */
  readonly madeBytes: () => number;
};

/** Told of each word in order, of those of a line when the line has been spoken, and of all before the body's end. */
export type OnWord = (word: TimedWord) => void;

/** Bytes that may wait for the reader before the next sentence does: about 4 s of the default mp3. */
const BODY_BYTES = 32 * 1024;
/** What a text with nothing to say sounds like. */
const NOTHING_MS = 250;

const blockMs = ({ samples, sampleRate }: PcmBlock): number => (1000 * samples.length) / sampleRate;

/** Sound at any rate in, encoded bytes out, with gaps of silence between. */
function createSink(job: SpeechJob, tools: SpeechTools, write: (bytes: Uint8Array) => void) {
  const { format, sampleRate, replaced } = job;
  const encoder = REPLY_FORMATS[format].createEncoder(sampleRate, tools.codecs, write);
  let source: { readonly sampleRate: number; readonly stage: ClosableStage<Float32Array> } | undefined;
  let soundMs = 0;

  const push = (block: PcmBlock) => {
    const heard = replaced === undefined ? block : replaceSound(block, soundMs, replaced);
    const { samples, sampleRate: fromRate } = heard;
    soundMs += blockMs(block);
    if (source?.sampleRate !== fromRate) {
      source?.stage.flush();
      const rates = { fromRate, toRate: sampleRate };
      const stage = tools.soundPath.resample(rates, (resampled) => encoder.push(resampled));
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
  const close = () => {
    source?.stage.close();
    encoder.close();
  };
  /** How long the input lasts, and so the output: both have the same sample 0. */
  return { push, pause, flush, close, soundMs: () => soundMs };
}

/** With `onWord` the speech program is asked when it speaks each word; the sound is the same. */
export function openSpeechStream(job: SpeechJob, tools: SpeechTools, onWord?: OnWord): SpeechBody {
  const { clock, readerStallMs, speech } = tools;
  const abort = new AbortController();
  let isFull = false;
  let hasBegun = false;
  let onRoom = () => {};
  let onBegun = () => {};
  let madeBytes = 0;
  let beganAtMs: number | undefined;

  const body = new Readable({
    highWaterMark: BODY_BYTES,
    read() {
      isFull = false;
      onRoom();
    },
    destroy(error, callback) {
      abort.abort(new AppError('upstream_broken', 'The reader of this speech has gone.'));
      onRoom();
      sink.close();
      callback(error);
    },
  });
  // Its reader learns of the error by its own listener; until there is one, the error must not end the program.
  body.on('error', () => {});
  const begin = () => {
    hasBegun = true;
    beganAtMs ??= clock.now();
    onBegun();
  };
  const sink = createSink(job, tools, (bytes) => {
    if (bytes.length === 0 || body.destroyed) return;
    madeBytes += bytes.length;
    isFull = !body.push(bytes);
    begin();
  });

  const untilRoom = () =>
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

  /** A reader in real time has begun with the first sound. */
  const aheadMs = () => (beganAtMs === undefined ? 0 : sink.soundMs() - (clock.now() - beganAtMs));

  const wordTimes = onWord === undefined ? undefined : createWordTimes(onWord);

  const room = async () => {
    await untilRoom();
    abort.signal.throwIfAborted();
  };

  const speakLine = async (line: SpokenLine, index: number) => {
    const voice = job.voices[line.speaker];
    const { pauseMs, stretch, ...prosody } = createProsody({ ...job, voice }, index, line.pause);
    if (pauseMs > 0) sink.pause(pauseMs);
    const utterance = { text: line.text, voice: programVoice(voice, job.language), ...prosody };
    const sound = tools.createTimeStretch(stretch, sink.push);
    const startMs = sink.soundMs();
    let spokenMs = 0;
    let events: readonly WordEvent[] = [];
    const onWords = (told: readonly WordEvent[]) => {
      events = told;
    };
    // A sentence arrives at once, and at a tenth of the speed it is minutes of sound.
    const held: PcmBlock[] = [];
    const onBlock = (block: PcmBlock) => {
      const { samples, sampleRate } = block;
      spokenMs += blockMs(block);
      if (isFull || held.length > 0) held.push({ samples: samples.slice(), sampleRate });
      else sound.push(block);
    };
    try {
      await speech.speak(utterance, onBlock, abort.signal, wordTimes && onWords, aheadMs);
      for (const block of held) {
        await room();
        sound.push(block);
      }
      sound.flush();
    } finally {
      sound.close();
    }
    if (wordTimes !== undefined && spokenMs > 0)
      wordTimes.add(line.origin(), events, { startMs, factor: (sink.soundMs() - startMs) / spokenMs });
    await room();
  };

  const speakAll = async () => {
    for (const [index, line] of job.lines.entries()) await speakLine(line, index);
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
  return { body, started, madeBytes: () => madeBytes };
}
