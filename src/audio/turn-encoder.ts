// The last stage of a turn, whatever its format: cheap ones run where they are called, the dear ones (ogg, flac,
// re-encoded mp3) elsewhere, so that they never slow a phone call. Both are told and waited for in the same way.

import { AppError } from '../base/app-error.ts';
import type { SessionFormat } from '../speech/audio-format.ts';
import { createPlainEncoder, type PlainFormat } from './encoders.ts';
import { HEAVY_FORMATS, type HeavyEncoders } from './heavy-encoders.ts';
import type { AudioFrame } from './stage.ts';

export type TurnEncoder = {
  push(samples: Float32Array): void;
  /** Emits what waits for more, filled up with silence; mp3 keeps up to 210 ms, because its frames lean on each other. */
  release(): Promise<void>;
  /** No more input. Resolves when the last frame has been emitted. Once. */
  flush(): Promise<void>;
  /** Gives up at once; no frame after it. */
  close(): void;
  /** Samples pushed whose frames have not come back. */
  readonly pendingSamples: number;
};

export type TurnEncoderEvents = {
  readonly onFrame: (frame: AudioFrame) => void;
  /** `pendingSamples` has fallen. */
  readonly onProgress: () => void;
};

const DONE = Promise.resolve();

const isPlain = (format: SessionFormat): format is PlainFormat =>
  !(HEAVY_FORMATS as readonly SessionFormat[]).includes(format);

export type TurnOutput = {
  readonly format: SessionFormat;
  readonly sampleRate: number;
  readonly frameMs: number;
};

/** Throws `busy` when as many dear encoders are open as may be. */
export function openTurnEncoder(
  output: TurnOutput,
  heavy: HeavyEncoders,
  events: TurnEncoderEvents,
): TurnEncoder {
  const { format, sampleRate, frameMs } = output;
  if (isPlain(format)) {
    const stage = createPlainEncoder({ format, sampleRate, frameMs }, events.onFrame);
    const flush = () => {
      stage.flush();
      return DONE;
    };
    return { push: (samples) => stage.push(samples), release: flush, flush, close() {}, pendingSamples: 0 };
  }
  const encoder = heavy.open({ format, sampleRate }, events);
  if (encoder === 'busy') throw noneFree(format);
  return encoder;
}

/** Throws `busy` when a dear encoder could not be opened now. */
export function refuseWhenFull(format: SessionFormat, heavy: HeavyEncoders): void {
  if (heavy.isFull) throw noneFree(format);
}

const noneFree = (format: SessionFormat) =>
  new AppError('busy', `No encoder for ${format} is free; mulaw, alaw, raw and wav need none.`, {
    retryAfterMs: 1000,
  });
