// Text as it is written → text as it is said, in the words of its language, for an engine that reads words and plain
// numbers right but neither money nor dates, times, units, addresses or signs. Pure and linear; saying the result
// once more changes nothing that matters. What is ambiguous stays: a wrong word is worse than a sign that is read out.

import type { Language } from '../../speech/language.ts';
import { createAddressRules, createTagRules } from './address-rules.ts';
import { createDateRules } from './date-rules.ts';
import type { Grammar } from './grammar.ts';
import { grammarOf } from './grammars.ts';
import { type Edit, type MappedText, type Replacement, replaceMapped } from './mapped-text.ts';
import { createNumberRules } from './number-rules.ts';
import { toMappedPlainText, toPlainText } from './plain-text.ts';
import { createQuantityRules } from './quantity-rules.ts';
import type { Rule } from './rule.ts';
import { createSpokenReader, type SpokenReader } from './spoken-reader.ts';
import { createSymbolRules } from './symbol-rules.ts';

/** The first rule that knows a place wins: what is more special stands before what is more common. */
const rulesOf = (grammar: Grammar): Rule[] => [
  ...createAddressRules(grammar.words),
  ...(grammar.rules ?? []),
  ...createDateRules(grammar),
  ...createQuantityRules(grammar),
  ...createTagRules(grammar.words),
  ...createNumberRules(grammar),
  ...createSymbolRules(grammar.words),
];

/** Patterns are made when a language is first spoken. */
const readers = new Map<Grammar | undefined, SpokenReader>();

function readerOf(language: Language): SpokenReader {
  const grammar = grammarOf(language);
  let reader = readers.get(grammar);
  if (reader === undefined) {
    reader = createSpokenReader(grammar ? rulesOf(grammar) : createAddressRules(undefined));
    readers.set(grammar, reader);
  }
  return reader;
}

/** What rules that say nothing leave behind. */
const SPARE_SPACE: readonly Replacement[] = [
  { pattern: / {2,}/g, say: () => ' ' },
  { pattern: /^\s+|(?<!\s)\s+$/g, say: () => '' },
];

/**
 * `text` as a reader of `language` would say it. May be longer than `text`, and blank where nothing of it is said.
 * A language without a grammar of its own gets only what holds in every language.
 */
export function toSpokenForm(text: string, language: Language): string {
  return readerOf(language)(toPlainText(text)).replace(/ {2,}/g, ' ').trim();
}

/**
 * The same text, and what each of its characters came from in `text`: letters that stay from themselves, all of what
 * is said for a price from the whole price as it is written.
 */
export function toMappedSpokenForm(text: string, language: Language): MappedText {
  const plain = toMappedPlainText(text);
  const edits: Edit[] = [];
  readerOf(language)(plain.text, (edit) => edits.push(edit));
  return SPARE_SPACE.reduce(replaceMapped, plain.edit(edits));
}
