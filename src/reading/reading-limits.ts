// The limits of reading, in one place. The largest real books are within them, and a file that is small on disk and huge in
// memory is stopped before a library gets it.

export type ReadingLimits = {
  /** Of the file itself. */
  readonly fileBytes: number;
  /** Of the result; about 40 hours of speech. */
  readonly textChars: number;
};

export const READING_LIMITS: ReadingLimits = { fileBytes: 50 * 1024 * 1024, textChars: 2_000_000 };

/** Processor time for telling what a file is and whether it is within its bounds; the largest files take a quarter. */
export const GATE_DEADLINE_MS = 2_000;

/** Text kinds hold little else than text: four bytes a character at most. Markup may be several times its text. */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024;
export const MAX_HTML_BYTES = 8 * 1024 * 1024;
/** XML and XHTML of one document, inflated; a novel has about two. */
export const MAX_MARKUP_BYTES = 24 * 1024 * 1024;
export const MAX_PDF_PAGES = 2_000;
/** Elements inside elements; word processors and sites stay below fifty. */
export const MAX_DEPTH = 400;
