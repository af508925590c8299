// From samples to frames, by format: the one table of what each output is made of. All stages keep the same
// promises: the split of the input does not change the bytes, and a turn without a sample has no frame (but wav, whose
// header alone is a valid empty file).

import type { SessionFormat } from '../speech/audio-format.ts';
import { wavHeader } from './containers/wav.ts';
import { ALAW_SILENCE, MULAW_SILENCE } from './dsp/g711.ts';
import { BYTES_PER_SAMPLE, createPcmEncoder, type PcmFormat } from './dsp/pcm-format.ts';
import { type FrameRule, Framer, type FrameStage } from './framer.ts';
import type { HeavyFormat } from './heavy-encoders.ts';
import { type Mp3Encoders, speechBitrateKbps } from './mp3/mp3-encoder.ts';
import { Mp3FrameParser } from './mp3/mp3-frame-parser.ts';
import type { AudioFrame, Stage } from './stage.ts';

/** Formats whose samples become bytes one by one, at almost no cost. */
export type PlainFormat = Exclude<SessionFormat, HeavyFormat>;
export type PlainOutput = {
  readonly format: PlainFormat;
  readonly sampleRate: number;
  readonly frameMs: number;
};
export type EncoderOutput =
  | PlainOutput
  | { readonly format: 'mp3'; readonly sampleRate: number; readonly frameMs: number };
type Emit = (frame: AudioFrame) => void;

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
export function createPlainFrames({ format, sampleRate, frameMs }: PlainOutput, emit: Emit): FrameStage {
  const { code, ...padding } = PLAIN[format];
  const rule = { sampleRate, frameMs, bytesPerSample: BYTES_PER_SAMPLE[code], ...padding };
  return format === 'wav' ? createWavFrames(rule, emit) : new Framer(rule, emit);
}

/** Takes samples at `output.sampleRate`; else as `createPlainFrames`. */
function createPlainEncoder(output: PlainOutput, emit: Emit): Stage<Float32Array> {
  const frames = createPlainFrames(output, emit);
  return {
    push: createPcmEncoder(pcmFormatOf(output.format), (bytes) => frames.push(bytes)),
    flush: () => frames.flush(),
  };
}

/** As the plain encoders; mp3 has frames of its own length (24–72 ms), ignores `frameMs` and ends at its `flush`. */
export const createEncoder = (output: EncoderOutput, mp3: Mp3Encoders, emit: Emit): Stage<Float32Array> =>
  output.format === 'mp3' ? createMp3Stage(output.sampleRate, mp3, emit) : createPlainEncoder(output, emit);

/** The header travels in front of the first frame: a message of its own would be one without a duration. */
function createWavFrames(rule: FrameRule, emit: Emit): FrameStage {
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

/** Whole MP3 frames; `samples` counts all that they decode to, the codec's delay and padding included. */
function createMp3Stage(sampleRate: number, mp3: Mp3Encoders, emit: Emit): Stage<Float32Array> {
  const encoder = mp3.open({ sampleRate, bitrateKbps: speechBitrateKbps(sampleRate) });
  const parser = new Mp3FrameParser({
    onFrame: ({ bytes, header }) => emit({ bytes, samples: header.samplesPerFrame }),
    onTag() {},
  });
  let isEmpty = true;
  return {
    push(samples) {
      if (samples.length === 0) return;
      isEmpty = false;
      parser.push(encoder.encode(samples));
    },
    flush() {
      if (isEmpty) return;
      parser.push(encoder.finish());
      parser.flush();
    },
  };
}
