// From samples to frames, by format: the one table of what each output is made of. All stages keep the same
// promises: the split of the input does not change the bytes, frames are fresh memory, and a turn without a sample
// has no frame (but wav, whose header alone is a valid empty file).

import type { SessionFormat } from '../speech/audio-format.ts';
import { createFramer } from './framer.ts';
import { ALAW_SILENCE, encodeAlaw, encodeMulaw, MULAW_SILENCE } from './g711.ts';
import type { HeavyFormat } from './heavy-encoders.ts';
import { type Mp3Encoders, speechBitrateKbps } from './mp3-encoder.ts';
import { createMp3FrameParser } from './mp3-frame-parser.ts';
import { encodePcm16 } from './pcm16.ts';
import type { AudioFrame, Stage } from './stage.ts';
import { wavHeader } from './wav.ts';

/** Formats whose samples become bytes one by one, for next to nothing. */
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

/** How the samples of a format become bytes, a fixed number for each. */
type SampleCoding = {
  readonly bytesPerSample: number;
  readonly silence: number;
  readonly encode: (samples: Float32Array, into: Uint8Array) => void;
};
const MULAW: SampleCoding = { bytesPerSample: 1, silence: MULAW_SILENCE, encode: encodeMulaw };
const ALAW: SampleCoding = { bytesPerSample: 1, silence: ALAW_SILENCE, encode: encodeAlaw };
const PCM16: SampleCoding = { bytesPerSample: 2, silence: 0, encode: encodePcm16 };

const ENCODERS: Readonly<Record<PlainFormat, (output: PlainOutput, emit: Emit) => Stage<Float32Array>>> = {
  mulaw: (output, emit) => createSampleEncoder(output, MULAW, 'padded', emit),
  alaw: (output, emit) => createSampleEncoder(output, ALAW, 'padded', emit),
  raw: (output, emit) => createSampleEncoder(output, PCM16, 'padded', emit),
  wav: (output, emit) => createWavEncoder(output, emit),
};

/**
 * Takes samples at `output.sampleRate`. Frames last `output.frameMs` and the last one is padded with silence; wav
 * leaves it short. `flush` may be followed by more.
 */
export const createPlainEncoder = (output: PlainOutput, emit: Emit): Stage<Float32Array> =>
  ENCODERS[output.format](output, emit);

/** As the plain encoders; mp3 has frames of its own length (24–72 ms), ignores `frameMs` and ends at its `flush`. */
export const createEncoder = (output: EncoderOutput, mp3: Mp3Encoders, emit: Emit): Stage<Float32Array> =>
  output.format === 'mp3' ? createMp3Stage(output.sampleRate, mp3, emit) : createPlainEncoder(output, emit);

function createSampleEncoder(
  { sampleRate, frameMs }: PlainOutput,
  { bytesPerSample, silence, encode }: SampleCoding,
  tail: 'padded' | 'short',
  emit: Emit,
): Stage<Float32Array> {
  const rule = { sampleRate, frameMs, bytesPerSample };
  const framer = createFramer(tail === 'padded' ? { ...rule, padByte: silence } : rule, emit);
  let scratch = new Uint8Array(0);
  return {
    push(samples) {
      const byteLength = samples.length * bytesPerSample;
      if (scratch.length < byteLength) scratch = new Uint8Array(byteLength);
      encode(samples, scratch);
      framer.push(scratch.subarray(0, byteLength));
    },
    flush: () => framer.flush(),
  };
}

/** The header travels in front of the first frame: a message of its own would be one without a duration. */
function createWavEncoder(output: PlainOutput, emit: Emit): Stage<Float32Array> {
  let header: Uint8Array | undefined = wavHeader({ sampleRate: output.sampleRate, channels: 1 });
  const emitBehindHeader = ({ bytes, samples }: AudioFrame): void => {
    if (header === undefined) return emit({ bytes, samples });
    const whole = new Uint8Array(header.length + bytes.length);
    whole.set(header);
    whole.set(bytes, header.length);
    header = undefined;
    emit({ bytes: whole, samples });
  };
  const encoder = createSampleEncoder(output, PCM16, 'short', emitBehindHeader);
  return {
    push: (samples) => encoder.push(samples),
    flush() {
      encoder.flush();
      if (header !== undefined) emitBehindHeader({ bytes: new Uint8Array(0), samples: 0 });
    },
  };
}

/** Whole MP3 frames; `samples` counts all that they decode to, the codec's delay and padding included. */
function createMp3Stage(sampleRate: number, mp3: Mp3Encoders, emit: Emit): Stage<Float32Array> {
  const encoder = mp3.open({ sampleRate, bitrateKbps: speechBitrateKbps(sampleRate) });
  const parser = createMp3FrameParser({
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
