// The metadata of a file, as the file states it.

export type DocumentFacts = {
  readonly title: string | undefined;
  /** A language tag; what it claims is checked against the text. */
  readonly language: string | undefined;
};
