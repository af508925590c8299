// What a reply can be, by outputFormat: the one table of its size and its encoder. A reply is
// a file, not a call: a session's frames have one length and are filled up to it, a reply ends with its last sample.

import { MAX_OPUS_ENCODERS } from '../audio/containers/opus-encoder.ts';
import { encodeMulaw } from '../audio/dsp/g711.ts';
import { encodePcm16 } from '../audio/dsp/pcm16.ts';
import { createEncoder } from '../audio/encoders.ts';
import type { HeavyFormat } from '../audio/heavy-encoders.ts';
import { createHeavyStage } from '../audio/heavy-stage.ts';
import { type Mp3Encoders, speechBitrateKbps } from '../audio/mp3/mp3-encoder.ts';
import type { ClosableStage } from '../audio/stage.ts';
import { AppError } from '../base/app-error.ts';
import type { ServiceFormat } from '../speech/audio-format.ts';

export type ReplyCodecs = { readonly mp3: Mp3Encoders };

type Write = (bytes: Uint8Array) => void;
type CreateEncoder = (sampleRate: number, codecs: ReplyCodecs, write: Write) => ClosableStage<Float32Array>;

type ReplyFormat = {
  /** Exact but for ogg and flac, which depend on what is said. */
  readonly bytesPerSecond: (sampleRate: number) => number;
  /** Takes samples at `sampleRate`, which the format has; `write` gets fresh memory. Closed once. */
  readonly createEncoder: CreateEncoder;
};

const heavyEncoder =
  (format: HeavyFormat): CreateEncoder =>
  (sampleRate, { mp3 }, write) =>
    createHeavyStage({ format, sampleRate }, mp3, ({ bytes }) => write(bytes));

/** Opus encoders open in this process: they share one memory of fixed size. */
let opusEncoders = 0;

const createOggEncoder: CreateEncoder = (...wanted) => {
  if (opusEncoders >= MAX_OPUS_ENCODERS)
    throw new AppError('busy', `The engine already makes ${MAX_OPUS_ENCODERS} replies of ogg.`, {
      retryAfterMs: 1000,
    });
  const encoder = heavyEncoder('ogg')(...wanted);
  opusEncoders += 1;
  return {
    ...encoder,
    close() {
      opusEncoders -= 1;
      encoder.close();
    },
  };
};

/** A tenth of a second at a time: few writes, and still prompt. */
const WAV_FRAME_MS = 100;

const createWavEncoder: CreateEncoder = (sampleRate, { mp3 }, write) => {
  const output = { format: 'wav', sampleRate, frameMs: WAV_FRAME_MS } as const;
  return { ...createEncoder(output, mp3, ({ bytes }) => write(new Uint8Array(bytes))), close() {} };
};

const sampleEncoder =
  (bytesPerSample: number, encode: (samples: Float32Array, into: Uint8Array) => void): CreateEncoder =>
  (_sampleRate, _codecs, write) => ({
    push(samples) {
      const bytes = new Uint8Array(samples.length * bytesPerSample);
      encode(samples, bytes);
      write(bytes);
    },
    flush() {},
    close() {},
  });

const opusBytesPerSecond = (rate: number): number => {
  if (rate > 16_000) return 8000;
  return rate === 8000 ? 3000 : 4000;
};

export const REPLY_FORMATS: Readonly<Record<ServiceFormat, ReplyFormat>> = {
  mp3: {
    bytesPerSecond: (rate) => speechBitrateKbps(rate) * 125,
    createEncoder: heavyEncoder('mp3'),
  },
  wav: {
    bytesPerSecond: (rate) => 2 * rate,
    createEncoder: createWavEncoder,
  },
  raw: {
    bytesPerSecond: (rate) => 2 * rate,
    createEncoder: sampleEncoder(2, encodePcm16),
  },
  mulaw: {
    bytesPerSecond: (rate) => rate,
    createEncoder: sampleEncoder(1, encodeMulaw),
  },
  flac: {
    bytesPerSecond: (rate) => rate,
    createEncoder: heavyEncoder('flac'),
  },
  ogg: {
    bytesPerSecond: opusBytesPerSecond,
    createEncoder: createOggEncoder,
  },
};
