// What a parser makes of a body that comes in given pieces.

import type { BodyParser, SoundSink } from '../../../src/audio/bodies/body-parser.ts';
import { type SoundFrame, samplesOf } from '../../../src/audio/bodies/sound-frame.ts';

export type ReadBody = {
  /** Bytes of all frames, one after another. */
  readonly bytes: Buffer;
  readonly frames: readonly SoundFrame[];
  readonly samples: number;
  readonly parser: BodyParser;
};

/** `cuts`: where the body is cut, in any order. */
export function readBody(
  open: (sink: SoundSink) => BodyParser,
  body: Uint8Array,
  cuts: readonly number[] = [],
): ReadBody {
  const frames: SoundFrame[] = [];
  const parser = open({
    onFrame: (frame) => frames.push({ ...frame, bytes: Uint8Array.from(frame.bytes) }),
    onTag() {},
  });
  const places = [...new Set([0, ...cuts.map((cut) => cut % (body.length + 1)), body.length])].sort(
    (a, b) => a - b,
  );
  // Each piece lies in memory that is used again, as that of a socket is.
  for (let i = 1; i < places.length; i += 1) {
    const piece = Uint8Array.from(body.subarray(places[i - 1], places[i]));
    parser.push(piece);
    piece.fill(0xaa);
  }
  parser.flush();
  return {
    frames,
    parser,
    bytes: Buffer.concat(frames.map(({ bytes }) => bytes)),
    samples: frames.reduce((sum, { header }) => sum + samplesOf(header), 0),
  };
}

export const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
