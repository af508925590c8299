// SourceDocument → numbered sentences. Everything that can be heard gets a number; what should not be spoken by itself
// keeps its number and says why, so that numbers stay the same however the rules of fitness grow.

import type { Language } from '../speech/language.ts';
import { isApparatus } from './heading-name.ts';
import type { LanguageReader } from './language-reader.ts';
import { leansOnBefore } from './leaning.ts';
import type { SourceBlock, SourceDocument } from './source-document.ts';
import type { SentenceCutter, SourceSentence, Unfit } from './source-sentence.ts';
import { endsAsSentence, needsItsCitation, spokenForm, withFullStop } from './spoken-form.ts';
import { isBroken, isCapitals, isCode, isContents, lacksSubject } from './statement.ts';
import { wordCount } from './words.ts';

const MIN_WORDS = 4;
const MIN_WORDS_OF_ITEM = 2;
/** About 25 seconds of speech: longer is hard to follow, and a line must hold it. */
const MAX_WORDS = 70;
const MAX_SPOKEN_CHARACTERS = 700;
const MIN_LETTERS_SHARE = 0.6;
const ADDRESS = /\bhttps?:|\bwww\.|\S@\S+\.\w|\bdoi\b|\bISBN\b|©|\(c\)\s*\d{4}|all rights reserved/iu;
/** How papers name a source in their running text before they are set. */
const CITED_NAME = /(?<![\w@])@[a-z]\w/iu;
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

function unfitness(
  sentence: Pick<SourceSentence, 'kind' | 'text' | 'spoken' | 'words'> & { readonly isListed: boolean },
  reader: LanguageReader,
): Unfit | undefined {
  const { kind, text, spoken, words, isListed } = sentence;
  if (kind !== 'row' && (isContents(text) || isCapitals(text))) return 'apparatus';
  if (ADDRESS.test(text) || CITED_NAME.test(spoken) || reader.seenNumbered.test(spoken)) return 'reference';
  if (kind !== 'row' && isCode(text)) return 'code';
  // "The following are known:" is spoken with what follows, or not at all.
  if (!LEADS_IN.test(text) && (reader.seen.test(spoken) || needsItsCitation(text, reader.binding)))
    return 'reference';
  if (words < (kind === 'sentence' ? MIN_WORDS : MIN_WORDS_OF_ITEM)) return 'too-short';
  if (words > MAX_WORDS || spoken.length > MAX_SPOKEN_CHARACTERS) return 'too-long';
  if (LEADS_IN.test(text)) return 'lead-in';
  if (lettersShare(spoken) < (kind === 'row' ? 0.3 : MIN_LETTERS_SHARE)) return 'signs';
  if (kind === 'sentence' && (!endsAsSentence(spoken) || /^["'“„«]?\p{Ll}/u.test(spoken))) return 'fragment';
  if (kind !== 'row' && (isBroken(text) || lacksSubject(spoken, reader))) return 'fragment';
  // Nobody knows of what it is an item.
  if (kind === 'item' && !isListed && (!endsAsSentence(text) || /^\p{Ll}/u.test(spoken))) return 'fragment';
  return undefined;
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
  const sentences: SourceSentence[] = [];
  const seen = new Set<string>();
  let open: readonly OpenHeading[] = [];
  let path: readonly string[] = [];
  let apparatus = false;
  let announced = false;

  const add = (kind: SourceSentence['kind'], text: string, block: number, isFirst: boolean) => {
    const bare = spokenForm(text, reader.connective);
    const spoken = kind === 'sentence' ? bare : withFullStop(bare);
    const draft = { kind, text, spoken, words: wordCount(spoken) };
    const key = spoken.toLowerCase();
    const isListed = kind === 'item' && isFirst && announced && !endsAsSentence(text);
    const unfit = apparatus
      ? 'apparatus'
      : (unfitness({ ...draft, isListed }, reader) ?? (seen.has(key) ? 'repeated' : undefined));
    seen.add(key);
    const leans = isListed || (kind !== 'row' && leansOnBefore(spoken, reader));
    sentences.push({ ...draft, number: sentences.length, path, block, unfit, leans });
  };

  for (const [block, given] of document.blocks.entries()) {
    if (given.kind === 'row') {
      const text = rowText(given.cells);
      if (text !== '') add('row', text, block, true);
      announced = false;
      continue;
    }
    const text = collapsed(given.text);
    if (text === '') continue;
    if (given.kind === 'heading') {
      open = under(open, { level: given.level, text });
      path = open.map((heading) => heading.text);
      apparatus = path.some(isApparatus);
      announced = false;
      continue;
    }
    const parts = cut(text, language)
      .map(collapsed)
      .filter((part) => part !== '');
    for (const [index, part] of parts.entries())
      add(given.kind === 'item' ? 'item' : 'sentence', part, block, index === 0);
    if (given.kind === 'paragraph') announced = LEADS_IN.test(text);
  }
  return sentences;
}
