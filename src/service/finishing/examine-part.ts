// How long a spoken part is, to the sample, and what a decoder puts in front of it: from its frames' headers, without
// decoding, so that a program that knows nothing of our parts cuts them as we do.

import type { Mp3FrameSink } from '../../audio/mp3/mp3-frame-parser.ts';
import type { Mp3StreamTag } from '../../audio/mp3/mp3-stream-tag.ts';
import { streamLead, streamSamples } from '../../audio/mp3/mp3-to-pcm.ts';
import { readPart } from './read-part.ts';

export type PartFacts = {
  /** Hz. */
  readonly sampleRate: number;
  /** Samples that a decoder gives before the first one of the source. */
  readonly lead: number;
  /** Samples of the source. */
  readonly samples: number;
};

/**
 * `irregular`: its length depends on the decoder, because it is several streams joined, changes its rate, or is
 * damaged. `empty`: no sound.
 */
export async function examinePart(path: string): Promise<PartFacts | 'irregular' | 'empty'> {
  let tag: Mp3StreamTag | undefined;
  let frames = 0;
  let sampleRate = 0;
  let samplesPerFrame = 0;
  let isRegular = true;
  const sink: Mp3FrameSink = {
    onFrame({ header, afterGap }) {
      if (frames > 0 && header.sampleRate !== sampleRate) isRegular = false;
      if (afterGap) isRegular = false;
      ({ sampleRate, samplesPerFrame } = header);
      frames += 1;
    },
    onTag(found) {
      if (frames > 0 || tag !== undefined) isRegular = false;
      tag = found;
    },
  };
  await readPart(path, sink, () => 'go-on');
  const samples = streamSamples(tag, frames, samplesPerFrame);
  if (samples === 0) return 'empty';
  return isRegular ? { sampleRate, lead: streamLead(tag), samples } : 'irregular';
}
