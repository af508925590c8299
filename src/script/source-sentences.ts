// SourceDocument → numbered sentences. Everything that can be heard gets a number; what should not be spoken by itself
// keeps its number and says why, so that numbers stay the same however the rules of fitness grow.

import type { Language } from '../speech/language.ts';
import { withReach } from './announcing.ts';
import { isApparatus } from './heading-name.ts';
import type { LanguageReader } from './language-reader.ts';
import { hasBareDefinite, leansOnBefore, pointsBack, pointsToEarlier } from './leaning.ts';
import type { SourceBlock, SourceDocument } from './source-document.ts';
import type { SentenceCutter, SourceSentence, Unfit } from './source-sentence.ts';
import { endsAsSentence, needsItsCitation, spokenForm, withFullStop } from './spoken-form.ts';
import {
  asks,
  hasCodeWords,
  isBroken,
  isCapitals,
  isCode,
  isContents,
  isVerse,
  lacksSubject,
  openQuotes,
} from './statement.ts';
import { stemOf, wordCount, wordsOf } from './words.ts';

const MIN_WORDS = 4;
/** Of a list that was announced; any other is a sentence or nothing. */
const MIN_WORDS_OF_ITEM = 2;
const MIN_WORDS_OF_FREE_ITEM = 6;
/** A paragraph of fewer words among long ones is a label, a caption or a note at the side. */
const MIN_WORDS_OF_PARAGRAPH = 6;
const WORDS_OF_LONG_PARAGRAPHS = 25;
/** A sentence of fewer words in the middle of a paragraph leans on what was said. */
const MIN_WORDS_ALONE = 6;
/** Within so many sentences "this paper" is said of the paper as a whole. */
const SENTENCES_OF_BEGINNING = 40;
/** About 25 seconds of speech: longer is hard to follow, and a line must hold it. */
const MAX_WORDS = 70;
const MAX_SPOKEN_CHARACTERS = 700;
/** As it is written, with its asides: what is longer is looked at no further. */
const MAX_WRITTEN_CHARACTERS = 2_000;
const MIN_LETTERS_SHARE = 0.6;
const ADDRESS =
  /\bhttps?:|\bwww\.|\S@[^\s@]{1,200}\.\w|\bdoi\b|\bISBN\b|©|\(c\)\s*\d{4}|all rights reserved/iu;
/** How papers name a source in their running text before they are set. */
const CITED_NAME = /(?<![\w@])@[a-z]\w/iu;
const NEVER = /(?!)/u;
const LEADS_IN = /[:：]["'”’»]*$/u;

const collapsed = (text: string): string => text.replace(/[\s\u200B\uFEFF]+/gu, ' ').trim();

/** "Region: North, Revenue: 12." Cells without a value are not there. */
function rowText(cells: Extract<SourceBlock, { kind: 'row' }>['cells']): string {
  const said = cells
    .map(({ name, value }) => ({ name: collapsed(name).replace(/[:：]$/u, ''), value: collapsed(value) }))
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => (name === '' ? value : `${name}: ${value}`));
  return said.length === 0 ? '' : withFullStop(said.join(', '));
}

const lettersShare = (text: string): number => {
  const signs = text.replace(/\s/gu, '');
  return (signs.match(/[\p{L}\p{M}]/gu)?.length ?? 0) / Math.max(1, signs.length);
};

type Draft = Pick<SourceSentence, 'kind' | 'text' | 'spoken' | 'words'> & {
  /** An item of a list that was announced. */
  readonly isListed: boolean;
  /** All of its paragraph, in a text of longer ones. */
  readonly isLabel: boolean;
  /** It says what the whole text is about. */
  readonly isAboutAll: boolean;
  /** It begins with a name from the title, which may be in lower case ("ssh is …"). */
  readonly isNamed: boolean;
};

