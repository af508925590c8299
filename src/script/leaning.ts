// Whether a sentence leans on the one before it: by a pronoun, a demonstrative, a connective or a word such as "instead".
// Without what it leans on it states something that the source does not. The words are data of each language
// (languages/phrases/); where a language has no table, no sentence is known to lean.
//
// It is decided in favour of leaning: a sentence that is taken to lean although it does not is left out or comes with
// its neighbour, which is true either way.

import type { LanguageReader } from './language-reader.ts';
import { isUnspaced, stemOf, wordsOf } from './words.ts';

type LeaningCues = Pick<
  LanguageReader,
  'leaning' | 'leaningWithin' | 'leaningEarly' | 'leaningUnnamed' | 'leaningAtEnd' | 'articles' | 'binding'
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
  hasEarlyPronoun(spoken, cues) ||
  hasUnnamedPerson(spoken, cues);

/** Words of a noun with its adjectives, behind the article. */
const WORDS_OF_NOUN = 3;
/** And up to a word that says more of it ("the gate of the mill"). */
const WORDS_TO_COMPLEMENT = 4;

/** "The wheel …": a definite noun that nothing in the sentence says more of. `isKnown`: of a stem, whether it needs no introduction. */
export function hasBareDefinite(
  spoken: string,
  { definite, binding }: Pick<LanguageReader, 'definite' | 'binding'>,
  isKnown: (stem: string) => boolean,
): boolean {
  const article = definite.exec(spoken);
  if (article === null) return false;
  const words = wordsOf(spoken.slice(article[0].length, article[0].length + 80));
  const noun = words.slice(0, WORDS_OF_NOUN);
  return (
    !noun.map(stemOf).some(isKnown) &&
    !words.slice(1, WORDS_TO_COMPLEMENT).some((word) => binding.test(word) && !VERBS.has(word))
  );
}

/** Among the words that bind are forms of "to be", which say nothing more of the noun. */
const VERBS = new Set(['is', 'are', 'was', 'were']);

/**
 * True when `spoken`, which another sentence of its paragraph comes before, begins with a definite noun ("The wheel …"), or has a
 * pronoun anywhere that may stand for what was said there.
 */
export const pointsBack = (
  spoken: string,
  cues: Pick<LanguageReader, 'definite' | 'binding' | 'leaningEarly'>,
  isKnown: (stem: string) => boolean,
): boolean =>
  hasBareDefinite(spoken, cues, isKnown) ||
  (!cues.definite.test(spoken) && cues.leaningEarly.test(spoken) && !NAME.test(spoken));
