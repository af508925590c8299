// What a file says of itself, as it says it.

export type DocumentFacts = {
  readonly title: string | undefined;
  /** A language tag; what it claims is checked against the text. */
  readonly language: string | undefined;
};
