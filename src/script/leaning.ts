// Whether a sentence leans on the one before it: by a pronoun, a demonstrative, a connective or a word such as "instead".
// Without what it leans on it states something that the source does not. The words are data of each language
// (languages/phrases/); where a language has no table, no sentence is known to lean.
//
// It is decided in favour of leaning: a sentence that is taken to lean although it does not is left out or comes with
// its neighbour, which is true either way.

import type { LanguageReader } from './language-reader.ts';
import { isUnspaced, stemOf } from './words.ts';

type LeaningCues = Pick<
  LanguageReader,
  | 'leaning'
  | 'leaningWithin'
  | 'leaningEarly'
  | 'leaningUnnamed'
  | 'leaningAtEnd'
  | 'articles'
  | 'binding'
  | 'comparing'
  | 'compared'
>;

/** A pronoun that comes later mostly stands for something in the same sentence. */
const EARLY_WORDS = 6;
const EARLY_CHARACTERS = 8;

/** A capital after the first word, other than "I"; in German any noun has one. */
const NAME = /\s[^\p{L}\s]*\p{Lu}[\p{L}\p{M}]/u;

/** The first words of `spoken`, without a look at the rest. */
function openingOf(spoken: string): string {
  if (isUnspaced(spoken.slice(0, EARLY_CHARACTERS))) return spoken.slice(0, EARLY_CHARACTERS);
  return spoken.slice(0, 200).split(/\s+/u).slice(0, EARLY_WORDS).join(' ');
}

/** "You can use it": nothing that the pronoun could stand for has been named before it in the sentence. */
function hasEarlyPronoun(spoken: string, { leaningEarly, articles, binding }: LeaningCues): boolean {
  const opening = openingOf(spoken);
  const match = leaningEarly.exec(opening);
  if (match === null) return false;
  const ahead = opening.slice(0, match.index);
  // "At the beginning it …": what a preposition begins is not what the pronoun stands for.
  for (const word of ahead.split(/\s+/u).filter((one) => one !== '')) {
    if (articles.test(word)) break;
    if (binding.test(word)) return true;
  }
  return !articles.test(ahead) && !NAME.test(ahead) && !/\p{N}/u.test(ahead);
}

/** "The carpenters said that he …": who is he? A name before the pronoun may be his. */
function hasUnnamedPerson(spoken: string, { leaningUnnamed }: LeaningCues): boolean {
  const match = leaningUnnamed.exec(spoken);
  return match !== null && !NAME.test(spoken.slice(0, match.index));
}

/** Somebody's words, and nobody says whose. */
const isQuotation = (spoken: string): boolean => /^["“„«「『].*["”“»」』][.。]?$/su.test(spoken);

/**
 * True when `spoken`, one sentence as it would be said, cannot be understood without the sentence before it. Linear in
 * the length of the sentence.
 */
