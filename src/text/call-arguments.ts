// How far the arguments of a tool call have been read. Some formats mark only where a call begins, and some models forget its
// end: such a call is over when the brackets of its arguments are closed and something else follows.

import { isSpace } from './character-class.ts';

/**
 * `name`: before the arguments, `value`: in them, `behind`: they are closed. `other`: what is called is not written as a name
 * and brackets, so only a mark ends it.
 */
export type CallArguments = {
  phase: 'name' | 'value' | 'behind' | 'other';
  /** Of the name. */
  words: number;
  depth: number;
  /** The quotation mark of an open string. */
  quote: string;
  last: string;
};

export const noArguments = (phase: 'name' | 'other'): CallArguments => ({
  phase,
  words: 0,
  depth: 0,
  quote: '',
  last: ' ',
});

function readValue(call: CallArguments, char: string, last: string): void {
  const { quote } = call;
  if (quote !== '') {
    if (last === '\\') call.last = '';
    else if (char === quote) call.quote = '';
    return;
  }
  // An apostrophe stands in a word.
  if (char === '"' || (char === "'" && !/[\p{L}\p{N}]/u.test(last))) call.quote = char;
  else if ('{[('.includes(char)) call.depth += 1;
  else if ('}])'.includes(char)) {
    call.depth -= 1;
    if (call.depth === 0) call.phase = 'behind';
  }
}

/** Reads one character of a call; false: the call was over before it. */
export function readArgument(call: CallArguments, char: string): boolean {
  const { phase, last } = call;
  call.last = char;
  if (phase === 'other' || isSpace(char)) return true;
  if (phase === 'value') {
    readValue(call, char, last);
    return true;
  }
  if (phase === 'name' ? '{[('.includes(char) : char === '{') {
    [call.phase, call.depth, call.quote] = ['value', 1, ''];
    return true;
  }
  if (phase === 'behind') return /[,;}\]]/.test(char);
  if (isSpace(last)) call.words += 1;
  if (call.words > 1 || !/[\w.:/-]/.test(char)) call.phase = 'other';
  return true;
}
