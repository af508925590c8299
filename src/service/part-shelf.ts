// The port for parts of speech on their way to a file: each is put there whole or not at all, so that a restart goes
// on behind the last whole one.

import type { TimedWord } from '../captions/word-timeline.ts';
import type { ServedBy } from '../pipeline/speech-services.ts';

export type SpokenPart = {
  /** MP3 as the speech service sent it. */
  readonly path: string;
  readonly audioMs: number;
  /** Times from the start of this part. */
  readonly words: readonly TimedWord[];
  /** Who spoke, from the start of this part; undefined where services have no names, and in parts of earlier versions. */
  readonly servedBy?: readonly ServedBy[] | undefined;
};

export type PartShelf = {
  /** A part that was kept before, by this program or an earlier one. */
  find(index: number): Promise<SpokenPart | undefined>;
  /** Keeps what `chunks` hold; `facts` is asked when they have ended. Rejects as they do, and keeps nothing then. */
  keep(
    index: number,
    chunks: AsyncIterable<Uint8Array>,
    facts: () => Omit<SpokenPart, 'path'>,
  ): Promise<SpokenPart>;
};

/** `folder`: the scratch folder of the work. */
export type OpenShelf = (work: string, folder: string) => PartShelf;
