// Marks that combine, no more than text has. Putting them in order (Unicode normalization) takes time by the square of how
// many follow each other: two million in one place took hours. Unicode's Stream-Safe Text Format (UAX 15, section 13) has
// at most 30 of them; more than that do not form a readable letter.

const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

/** `text` in normal form C, without marks beyond the thirtieth of a letter. */
export const normalized = (text: string): string => text.replace(TOO_MANY_MARKS, '$1').normalize('NFC');
