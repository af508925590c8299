// Where a clause ends: the place after a comma, semicolon, colon or dash at which a speaker may breathe.

import { isCloser, isDigit, isLineBreak, isSpace } from '../character-class.ts';
import { characterBefore } from '../code-points.ts';
import { type Ending, skipBlanks, skipWhile } from './skip.ts';

/** These count only before white space: 1,000 and 12:30 hold none. The raised dots are the Greek semicolon. */
const SPACED = ',;:،؛፣፤፥·\u0387';
/** These are full-width and carry their own space. */
const WIDE = '、，；：､';
/** The last one is the hyphen: alone and between spaces it is a dash. */
const DASHES = '—―–-';
const MAX_MARKS = 16;

export const isClauseMark = (char: string): boolean =>
  SPACED.includes(char) || WIDE.includes(char) || DASHES.includes(char);

export const isDash = (char: string): boolean => DASHES.includes(char);

/** The end of the clause whose mark stands at `at`, closers and white space included; undefined: not a clause. */
export function judgeClauseMark(text: string, at: number, ending: Ending): number | 'wait' | undefined {
  const mark = text[at]!;
  const dash = isDash(mark);
  const marksEnd = dash ? skipWhile(text, at, MAX_MARKS, (char) => DASHES.includes(char)) : at + 1;
  const closersEnd = skipWhile(text, marksEnd, MAX_MARKS, isCloser);
  if (closersEnd - at >= MAX_MARKS) return undefined;
  const { end, after } = skipBlanks(text, closersEnd);
  const over = after === '' && end === text.length;
  if (over && ending === 'open') return 'wait';
  if (isLineBreak(after)) return undefined;
  const afterNumber = end === closersEnd && isDigit(characterBefore(text, at));
  if (WIDE.includes(mark)) return afterNumber && isDigit(after) ? undefined : end;
  const spaced = end > closersEnd || over;
  if (!dash) return spaced && !afterNumber ? end : undefined;
  const long = mark === '—' || mark === '―' || marksEnd - at > 1;
  if (long) return end;
  return spaced && isSpace(characterBefore(text, at)) ? end : undefined;
}
