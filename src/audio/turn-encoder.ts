// The last stage of a turn: samples become frames, whatever the format. Cheap encoders run where they are called, the
// CPU-heavy ones (ogg, flac, re-encoded mp3) on other threads, so that they never slow a phone call. Both have the same
// interface: the split of the input does not change the bytes, and a turn without a sample has no frame (but wav).

import { AppError } from '../base/app-error.ts';
import type { SessionFormat } from '../speech/audio-format.ts';
import { wavHeader } from './containers/wav.ts';
import { ALAW_SILENCE, MULAW_SILENCE } from './dsp/g711.ts';
import { BYTES_PER_SAMPLE, type PcmFormat } from './dsp/pcm-format.ts';
import type { SoundPath } from './dsp/sound-path.ts';
import {
  type HeavyEncoder,
  type HeavyEncoders,
  type HeavyFormat,
  type HeavyOutput,
  isHeavyFormat,
} from './heavy-encoders.ts';
import type { AudioFrame, ClosableStage, Stage } from './stage.ts';

/** Formats whose samples become bytes one by one, at almost no cost. */
export type PlainFormat = Exclude<SessionFormat, HeavyFormat>;
export type PlainOutput = {
  readonly format: PlainFormat;
  readonly sampleRate: number;
  readonly frameMs: number;
};

export type TurnEncoder = {
  /**
   * An input for samples at `sampleRate` that hold nothing above `belowHz`; the caller ends it. A turn has them one after
   * another, seldom more than one.
   */
  from(sampleRate: number, belowHz?: number): ClosableStage<Float32Array>;
  /** Samples that are coded as the format has them, at its rate; only formats that need no codec take any. */
  takeCoded(bytes: Uint8Array): void;
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
  takeCoded(bytes: Uint8Array): void {
    this.take(bytes);
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
  takeCoded(): void {
    throw new Error('a codec takes no coded samples');
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

/** How the samples of a format are written, and what fills its last frame; absent: it stays short. */
type PlainRule = { readonly code: PcmFormat; readonly padByte?: number };

const PLAIN: Readonly<Record<PlainFormat, PlainRule>> = {
  mulaw: { code: 'mulaw', padByte: MULAW_SILENCE },
  alaw: { code: 'alaw', padByte: ALAW_SILENCE },
  raw: { code: 'pcm16', padByte: 0 },
  wav: { code: 'pcm16' },
};

export const pcmFormatOf = (format: PlainFormat): PcmFormat => PLAIN[format].code;

/**
 * From the bytes of `pcmFormatOf(format)` to frames. They last `output.frameMs` and the last one is padded with
 * silence; wav leaves it short. `flush` may be followed by more.
 */
export function createPlainFrames(
  { format, sampleRate, frameMs }: PlainOutput,
  emit: (frame: AudioFrame) => void,
): FrameStage {
  const { code, ...padding } = PLAIN[format];
  const rule = { sampleRate, frameMs, bytesPerSample: BYTES_PER_SAMPLE[code], ...padding };
  return format === 'wav' ? createWavFrames(rule, emit) : new Framer(rule, emit);
}

/** The header travels in front of the first frame: a message of its own would be one without a duration. */
function createWavFrames(rule: FrameRule, emit: (frame: AudioFrame) => void): FrameStage {
  let header: Uint8Array | undefined = wavHeader({ sampleRate: rule.sampleRate, channels: 1 });
  const emitBehindHeader = (frame: AudioFrame): void => {
    if (header === undefined) return emit(frame);
    const whole = new Uint8Array(header.length + frame.bytes.length);
    whole.set(header);
    whole.set(frame.bytes, header.length);
    header = undefined;
    emit({ bytes: whole, samples: frame.samples });
  };
  const framer = new Framer(rule, emitBehindHeader);
  return {
    push: (bytes) => framer.push(bytes),
    drop: () => framer.drop(),
    flush() {
      framer.flush();
      if (header !== undefined) emitBehindHeader({ bytes: new Uint8Array(0), samples: 0 });
    },
  };
}

// Frames of equal duration, known by positions only: frame k covers the samples from floor(k · rate · ms / 1000) to
// floor((k + 1) · rate · ms / 1000), so that a duration which is no whole number of samples alternates lengths and never
// drifts.

/** Frames that can be made to begin anew. */
export type FrameStage = Stage<Uint8Array> & {
  /** Drops what fills no frame yet, and tells how many bytes that was. */
  drop(): number;
};

export type FrameRule = {
  readonly sampleRate: number;
  readonly frameMs: number;
  readonly bytesPerSample: number;
  /** Fills the last frame up to its whole length with this byte, the codec's silence; absent: it stays short. */
  readonly padByte?: number;
};

/** First sample of frame `index`. */
const frameStart = (rule: FrameRule, index: number): number =>
  Math.floor((index * rule.sampleRate * rule.frameMs) / 1000);

const frameSamples = (rule: FrameRule, index: number): number =>
  frameStart(rule, index + 1) - frameStart(rule, index);

/**
 * What begins a frame behind another comes in with it and is moved to the front: a view of each part would cost several times
 * as much. So most of what comes at a time, a frame of MP3, needs no view.
 */
const ROOM_FRAMES = 3;

/**
 * Takes bytes in any split of whole or broken samples, which are copied. All frames share one piece of memory, one after
 * another: a piece of its own for each costs the collector more than the frame is worth. A padded frame counts its padding in
 * `samples`; a stream without a byte has no frame. One for each turn, called for each MP3 frame.
 */
export class Framer implements FrameStage {
  private readonly rule: FrameRule;
  private readonly emit: (frame: AudioFrame) => void;
  private readonly memory: Uint8Array;
  private index = 0;
  /** Frame `index`, at the beginning of the memory. */
  private frame: AudioFrame;
  /** Bytes from there on that have come and have not been emitted. */
  private filled = 0;

  constructor(rule: FrameRule, emit: (frame: AudioFrame) => void) {
    this.rule = rule;
    this.emit = emit;
    this.memory = new Uint8Array(ROOM_FRAMES * (frameSamples(rule, 0) + 1) * rule.bytesPerSample);
    this.frame = this.frameOf(frameSamples(rule, 0));
  }

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(from + this.memory.length - this.filled, bytes.length);
      this.memory.set(to - from === bytes.length ? bytes : bytes.subarray(from, to), this.filled);
      this.filled += to - from;
      from = to;
      while (this.filled >= this.frame.bytes.length) this.emitFrame(this.frame);
    }
  }
  flush(): void {
    const { padByte, bytesPerSample } = this.rule;
    while (this.filled >= this.frame.bytes.length) this.emitFrame(this.frame); // what a taker refused before
    if (this.filled === 0) return;
    if (padByte === undefined) return this.emitFrame(this.frameOf(this.filled / bytesPerSample));
    this.frame.bytes.fill(padByte, this.filled);
    this.filled = this.frame.bytes.length;
    this.emitFrame(this.frame);
  }
  drop(): number {
    const dropped = this.filled;
    this.filled = 0;
    return dropped;
  }

  private frameOf(samples: number): AudioFrame {
    return { bytes: this.memory.subarray(0, samples * this.rule.bytesPerSample), samples };
  }
  private emitFrame(whole: AudioFrame): void {
    const { length } = whole.bytes;
    this.filled -= length;
    this.index += 1;
    const samples = frameSamples(this.rule, this.index);
    if (samples !== this.frame.samples) this.frame = this.frameOf(samples);
    try {
      this.emit(whole);
    } finally {
      if (this.filled > 0) this.memory.copyWithin(0, length, length + this.filled);
    }
  }
}
