// The few milliseconds that lead from one synthesis run of a text into another, or into silence: the end of the old run,
// a fade, the beginning of the new one. Pure arithmetic over decoded samples; positions count from the start of the run.

import type { SoundFrame } from '../bodies/sound-frame.ts';
import type { Mp3StreamTag } from '../mp3/mp3-stream-tag.ts';

/** Where a decoder joins a stream in its middle. */
export type StreamPlace = {
  readonly tag: Mp3StreamTag | undefined;
  /** Frames of the stream before the next one. */
  readonly framesBefore: number;
  /** The last of them: decoded but not emitted, because frames depend on those before (at most 511 bytes, and half a frame). */
  readonly warmUp: readonly SoundFrame[];
};

export type Crossfade = {
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** It was decoded only up to this frequency, Hz; undefined: its whole band may be full. */
  readonly heardHz: number | undefined;
  /** In place of the samples where MP3 passes through undecoded: about as long, to half a frame. */
  readonly frames: readonly SoundFrame[];
  /** The stream that continues after it; undefined when none does. */
  readonly next: StreamPlace | undefined;
};

/** Decoded samples of a synthesis run, of which `samples[0]` is at `from`. */
export type Excerpt = { readonly samples: Float32Array; readonly from: number };

const FADE_MS = 15;

export const fadeSamples = (sampleRate: number): number => Math.round((sampleRate * FADE_MS) / 1000);

const at = ({ samples, from }: Excerpt, position: number): number => samples[position - from] ?? 0;

/**
 * `old` from `begin` to `cut`, then within `fade` samples over to `fresh` at `cut + lag`, and on to `end` of `fresh`.
 * The fade is linear: the two are aligned to sound alike, so amplitudes add, not powers. With constant power a voice
 * that goes on would swell by 3 dB; at a pause neither is heard.
 */
export function crossfade(
  old: Excerpt,
  fresh: Excerpt,
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
export const fadeOut = (old: Excerpt, begin: number, cut: number, fade: number): Float32Array =>
  Float32Array.from({ length: cut + fade - begin }, (_, i) => {
    const position = begin + i;
    return at(old, position) * (position < cut ? 1 : 1 - (position - cut + 0.5) / fade);
  });
