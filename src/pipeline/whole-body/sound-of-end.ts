// How the last second of a body sounds, decoded once more for it: about a millisecond of work, done only where nothing surer
// tells whether the body is whole.

import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import { featureTrack } from '../../captions/alignment/feature-track.ts';
import { type SoundEnding, soundEndingOf } from '../../captions/alignment/heard-ending.ts';
import type { BodyReading } from './body-reading.ts';
import { decodeFrames } from './splice-takes.ts';

/** About 1.7 s at 24 kHz: a sentence's melody falls in less. */
const LAST_FRAMES = 72;

/** Undefined: too little of the end is kept, or it tells nothing. */
export function soundOfEnd(reading: BodyReading, decoders: Mp3Decoders): SoundEnding | undefined {
  const first = Math.max(0, reading.frames() - LAST_FRAMES);
  const frames = reading.frameRange(first, reading.frames());
  const sampleRate = frames?.[0]?.header.sampleRate;
  if (frames === undefined || sampleRate === undefined) return undefined;
  if (frames.some(({ header }) => header.sampleRate !== sampleRate)) return undefined;
  const { samples } = decodeFrames(decoders, frames, first);
  return soundEndingOf(featureTrack(samples, sampleRate).levels);
}
