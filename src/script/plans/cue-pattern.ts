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

const sourceOf = (word: string): string => escaped(word).replaceAll("'", "['’]").replaceAll(' ', '\\s+');

/**
 * The cues of one kind of ends behind one condition each: a condition for every cue would take a hundred times as long
 * to compile.
 */
function alternatives(cues: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const cue of cues) {
    const word = cue.replace(/^\*|\*$/g, '');
    const anySide = isUnspaced(word);
    const before = anySide || cue.startsWith('*') ? '' : '(?<![\\p{L}\\p{M}\\p{N}])';
    const behind = anySide || cue.endsWith('*') ? '' : '(?![\\p{L}\\p{M}\\p{N}])';
    const key = `${before}(?:\n)${behind}`;
    groups.set(key, [...(groups.get(key) ?? []), sourceOf(word)]);
  }
  return [...groups].map(([key, words]) => key.replace('\n', () => words.join('|'))).join('|');
}

/** Any of the words, whatever the case; nothing when the list is empty. */
export function cuePattern(list: string, place: 'anywhere' | 'start' | 'before-number' = 'anywhere'): RegExp {
  const words = listed(list).sort((a, b) => b.length - a.length);
  if (words.length === 0) return NEVER;
  const any = `(?:${alternatives(words)})`;
  if (place === 'start') return new RegExp(`^["'“„«»‘‚¿¡]?${any}`, 'iu');
  return new RegExp(place === 'before-number' ? `${any}\\.?\\s*\\p{N}` : any, 'iu');
}
