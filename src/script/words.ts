// The words of a text for counting, comparing and ranking. Scripts without spaces give pairs of neighbouring characters
// instead of dictionary words: that ranks as well, needs no dictionary and takes a fraction of the time.

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’.,\-‑][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu;
const UNSPACED_RUN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々\p{sc=Thai}]+/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々\p{sc=Thai}]/u;
/** Words have about two ideographs or kana (as the segmenter counts them), or about three Thai letters. */
const WORDS_PER_CHARACTER = 0.5;
const WORDS_PER_THAI_CHARACTER = 0.375;
/** Longer words are cut to their beginning, so that most inflected forms of a word meet. */
const STEM_LENGTH = 6;

/** Of a word in lower case. */
export const stemOf = (word: string): string => word.slice(0, STEM_LENGTH);

export const isUnspaced = (text: string): boolean => UNSPACED.test(text);

/** Lower case, as they stand. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** How many words it takes to say `text`, in words of a language with spaces. */
export function wordCount(text: string): number {
  if (!isUnspaced(text)) return text.match(WORD)?.length ?? 0;
  const unspaced = (text.match(UNSPACED_RUN) ?? []).join('');
  const thai = unspaced.match(/\p{sc=Thai}/gu)?.length ?? 0;
  const others = unspaced.length - thai;
  const spaced = text.replace(UNSPACED_RUN, ' ').match(WORD)?.length ?? 0;
  return spaced + thai * WORDS_PER_THAI_CHARACTER + others * WORDS_PER_CHARACTER;
}

/** What sentences are compared by: beginnings of words, or pairs of characters; numbers say little and are left out. */
export function comparedTerms(text: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text)) {
    if (isUnspaced(word)) {
      const characters = word.replace(/[.,\-‑'’]/gu, '');
      for (let at = 0; at + 1 < characters.length; at += 1) terms.push(characters.slice(at, at + 2));
    } else if (word.length > 2 && !/^\p{N}/u.test(word)) terms.push(stemOf(word));
  }
  return terms;
}
