// What passes between the reader and its threads.

import type { SourceDocument } from '../script/source-document.ts';
import type { ReadingLimits } from './reading-limits.ts';
import type { SourceFile } from './source-reader.ts';

export type ReadingOrder = { readonly source: SourceFile; readonly limits: ReadingLimits };

export type ReadingAnswer =
  /** The last but one or earlier: more follows within this time, or the deadline of the whole. */
  | { readonly kind: 'step'; readonly withinMs: number | undefined }
  | { readonly kind: 'read'; readonly document: SourceDocument }
  | { readonly kind: 'refused'; readonly message: string }
  /** A library failed over the file. `cause` names the failure's class only: messages may quote the text. */
  | { readonly kind: 'broken'; readonly cause: string };
