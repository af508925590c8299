// MP3 frames → samples of one channel, for many streams at once. Every frame gives exactly its own length of sound, so
// time is kept whatever arrives: what cannot be decoded is silence, never noise and never an exception.

export type Mp3Decoder = {
  /**
   * One whole frame. Emits its samples once: mono, −1…1, in scratch memory that is valid during the call.
   * Both channels are averaged. Emits nothing when `frame` does not begin with a Layer III header.
   */
  decode(frame: Uint8Array, emit: (samples: Float32Array, sampleRate: number) => void): void;
  /** Frames were lost before the next one: the data that it refers to in earlier frames is missing. */
  gap(): void;
  close(): void;
};

/** The same decoders, for a listener that gets nothing above `heardHz`. */
export const hearingBelow = (decoders: Mp3Decoders, heardHz: number | undefined): Mp3Decoders =>
  heardHz === undefined ? decoders : { ...decoders, heardHz, open: () => decoders.open(heardHz) };

export type Mp3Decoders = {
  /**
   * `heardHz`: what lies above it may be left out, because the next stage filters it out anyway; what lies below is the
   * same. Throws when there is no memory for another decoder.
   */
  open(heardHz?: number): Mp3Decoder;
  /** The limit that `hearingBelow` set, Hz. */
  readonly heardHz?: number;
  /**
   * Band limit, Hz: a decoder that was opened with this `heardHz` gives nothing above it for a stream of that rate, except what
   * a fault puts there: a clipped sample, a muted frame.
   */
  belowHz(heardHz: number, sampleRate: number): number;
  /** Decoders that are open. */
  live(): number;
};
