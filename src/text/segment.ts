// The unit in which text is spoken and captioned: a part of the caller's own words that keeps its origin.
// Positions are Unicode code points of what the caller sent, never of what is sent upstream, because
// captions and the record of what was heard must point into the text that the caller holds.

/** Spoken text that stands verbatim in the caller's text from code point `start` on. */
export type Run = { readonly text: string; readonly start: number };

export type Speaker = 1 | 2;

/**
 * Why a segment ends where it does: at a sentence end, at a clause mark, between two words (or, in a script
 * or a token without spaces, between two characters), at the end of a line, or because the text was over.
 */
export type Boundary = 'sentence' | 'clause' | 'words' | 'line' | 'end';

export type Segment = {
  /** Index of the dialogue line; 0 for plain text. */
  readonly line: number;
  /** Undefined: the turn has not named a speaker. */
  readonly speaker: Speaker | undefined;
  /** In order, markup removed. Joined, they are what is sent upstream, trailing white space included. */
  readonly runs: readonly Run[];
  readonly boundary: Boundary;
};

export const segmentText = (segment: Pick<Segment, 'runs'>): string =>
  segment.runs.length === 1 ? segment.runs[0]!.text : segment.runs.map((run) => run.text).join('');

/** A letter or number of any script, or a symbol with a name that is read out; not one that an emoji is made of. */
const SPEAKABLE = /[\p{L}\p{N}\p{Sc}%‰+=±×÷√∞≈≠≤≥°&@§](?!\uFE0F)/u;

/** False for text that is blank, or only punctuation or emoji: there is nothing to say. */
export const isSpeakable = (text: string): boolean => SPEAKABLE.test(text);
