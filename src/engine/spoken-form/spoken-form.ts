// Text as it is written → text as it is said, in the words of its language, for an engine that reads words and plain
// numbers right but neither money nor dates, times, units, addresses or signs. Pure and linear; saying the result
// once more changes nothing that matters. What is ambiguous stays: a wrong word is worse than a sign that is read out.

import type { Language } from '../../speech/language.ts';
import { createAddressRules, createTagRules } from './address-rules.ts';
import { createDateRules } from './date-rules.ts';
import type { Grammar } from './grammar.ts';
import { grammarOf } from './grammars.ts';
import { createNumberRules } from './number-rules.ts';
import { toPlainText } from './plain-text.ts';
import { createQuantityRules } from './quantity-rules.ts';
import type { Rule } from './rule.ts';
import { createSpokenReader } from './spoken-reader.ts';
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
const readers = new Map<Grammar | undefined, (text: string) => string>();

function readerOf(language: Language): (text: string) => string {
  const grammar = grammarOf(language);
  let reader = readers.get(grammar);
  if (reader === undefined) {
    reader = createSpokenReader(grammar ? rulesOf(grammar) : createAddressRules(undefined));
    readers.set(grammar, reader);
  }
  return reader;
}

/**
 * `text` as a reader of `language` would say it. May be longer than `text`, and blank where nothing of it is said.
 * A language without a grammar of its own gets only what holds in every language.
 */
export function toSpokenForm(text: string, language: Language): string {
  return readerOf(language)(toPlainText(text)).replace(/ {2,}/g, ' ').trim();
}
