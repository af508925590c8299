// A source as its reader hands it to the script writer: running text in reading order, without what
// belongs to the page and not to the text (headers, page numbers, footnote marks, navigation, addresses of links).

import type { Language } from '../speech/language.ts';

export type SourceBlock =
  | { readonly kind: 'heading' /** 1 is the highest. */; readonly level: number; readonly text: string }
  /** `isQuoted`: somebody else's words or a poem, set apart from the text. */
  | { readonly kind: 'paragraph'; readonly text: string; readonly isQuoted?: true }
  /** `under`: the term that it explains, such as an option of a command; the term is an item of its own before it. */
  | { readonly kind: 'item'; readonly text: string; readonly under?: string }
  /** One line of a table; a name is empty where the table has no head. */
  | { readonly kind: 'row'; readonly cells: readonly { readonly name: string; readonly value: string }[] };

export type SourceDocument = {
  readonly title: string | undefined;
  /** As the file says, or as it was detected; undefined when neither could tell. */
  readonly language: Language | undefined;
  readonly blocks: readonly SourceBlock[];
};
