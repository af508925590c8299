// The one error of reading: a source that cannot be used, with what to do about it. It never quotes the source.

import { AppError } from '../base/app-error.ts';

/** `message` is for the person who chose the file; it names a limit or a way out, never a word of the text. */
export const invalidSource = (message: string): AppError => new AppError('invalid_source', message);

const ACCEPTED =
  'Accepted are PDF, DOCX, EPUB, HTML, Markdown (.md), comma-separated tables (.csv) and plain text (.txt).';

/** A kind of file that is not read. `what` begins the sentence: "This is a picture." */
export const unacceptedKind = (what: string): AppError => invalidSource(`${what} ${ACCEPTED}`);