export const leansOnBefore = (spoken: string, cues: LeaningCues): boolean =>
  isQuotation(spoken) ||
  // "What a noise that made!" is said of something.
  /[!！]["”’»」]*$/u.test(spoken) ||
  cues.leaning.test(spoken) ||
  cues.leaningWithin.test(spoken) ||
  cues.leaningAtEnd.test(spoken) ||
  // "Newer mills are quieter.": than which?
  (cues.comparing.test(spoken) && !cues.compared.test(spoken)) ||
  hasEarlyPronoun(spoken, cues) ||
  hasUnnamedPerson(spoken, cues);

/** Words of a noun with its adjectives, up to the one that says more of it ("the old gate of the mill"). */
const WORDS_OF_NOUN = 4;

type NounCues = Pick<
  LanguageReader,
  'definite' | 'complements' | 'adjectives' | 'adjectivesBehind' | 'verbs' | 'common'
>;

/** "Das alte Rad": in German the first word with a capital is the noun; elsewhere it is a name, which is one, too. */
const capitalAt = (words: readonly string[]): number =>
  words.findIndex((word) => /^\p{Lu}\p{Ll}/u.test(word));

/**
 * Where the noun of `words` ends, which a definite article comes before: behind the last word that can be of it. A word behind
 * the noun is a verb rather than its own ("the water *comes* from the hill"), unless it is known as an adjective.
 */
function nounEnd(words: readonly string[], { adjectives, adjectivesBehind, verbs }: NounCues): number {
  const capital = capitalAt(words);
  let at = Math.max(0, capital);
  // The last word is the noun even if it looks like an adjective ("the final of the cup").
  if (capital === -1) while (at + 1 < words.length && adjectives.test(words[at]!)) at += 1;
  let end = at + 1;
  while (end < words.length && adjectivesBehind.test(words[end]!)) end += 1;
  // "The mill wheel", where verbs are known.
  if (capital === -1 && verbs !== undefined && end < words.length && !verbs.test(words[end]!)) end += 1;
  return end;
}

const WORD_OF_NOUN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’.-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu;

/** What a comma parts off says no more of the noun ("the yard, of all places"); in German it does ("das Haus, in dem"). */
function behindArticle(text: string): string[] {
  const [clause = ''] = text.split(/[,;:]/u, 1);
  const own = clause.match(WORD_OF_NOUN) ?? [];
  const words = capitalAt(own) === -1 ? own : (text.match(WORD_OF_NOUN) ?? []);
  return words.slice(0, WORDS_OF_NOUN);
}

/** "The wheel …": a definite noun that nothing in the sentence says more of. `isKnown`: of a stem, whether it needs no introduction. */
export function hasBareDefinite(spoken: string, cues: NounCues, isKnown: (stem: string) => boolean): boolean {
  const article = cues.definite.exec(spoken);
  if (article === null) return false;
  const words = behindArticle(spoken.slice(article[0].length, article[0].length + 80));
  const complement = words.findIndex((word, index) => index > 0 && cues.complements.test(word));
  const end = nounEnd(complement === -1 ? words : words.slice(0, complement), cues);
  if (complement !== -1 && complement === end) return false;
  return !words
    .slice(0, end)
    .map((word) => word.toLowerCase())
    .some((word) => !cues.common.has(word) && isKnown(stemOf(word)));
}

/**
 * True when `spoken`, which another sentence of its paragraph comes before, begins with a definite noun ("The wheel …"), or has a
 * pronoun anywhere that may stand for what was said there.
 */
export const pointsBack = (
  spoken: string,
  cues: NounCues & Pick<LanguageReader, 'leaningEarly'>,
  isKnown: (stem: string) => boolean,
): boolean =>
  hasBareDefinite(spoken, cues, isKnown) ||
  (!cues.definite.test(spoken) && cues.leaningEarly.test(spoken) && !NAME.test(spoken));

/** How many definite nouns of a sentence are looked at. */
const MAX_DEFINITES = 8;

/**
 * True when `spoken`, with which a paragraph begins, has a bare definite noun anywhere ("he oiled the old lever") of which `isOld`
 * says that the paragraphs before it spoke of it. Only for languages that know where such a noun ends (`verbs`).
 */
export function pointsToEarlier(
  spoken: string,
  cues: NounCues & Pick<LanguageReader, 'article'>,
  isOld: (stem: string) => boolean,
): boolean {
  if (cues.verbs === undefined) return false;
  let count = 0;
  for (const { index, 0: article } of spoken.matchAll(cues.article)) {
    count += 1;
    if (count > MAX_DEFINITES) return false;
    const from = index + article.length;
    const words = behindArticle(spoken.slice(from, from + 80));
    const complement = words.findIndex((word, at) => at > 0 && cues.complements.test(word));
    const end = nounEnd(complement === -1 ? words : words.slice(0, complement), cues);
    if (complement !== -1 && complement === end) continue;
    const noun = words[end - 1]?.toLowerCase();
    if (noun !== undefined && !cues.common.has(noun) && isOld(stemOf(noun))) return true;
  }
  return false;
}
