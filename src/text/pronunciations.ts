// How a name or an abbreviation is said that is written otherwise. Applied to what goes upstream only: captions and
// heard text keep the caller's own words. The words are kept in a trie, so that hundreds of them cost no more
// than a few; one pattern of all words would try each of them at each position.

import type { Edit } from './spoken-form/mapped-text.ts';

export type Pronunciation = { readonly written: string; readonly spoken: string };

type Branch = { readonly next: Map<string, Branch>; spoken?: string };

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const isLetter = (character: string | undefined) => character !== undefined && LETTER.test(character);

/** A word of letters stands by itself, so that "AI" is not found in "AIR"; what begins or ends with a sign may touch. */
const isApart = (one: string | undefined, other: string | undefined) => !isLetter(one) || !isLetter(other);

function plant(pronunciations: readonly Pronunciation[]): Branch {
  const root: Branch = { next: new Map() };
  for (const { written, spoken } of pronunciations) {
    let branch = root;
    for (const character of written) {
      const known = branch.next.get(character);
      const next = known ?? { next: new Map() };
      if (known === undefined) branch.next.set(character, next);
      branch = next;
    }
    branch.spoken = spoken;
  }
  return root;
}

/**
 * Answers a text with the edits that put every `written`, in its exact case, as its `spoken`; the longest first where
 * several fit. What is put in is not looked at again.
 */
export function createPronouncer(pronunciations: readonly Pronunciation[]): (text: string) => Edit[] {
  const root = plant(pronunciations);

  /** The longest word that begins at `from`. */
  const find = (text: readonly string[], from: number) => {
    let found: { readonly spoken: string; readonly end: number } | undefined;
    if (!isApart(text[from - 1], text[from])) return found;
    let branch = root.next.get(text[from]!);
    for (let end = from + 1; branch !== undefined; end += 1) {
      if (branch.spoken !== undefined && isApart(text[end - 1], text[end]))
        found = { spoken: branch.spoken, end };
      branch = end < text.length ? branch.next.get(text[end]!) : undefined;
    }
    return found;
  };

  return (text) => {
    const characters = [...text];
    const edits: Edit[] = [];
    let unit = 0;
    for (let at = 0; at < characters.length; ) {
      const word = root.next.has(characters[at]!) ? find(characters, at) : undefined;
      const from = unit;
      const end = word?.end ?? at + 1;
      for (; at < end; at += 1) unit += characters[at]!.length;
      if (word !== undefined) edits.push({ from, to: unit, text: word.spoken });
    }
    return edits;
  };
}
