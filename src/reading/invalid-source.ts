// The one error of reading: a source that cannot be used, with what to do about it. It never quotes the source.

import { AppError } from '../base/app-error.ts';

/** `message` is for the person who chose the file; it names a limit or a way out, never a word of the text. */
export const invalidSource = (message: string): AppError => new AppError('invalid_source', message);

const ACCEPTED =
  'Accepted are PDF, DOCX, EPUB, HTML, Markdown (.md), comma-separated tables (.csv) and plain text (.txt).';

/** A kind of file that is not read. `what` begins the sentence: "This is a picture." */
export const unacceptedKind = (what: string): AppError => invalidSource(`${what} ${ACCEPTED}`);

/** A library failed over the file. */
export const damagedFile = (): AppError =>
  invalidSource(
    'The file is damaged or not made as its kind should be; save it again from the program that made it.',
  );

export const fileTooLarge = (maxBytes: number): AppError =>
  invalidSource(
    `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB; split it, or leave out its pictures.`,
  );
