// The shape of every step between MP3 bytes and frames: synchronous push, wired once per turn, no promise
// and no event emitter per frame (a Node Transform chain costs ten times as much).

export type Stage<In> = {
  push(value: In): void;
  /** No more input: emit what is held back. */
  flush(): void;
};

/** A stage that holds what the collector does not free. Closed at any time, and not used afterwards. */
export type ClosableStage<In> = Stage<In> & { close(): void };

/** A stage whose frames can be made to catch up with its input. */
export type ReleasableStage<In> = Stage<In> & {
  /** Emits all that was pushed, the last frame filled up with silence. Nothing when nothing came since the last time. */
  release(): void;
};

/**
 * Mono samples in −1…1 at `sampleRate` Hz. The array is scratch memory of the stage that emits it:
 * valid only until `push` returns, so copy what is kept.
 */
export type PcmBlock = {
  readonly samples: Float32Array;
  readonly sampleRate: number;
  /** It may hold sound up to half of its rate; absent: no more than the decoder was opened for. */
  readonly band?: 'whole';
};

/**
 * One message's worth of encoded audio. `samples` counts at the output rate. The bytes are memory of who gives them out: those
 * of a stage are valid until it returns, those of a queue until it takes the next frame, so copy what is kept.
 */
export type AudioFrame = { readonly bytes: Uint8Array; readonly samples: number };
