// The last stage of a turn, whatever its format: cheap encoders run where they are called, the CPU-heavy ones (ogg, flac,
// re-encoded mp3) on other threads, so that they never slow a phone call. Both have the same interface.

import { AppError } from '../base/app-error.ts';
import type { SessionFormat } from '../speech/audio-format.ts';
import { BYTES_PER_SAMPLE, type PcmFormat } from './dsp/pcm-format.ts';
import type { SoundPath } from './dsp/sound-path.ts';
import { createPlainFrames, type PlainOutput, pcmFormatOf } from './encoders.ts';
import type { FrameStage } from './framer.ts';
import { type HeavyEncoder, type HeavyEncoders, type HeavyOutput, isHeavyFormat } from './heavy-encoders.ts';
import type { AudioFrame, ClosableStage } from './stage.ts';

export type TurnEncoder = {
  /**
   * An input for samples at `sampleRate` that hold nothing above `belowHz`; the caller ends it. A turn has them one after
   * another, seldom more than one.
   */
  from(sampleRate: number, belowHz?: number): ClosableStage<Float32Array>;
  /** Emits what waits for more, filled up with silence; mp3 keeps up to 210 ms, because its frames depend on each other. */
  release(): Promise<void>;
  /** No more input. Resolves when the last frame has been emitted. Once. */
  flush(): Promise<void>;
  /** Drops what is in no frame yet, where frames stand by themselves; in a container all that came in comes out. */
  drop(): void;
  /** Gives up at once; no frame after it. */
  close(): void;
  /** Samples at the output's rate that have come in. */
  takenSamples(): number;
  /** Those of them whose frames have not come back. */
  pendingSamples(): number;
};

export type TurnEncoderEvents = {
  readonly onFrame: (frame: AudioFrame) => void;
  /** `pendingSamples` has fallen. */
  readonly onProgress: () => void;
};

const DONE = Promise.resolve();

export type TurnOutput = {
  readonly format: SessionFormat;
  readonly sampleRate: number;
  readonly frameMs: number;
};

/** What encoders are built with. */
export type TurnEncoderMeans = { readonly sound: SoundPath; readonly heavy: HeavyEncoders };

/** The sound path gives it bytes, not samples. */
class PlainTurnEncoder implements TurnEncoder {
  private readonly output: PlainOutput;
  private readonly sound: SoundPath;
  private readonly code: PcmFormat;
  private readonly frames: FrameStage;
  private takenBytes = 0;
  private readonly take = (bytes: Uint8Array): void => {
    this.takenBytes += bytes.length;
    this.frames.push(bytes);
  };

  constructor(output: PlainOutput, sound: SoundPath, events: TurnEncoderEvents) {
    this.output = output;
    this.sound = sound;
    this.code = pcmFormatOf(output.format);
    this.frames = createPlainFrames(output, events.onFrame);
  }

  from(fromRate: number, belowHz?: number): ClosableStage<Float32Array> {
    return this.sound.encode({ fromRate, toRate: this.output.sampleRate, belowHz }, this.code, this.take);
  }
  release(): Promise<void> {
    return this.flush();
  }
  flush(): Promise<void> {
    this.frames.flush();
    return DONE;
  }
  drop(): void {
    this.takenBytes -= this.frames.drop();
  }
  close(): void {}
  takenSamples(): number {
    return this.takenBytes / BYTES_PER_SAMPLE[this.code];
  }
  pendingSamples(): number {
    return 0;
  }
}

class HeavyTurnEncoder implements TurnEncoder {
  private readonly sampleRate: number;
  private readonly sound: SoundPath;
  private readonly encoder: HeavyEncoder;
  private samples = 0;
  private readonly take = (samples: Float32Array): void => {
    this.samples += samples.length;
    this.encoder.push(samples);
  };

  constructor(encoder: HeavyEncoder, sampleRate: number, sound: SoundPath) {
    this.encoder = encoder;
    this.sampleRate = sampleRate;
    this.sound = sound;
  }

  from(fromRate: number, belowHz?: number): ClosableStage<Float32Array> {
    return this.sound.resample({ fromRate, toRate: this.sampleRate, belowHz }, this.take);
  }
  release(): Promise<void> {
    return this.encoder.release();
  }
  flush(): Promise<void> {
    return this.encoder.flush();
  }
  drop(): void {}
  close(): void {
    this.encoder.close();
  }
  takenSamples(): number {
    return this.samples;
  }
  pendingSamples(): number {
    return this.encoder.pendingSamples();
  }
}

function openHeavy(
  output: HeavyOutput,
  { sound, heavy }: TurnEncoderMeans,
  events: TurnEncoderEvents,
): TurnEncoder {
  const encoder = heavy.open(output, events);
  if (encoder === 'busy') throw noneFree(output.format);
  return new HeavyTurnEncoder(encoder, output.sampleRate, sound);
}

/** Throws `busy` when the maximum of CPU-heavy encoders is open. */
export const openTurnEncoder = (
  { format, sampleRate, frameMs }: TurnOutput,
  means: TurnEncoderMeans,
  events: TurnEncoderEvents,
): TurnEncoder =>
  isHeavyFormat(format)
    ? openHeavy({ format, sampleRate }, means, events)
    : new PlainTurnEncoder({ format, sampleRate, frameMs }, means.sound, events);

/** Throws `busy` when a CPU-heavy encoder could not be opened now. */
export function refuseWhenFull(format: HeavyOutput['format'], heavy: HeavyEncoders): void {
  if (heavy.isFull(format)) throw noneFree(format);
}

const noneFree = (format: SessionFormat) =>
  new AppError('busy', `No encoder for ${format} is free; mulaw, alaw, raw and wav need none.`, {
    retryAfterMs: 1000,
  });
