// What passes between the reader and its threads.

import type { SourceDocument } from '../script/source-document.ts';
import type { ReadingLimits } from './reading-limits.ts';
import type { SourceFile } from './source-reader.ts';

// How a reader reports that it goes on: neither a regular expression nor pdf.js yields the thread while it works, so no timer
// of that thread could end it. The reader's caller is told how long the next step may take.

/** `gate`: telling what a file is and whether it is within the bounds; `page`: opening it, or one page; `rest`: all else. */
export type ReadingPart = 'gate' | 'page' | 'rest';

/** `withinMs` of the thread's processor time until the next call; undefined: until the deadline of the whole. */
export type Step = (part: ReadingPart, withinMs: number | undefined) => void;

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
