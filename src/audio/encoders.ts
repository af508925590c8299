// Encoders of whole replies, by format: samples in, frames out. All keep the same promises: the split of the input does
// not change the bytes, and speech without a sample has no frame (but wav, whose header alone is a valid empty file).

import { createPcmEncoder } from './dsp/pcm-format.ts';
import { type Mp3Encoders, speechBitrateKbps } from './mp3/mp3-encoder.ts';
import { Mp3FrameParser } from './mp3/mp3-frame-parser.ts';
import type { AudioFrame, Stage } from './stage.ts';
import { createPlainFrames, type PlainOutput, pcmFormatOf } from './turn-encoder.ts';

export type EncoderOutput =
  | PlainOutput
  | { readonly format: 'mp3'; readonly sampleRate: number; readonly frameMs: number };
type Emit = (frame: AudioFrame) => void;

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
