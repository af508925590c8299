// Counting and keeping whole the code points of text that arrives in any split. JavaScript strings count
// UTF-16 units, callers are told code points, and a token stream may even part the two halves of a pair. A half whose other
// half never comes counts as one, and leaves this program as U+FFFD.

export const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
export const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** Most texts have no pair, which the engine sees many times faster than a loop does. */
const ANY_HIGH = /[\ud800-\udbff]/;

/** Code points of `text`; a lone half of a surrogate pair counts as one. */
export function codePointLength(text: string): number {
  if (!ANY_HIGH.test(text)) return text.length;
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

/** The code point at `at` as a string, '' past the end. */
export function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

/** The code point that ends before `at`, '' at the start. */
export function characterBefore(text: string, at: number): string {
  if (at <= 0) return '';
  const pair = at > 1 && isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2));
  return text.slice(at - (pair ? 2 : 1), at);
}

const ANY_SURROGATE = /[\ud800-\udfff]/;
/** Halves without the other. */
const LONE = /\p{Cs}/gu;
/** What stands for a character that is none (Unicode 23.8). */
const REPLACEMENT = '\ufffd';

/** `text` with U+FFFD in the place of each lone half of a pair, which has no form in UTF-8. Places in it stay. */
export const wellFormed = (text: string): string =>
  ANY_SURROGATE.test(text) ? text.replace(LONE, REPLACEMENT) : text;

export type CodePointReader = {
  /** Hands on `text` but for a high surrogate at its end, which waits for its other half. */
  push(text: string): void;
  /** No more text: a half that still waits is handed on alone. */
  flush(): void;
  /** True when `text` would first complete a pair that the text before it began. */
  completes(text: string): boolean;
  /** Code points received, a waiting half included. */
  received(): number;
  heldCharacters(): number;
};

export function createCodePointReader(emit: (text: string, start: number) => void): CodePointReader {
  let half = '';
  let start = 0;

  function handOn(text: string) {
    if (text === '') return;
    const from = start;
    start += codePointLength(text);
    emit(text, from);
  }

  return {
    push(text) {
      if (text === '') return;
      const all = half + text;
      const cut = isHigh(all.charCodeAt(all.length - 1)) ? all.length - 1 : all.length;
      half = all.slice(cut);
      handOn(all.slice(0, cut));
    },
    flush() {
      const last = half;
      half = '';
      handOn(last);
    },
    completes: (text) => half !== '' && isLow(text.charCodeAt(0)),
    received: () => start + half.length,
    heldCharacters: () => half.length,
  };
}
