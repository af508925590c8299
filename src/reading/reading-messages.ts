// What passes between the reader and its threads.

import type { SourceDocument } from '../script/source-document.ts';
import type { ReadingLimits } from './reading-limits.ts';
import type { SourceFile } from './source-reader.ts';
import type { ReadingPart } from './step.ts';

export type ReadingOrder = { readonly source: SourceFile; readonly limits: ReadingLimits };

/** More follows when this time has been worked, or by the deadline of the whole. */
export type ReadingStep = {
  readonly kind: 'step';
  readonly withinMs: number | undefined;
  readonly part: ReadingPart;
  /** The one that works, as the system counts threads. */
  readonly thread: number | undefined;
};

export type ReadingAnswer =
  /** The last but one or earlier. */
  | ReadingStep
  | { readonly kind: 'read'; readonly document: SourceDocument }
  | { readonly kind: 'refused'; readonly message: string }
  /** A library failed over the file. `cause` names the failure's class only: messages may quote the text. */
  | { readonly kind: 'broken'; readonly cause: string };