function unfitness(sentence: Draft, reader: LanguageReader): Unfit | undefined {
  const { kind, text, spoken, words, isListed } = sentence;
  if (kind !== 'row' && (isContents(text) || isCapitals(text))) return 'apparatus';
  if (ADDRESS.test(text) || CITED_NAME.test(spoken) || reader.seenNumbered.test(spoken)) return 'reference';
  if (kind !== 'row' && isCode(text)) return 'code';
  // "The following are known:" is spoken with what follows, or not at all.
  const isSeen = reader.seen.test(sentence.isAboutAll ? spoken.replace(reader.aboutItself, '') : spoken);
  if (!LEADS_IN.test(text) && (isSeen || needsItsCitation(text, reader.binding))) return 'reference';
  const fewest =
    kind === 'sentence' ? MIN_WORDS : isListed || kind === 'row' ? MIN_WORDS_OF_ITEM : MIN_WORDS_OF_FREE_ITEM;
  if (words < fewest || (sentence.isLabel && words < MIN_WORDS_OF_PARAGRAPH)) return 'too-short';
  if (words > MAX_WORDS || spoken.length > MAX_SPOKEN_CHARACTERS) return 'too-long';
  if (LEADS_IN.test(text)) return 'lead-in';
  if (lettersShare(spoken) < (kind === 'row' ? 0.3 : MIN_LETTERS_SHARE)) return 'signs';
  if (
    kind === 'sentence' &&
    (!endsAsSentence(spoken) || (/^["'“„«]?\p{Ll}/u.test(spoken) && !sentence.isNamed))
  )
    return 'fragment';
  // "Near the old mill." places or sorts something, and states nothing.
  if (kind === 'sentence' && words < MIN_WORDS_ALONE && reader.complements.test(spoken)) return 'fragment';
  if (kind !== 'row' && (isBroken(text) || lacksSubject(spoken, reader) || isVerse(text, reader)))
    return 'fragment';
  // Nobody knows of what it is an item.
  if (kind === 'item' && !isListed && (!endsAsSentence(text) || /^\p{Ll}/u.test(spoken))) return 'fragment';
  return undefined;
}

const MAX_WORDS_OF_TERM = 6;

/** "Mill stone", and not "-m, --mill=STONE". */
const isSayable = (term: string): boolean =>
  /\p{Ll}{2}|\p{Lo}/u.test(term) &&
  !/[;{}()=%@]/u.test(term) &&
  !hasCodeWords(term) &&
  wordCount(term) <= MAX_WORDS_OF_TERM;

/** A word in so many of the blocks is what the text is about. */
const MIN_SHARE_OF_SUBJECT = 0.08;
const MIN_BLOCKS_OF_SUBJECT = 4;

/** Which words need no introduction: those of the title, and those that the whole text is about. */
function knownWordsOf({ title, blocks }: SourceDocument): (stem: string) => boolean {
  const counts = new Map<string, number>();
  for (const block of blocks)
    if (block.kind !== 'row')
      for (const stem of new Set(wordsOf(block.text).map(stemOf)))
        counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const least = Math.max(MIN_BLOCKS_OF_SUBJECT, blocks.length * MIN_SHARE_OF_SUBJECT);
  const titled = new Set(wordsOf(title ?? '').map(stemOf));
  return (stem) => titled.has(stem) || (counts.get(stem) ?? 0) >= least;
}

/** Where a sentence stands in its block. */
type Place = { readonly isFirst: boolean; readonly isOnly: boolean };

/** False for a text that is set as one quotation from end to end. */
const isMostlyPlain = ({ blocks }: SourceDocument): boolean => {
  const paragraphs = blocks.filter((block) => block.kind === 'paragraph');
  return paragraphs.filter(({ isQuoted }) => isQuoted === true).length <= paragraphs.length / 2;
};

/** Whether a paragraph in the middle, by length, is long. */
function hasLongParagraphsIn({ blocks }: SourceDocument): boolean {
  const lengths = blocks.flatMap((block) => (block.kind === 'paragraph' ? [wordCount(block.text)] : []));
  const middle = lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)];
  return middle !== undefined && middle >= WORDS_OF_LONG_PARAGRAPHS;
}

/** The path with `heading` in it, in place of all headings of its level and below. */
type OpenHeading = { readonly level: number; readonly text: string };
const under = (open: readonly OpenHeading[], heading: OpenHeading): OpenHeading[] => [
  ...open.filter(({ level }) => level < heading.level),
  heading,
];

/** Linear in the text. `language` is that of the text, if it is known. */
export function toSourceSentences(
  document: SourceDocument,
  cut: SentenceCutter,
  language: Language | undefined,
  reader: LanguageReader,
): SourceSentence[] {
  const sentences: Omit<SourceSentence, 'until'>[] = [];
  const seen = new Set<string>();
  let open: readonly OpenHeading[] = [];
  let path: readonly string[] = [];
  let apparatus = false;
  let announced = false;
  let term: string | undefined;
  let isQuoted = false;
  /** Stems of the headings above. */
  let headed: ReadonlySet<string> = new Set();
  /** Stems of all that was said under the heading, up to here. */
  const spokenOf = new Set<string>();
  /** Of the block, up to here. */
  let quotes = 0;
  const titled = new Set(document.title?.match(/\p{L}[\p{L}\p{N}-]*/gu) ?? []);
  const hasQuotes = isMostlyPlain(document);
  const isKnown = knownWordsOf(document);
  const hasLongParagraphs = hasLongParagraphsIn(document);
  /** The first sentence of a text may speak of "her" before she has been named; one that begins with "it" lacks its beginning. */
  let hasBegun = false;

  const add = (kind: SourceSentence['kind'], text: string, block: number, place: Place) => {
    const isLong = text.length > MAX_WRITTEN_CHARACTERS;
    // Within a paragraph a connective is heard behind what it goes on from; a turn is heard everywhere.
    const isBound = !place.isFirst || reader.turns.test(text);
    const bare = isLong ? text : spokenForm(text, isBound ? NEVER : reader.connective);
    const spoken = kind === 'sentence' || isLong ? bare : withFullStop(bare);
    const draft = { kind, text, spoken, words: wordCount(spoken) };
    const key = spoken.toLowerCase();
    const isAnnounced = kind === 'item' && place.isFirst && announced;
    const isListed = isAnnounced && !endsAsSentence(text);
    const isAboutAll =
      !isLong && sentences.length < SENTENCES_OF_BEGINNING && reader.aboutItself.test(spoken);
    const isLabel = hasLongParagraphs && kind === 'sentence' && place.isOnly;
    const unfit = apparatus
      ? 'apparatus'
      : isLong
        ? 'too-long'
        : term !== undefined && !isSayable(term)
          ? 'note'
          : isQuoted
            ? 'quoted'
            : (unfitness(
                { ...draft, isListed, isLabel, isAboutAll, isNamed: titled.has(spoken.split(/\s/u, 1)[0]!) },
                reader,
              ) ?? (seen.has(key) ? 'repeated' : undefined));
    seen.add(key);
    const before = sentences.at(-1);
    const answers =
      !isLong && kind !== 'row' && before !== undefined && before.path === path && asks(before.text);
    const isWithinQuotes = !place.isFirst && quotes > 0;
    quotes = (place.isFirst ? 0 : quotes) + openQuotes(text);
    const isNamed = (stem: string) => isKnown(stem) || headed.has(stem);
    if (before?.path !== path) spokenOf.clear();
    const isOld = (stem: string) => spokenOf.has(stem) && !isNamed(stem);
    const needsBefore = () =>
      isWithinQuotes ||
      isAnnounced ||
      answers ||
      (!place.isFirst && term !== undefined) ||
      // "No lamps are shared.": so few words behind another sentence go on with it.
      (!place.isFirst && kind === 'sentence' && draft.words < MIN_WORDS_ALONE) ||
      (kind !== 'row' && !isAboutAll && leansOnBefore(spoken, reader)) ||
      (kind === 'sentence' &&
        place.isFirst &&
        !isAboutAll &&
        before?.path === path &&
        pointsToEarlier(spoken, reader, isOld)) ||
      // Within a paragraph a definite noun is mostly one that was just spoken of.
      (!place.isFirst && kind === 'sentence' && !isAboutAll && pointsBack(spoken, reader, isNamed)) ||
      // And so it may be at the beginning of one, if that is not the first under its heading.
      (place.isFirst &&
        kind === 'sentence' &&
        before?.path === path &&
        hasBareDefinite(spoken, reader, isNamed));
    const leans = isLong || (needsBefore() && (hasBegun || reader.leaning.test(spoken)));
    hasBegun ||= unfit !== 'apparatus';
    const explains = term !== undefined;
    if (!isLong) for (const word of wordsOf(text)) spokenOf.add(stemOf(word));
    sentences.push({ ...draft, number: sentences.length, explains, path, block, unfit, leans });
  };

  for (const [block, given] of document.blocks.entries()) {
    if (given.kind === 'row') {
      const text = rowText(given.cells);
      term = undefined;
      isQuoted = false;
      if (text !== '') add('row', text, block, { isFirst: true, isOnly: true });
      announced = false;
      continue;
    }
    const text = collapsed(given.text);
    if (text === '') continue;
    if (given.kind === 'heading') {
      open = under(open, { level: given.level, text });
      path = open.map((heading) => heading.text);
      headed = new Set(path.flatMap(wordsOf).map(stemOf));
      apparatus = path.some(isApparatus);
      announced = false;
      continue;
    }
    const behind = document.blocks[block + 1];
    // It is said with its explanation.
    if (given.kind === 'item' && behind?.kind === 'item' && behind.under === given.text) continue;
    const parts = cut(text, language)
      .map(collapsed)
      .filter((part) => part !== '');
    isQuoted = hasQuotes && given.kind === 'paragraph' && given.isQuoted === true;
    const before = term;
    term = given.kind === 'item' ? given.under : undefined;
    const goesOn = term !== undefined && term === before;
    for (const [index, part] of parts.entries()) {
      const isFirst = index === 0 && !goesOn;
      const said = isFirst && term !== undefined ? `${term}: ${part}` : part;
      add(given.kind === 'item' ? 'item' : 'sentence', said, block, { isFirst, isOnly: parts.length === 1 });
    }
    if (given.kind === 'paragraph') announced = LEADS_IN.test(text);
  }
  return withReach(sentences, reader);
}
