// The few milliseconds that lead from one take of a speech into another, or into silence: the end of the old take,
// a fade, the beginning of the new one. Pure arithmetic over decoded samples; positions count from the take's start.

import type { Mp3Frame } from '../mp3/mp3-frame-parser.ts';
import type { Mp3StreamTag } from '../mp3/mp3-stream-tag.ts';

/** Where a decoder takes up a stream in its middle. */
export type StreamPlace = {
  readonly tag: Mp3StreamTag | undefined;
  /** Frames of the stream before the next one. */
  readonly framesBefore: number;
  /** The last of them: decoded unheard, because frames lean on those before (at most 511 bytes, and half a frame). */
  readonly warmUp: readonly Mp3Frame[];
};

export type SpeechBridge = {
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** It was decoded for whoever hears no more than this, Hz; undefined: its whole band may be full. */
  readonly heardHz: number | undefined;
  /** In place of the samples where MP3 passes through undecoded: about as long, to half a frame. */
  readonly frames: readonly Mp3Frame[];
  /** The stream that goes on behind; undefined when nothing does. */
  readonly next: StreamPlace | undefined;
};

/** Decoded samples of a take, of which `samples[0]` is at `from`. */
export type Passage = { readonly samples: Float32Array; readonly from: number };

const FADE_MS = 15;

export const fadeSamples = (sampleRate: number): number => Math.round((sampleRate * FADE_MS) / 1000);

const at = ({ samples, from }: Passage, position: number): number => samples[position - from] ?? 0;

/**
 * `old` from `begin` to `cut`, then within `fade` samples over to `fresh` at `cut + lag`, and on to `end` of `fresh`.
 * The fade is linear: the two are aligned to sound alike, so amplitudes add, not powers. With constant power a voice
 * that goes on would swell by 3 dB; at a pause neither is heard.
 */
export function bridgeTakes(
  old: Passage,
  fresh: Passage,
  places: {
    readonly begin: number;
    readonly cut: number;
    readonly lag: number;
    readonly end: number;
    readonly fade: number;
  },
): Float32Array {
  const { begin, cut, lag, end, fade } = places;
  return Float32Array.from({ length: Math.max(0, end - lag - begin) }, (_, i) => {
    const position = begin + i;
    if (position < cut) return at(old, position);
    const share = Math.min(1, (position - cut + 0.5) / fade);
    return share * at(fresh, position + lag) + (1 - share) * at(old, position);
  });
}

/** `old` from `begin` to `cut`, then to silence within `fade` samples. */
export const bridgeToSilence = (old: Passage, begin: number, cut: number, fade: number): Float32Array =>
  Float32Array.from({ length: cut + fade - begin }, (_, i) => {
    const position = begin + i;
    return at(old, position) * (position < cut ? 1 : 1 - (position - cut + 0.5) / fade);
  });
