// MP3 frames → samples of one channel, for many streams at once. Every frame gives exactly its own length of sound, so
// time is kept whatever arrives: what cannot be decoded is silence, never noise and never an exception.

export type Mp3Decoder = {
  /**
   * One whole frame. Emits its samples once: mono, −1…1, in scratch memory that is valid during the call.
   * Both channels are averaged. Emits nothing when `frame` does not begin with a Layer III header.
   */
  decode(frame: Uint8Array, emit: (samples: Float32Array, sampleRate: number) => void): void;
  /** Frames were lost before the next one: what it takes from earlier frames is not there. */
  gap(): void;
  close(): void;
};

/** The same decoders, for whoever hears no more than that. */
export const hearingBelow = (decoders: Mp3Decoders, heardHz: number | undefined): Mp3Decoders =>
  heardHz === undefined ? decoders : { ...decoders, heardHz, open: () => decoders.open(heardHz) };

export type Mp3Decoders = {
  /**
   * `heardHz`: what lies above it may be left out, because whoever gets the sound filters it out himself; what lies below is
   * the same. Throws when memory for another decoder cannot be had.
   */
  open(heardHz?: number): Mp3Decoder;
  /** For whom they decode, where they were had by `hearingBelow`, Hz. */
  readonly heardHz?: number;
  /**
   * Above this there is nothing in the sound of a stream of that rate from a decoder that was opened so, Hz, but for what a
   * fault puts there: a sample that is clipped, a frame that is muted.
   */
  belowHz(heardHz: number, sampleRate: number): number;
  /** Decoders that are open. */
  live(): number;
};
