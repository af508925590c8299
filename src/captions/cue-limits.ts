// How much a cue may show, and for how long: what broadcasters and their subtitlers keep to, by script. Every character of a
// line counts as one, spaces and signs too.

export type CueScript = 'spaced' | 'chinese' | 'korean' | 'japanese';

export type CueLimits = {
  /** Characters of a line; a cue has at most two lines. */
  readonly lineChars: number;
  /** Characters that can be read in a second; undefined: no rule. */
  readonly charsPerSecond: number | undefined;
};

export const CUE_LIMITS: Readonly<Record<CueScript, CueLimits>> = {
  spaced: { lineChars: 42, charsPerSecond: 20 },
  chinese: { lineChars: 16, charsPerSecond: 9 },
  korean: { lineChars: 16, charsPerSecond: 12 },
  japanese: { lineChars: 13, charsPerSecond: undefined },
};
const MIN_CUE_MS = 1000;
export const MAX_CUE_MS = 7000;

const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/gu;
const HANGUL = /\p{sc=Hangul}/gu;
const HAN = /\p{sc=Han}/gu;
const LETTER = /\p{L}/gu;
/** A few words of another script do not change what a text is written in: one of these is worth two or three letters. */
const MIN_EAST_ASIAN_PART = 0.25;

const count = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;

/** What a text is written in; a text in several scripts has the limits of the narrowest that is more than a quotation. */
export function cueScriptOf(text: string): CueScript {
  const kana = count(text, KANA);
  const hangul = count(text, HANGUL);
  const han = count(text, HAN);
  const eastAsian = kana + hangul + han;
  if (eastAsian === 0 || eastAsian < MIN_EAST_ASIAN_PART * count(text, LETTER)) return 'spaced';
  if (hangul > kana && hangul > han) return 'korean';
  return kana > 0 && kana * 10 >= han ? 'japanese' : 'chinese';
}

/** How long `chars` characters take to read, at least `MIN_CUE_MS`. */
export function readingMs(chars: number, script: CueScript): number {
  const { charsPerSecond } = CUE_LIMITS[script];
  const ms = charsPerSecond === undefined ? 0 : Math.ceil((chars * 1000) / charsPerSecond);
  return Math.max(MIN_CUE_MS, ms);
}
