// The port of reading: a file that was uploaded or fetched becomes a document of running text. Callers handle one kind of
// failure, `invalid_source`, besides `busy` and being stopped.

import type { SourceDocument } from '../script/source-document.ts';

export type SourceFile = {
  readonly path: string;
  /** As the uploader calls it; it only decides between kinds of text. */
  readonly name: string | undefined;
  /** As declared; only its charset is believed, and only of text. */
  readonly contentType: string | undefined;
};

export type SourceReader = {
  /**
   * Rejects with an AppError: `invalid_source` with what to do about it, `busy`, `shutting_down`, or the reason of the
   * signal. The file stays where it is. `userId`: the owner of the file; users are served in turn.
   */
  read(source: SourceFile, userId: string, signal: AbortSignal): Promise<SourceDocument>;
  /** Ends what is being read. */
  close(): Promise<void>;
};
