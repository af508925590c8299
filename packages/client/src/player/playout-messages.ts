// What the page and the audio thread say to each other. Samples are counted from the first one that was ever given, over
// all turns; frames are the audio context's own, so that the page can tell which sample is being heard.

export type ToPlayout =
  | { readonly type: 'samples'; readonly samples: Float32Array<ArrayBuffer> }
  /** Nothing more belongs to the turn: running dry from here on is its end and no underrun. */
  | { readonly type: 'ended' }
  /** Drops what waits at or after sample `from`; answered by `cut`. */
  | { readonly type: 'cut'; readonly from: number }
  | { readonly type: 'hold' }
  | { readonly type: 'release' };

export type FromPlayout =
  /** From `frame` on, sample after sample is played, beginning with number `played`. */
  | { readonly type: 'moving'; readonly frame: number; readonly played: number }
  /** From `frame` on there is silence; `played` samples were played before. */
  | {
      readonly type: 'still';
      readonly frame: number;
      readonly played: number;
      readonly why: 'dry' | 'done' | 'held' | 'cut';
    }
  | { readonly type: 'cut'; readonly played: number }
  /** Samples that found no room. */
  | { readonly type: 'lost'; readonly samples: number };

export type PlayoutOptions = {
  /** Samples that must wait before playing begins, and begins again after an underrun. */
  readonly startSamples: number;
  readonly ringSamples: number;
};
