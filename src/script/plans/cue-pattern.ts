// A list of cue words as one pattern.

import { isUnspaced } from '../words.ts';

const NEVER = /(?!)/u;

/** The words of a list of the phrase tables. */
export const listed = (list: string): string[] =>
  list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Between the words of a cue there may be a comma ("the wheel, then, is"). */
const sourceOf = (word: string): string => escaped(word).replaceAll("'", "['’]").replaceAll(' ', ',?\\s+');

const NO_LETTER_BEFORE = '(?<![\\p{L}\\p{M}\\p{N}])';
const NO_LETTER_BEHIND = '(?![\\p{L}\\p{M}\\p{N}])';

/** "such (as|that)": no cue where one of the words in parentheses follows. */
const EXCEPTED = /^(.+?)\s*\(([^()]+)\)$/;

function withException(cue: string): { readonly cue: string; readonly unless: string } {
  const match = EXCEPTED.exec(cue);
  if (match === null) return { cue, unless: '' };
  const words = match[2]!.split('|').map((word) => word.trim());
  const behind = isUnspaced(words[0]!) ? '' : NO_LETTER_BEHIND;
  const gap = isUnspaced(words[0]!) ? '\\s*' : '\\s+';
  return { cue: match[1]!, unless: `(?!${gap}(?:${words.map(sourceOf).join('|')})${behind})` };
}

/**
 * The cues of one kind of ends behind one condition each: a condition for every cue would take a hundred times as long
 * to compile.
 */
function alternatives(cues: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const given of cues) {
    const { cue, unless } = withException(given);
    const word = cue.replace(/^\*|\*$/g, '');
    const anySide = isUnspaced(word);
    const before = anySide || cue.startsWith('*') ? '' : NO_LETTER_BEFORE;
    const behind = anySide || cue.endsWith('*') ? '' : NO_LETTER_BEHIND;
    const key = `${before}(?:\n)${behind}`;
    groups.set(key, [...(groups.get(key) ?? []), sourceOf(word) + unless]);
  }
  return [...groups].map(([key, words]) => key.replace('\n', () => words.join('|'))).join('|');
}

/** Any of the words, whatever the case; nothing when the list is empty. `end`: nothing but punctuation comes behind. */
export function cuePattern(
  list: string,
  place: 'anywhere' | 'start' | 'end' | 'before-number' = 'anywhere',
): RegExp {
  const words = listed(list).sort((a, b) => b.length - a.length);
  if (words.length === 0) return NEVER;
  const any = `(?:${alternatives(words)})`;
  switch (place) {
    case 'start':
      return new RegExp(`^["'“„«»‘‚¿¡「『]?${any}`, 'iu');
    case 'end':
      return new RegExp(`${any}[\\s\\p{P}]{0,8}$`, 'iu');
    case 'before-number':
      return new RegExp(`${any}\\.?\\s*\\p{N}`, 'iu');
    case 'anywhere':
      return new RegExp(any, 'iu');
  }
}
