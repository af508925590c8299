// The port of reading: a file that somebody uploaded or that was fetched becomes a document of running text. Whoever
// calls it deals with one kind of failure, `invalid_source`, besides being `busy` or stopped.

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
   * signal. The file stays where it is. `userId` is whose file it is: users read by turns.
   */
  read(source: SourceFile, userId: string, signal: AbortSignal): Promise<SourceDocument>;
  /** Ends what is being read. */
  close(): Promise<void>;
};
