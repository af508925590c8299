// Words with their times → characters with theirs, as the messages of one context carry them. Every word goes whole, with
// a space behind it, in the message in which it begins: clients that put words together from characters then have one.

export type Alignment = {
  readonly chars: readonly string[];
  readonly charStartTimesMs: readonly number[];
  readonly charDurationsMs: readonly number[];
};

/**
 * `absolute`: times of the context. `relative`: each aligned message speaks of the audio since the one before it, itself
 * included, and its last character ends with it, so that a client which adds up those ends is where the audio is.
 */
export type AlignmentClock = 'absolute' | 'relative' | 'off';

/** Times in ms of the context's own audio. */
export type AlignedWord = { readonly text: string; readonly startMs: number; readonly endMs: number };

export type Aligner = {
  add(word: AlignedWord): void;
  /** The words that begin before `endMs`, where the audio of the message ends. */
  take(endMs: number): Alignment | undefined;
  /** The words that begin before `untilMs`, of a message whose audio is not known to end anywhere; infinite: all. */
  takeLoose(untilMs: number): Alignment | undefined;
};

/** Scripts that set no space between words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\P{L}*$/u;

export function createAligner(clock: AlignmentClock): Aligner {
  let words: AlignedWord[] = [];
  /** Where the last aligned message ended: what relative times count from. */
  let originMs = 0;

  const pick = (untilMs: number): readonly AlignedWord[] => {
    const kept = words.findIndex((word) => word.startMs >= untilMs);
    const picked = kept < 0 ? words : words.slice(0, kept);
    words = kept < 0 ? [] : words.slice(kept);
    return picked;
  };
  const align = (picked: readonly AlignedWord[], endMs: number | undefined): Alignment | undefined => {
    if (picked.length === 0) return undefined;
    if (clock === 'absolute')
      return toCharacters(
        picked.map((word) => spell(word, hasSpaceBehind(word))),
        0,
      );
    const untilMs = Math.round(endMs ?? picked.at(-1)!.endMs);
    const relative = toCharacters(fitWords(picked, originMs, untilMs), originMs);
    originMs = Math.max(originMs, untilMs);
    return relative;
  };

  return {
    add(word) {
      if (clock !== 'off') words.push(word);
    },
    take: (endMs) => align(pick(endMs), endMs),
    takeLoose: (untilMs) => align(pick(untilMs), undefined),
  };
}

/** LiveKit puts the characters together as they are; where words stand without spaces, so must they. */
const hasSpaceBehind = (word: AlignedWord): ' ' | '' => (UNSPACED.test(word.text) ? '' : ' ');

type Spelt = {
  readonly characters: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  readonly spaceUntilMs: number | undefined;
};

const spell = (word: AlignedWord, space: ' ' | ''): Spelt => {
  const startMs = Math.round(word.startMs);
  const endMs = Math.max(startMs, Math.round(word.endMs));
  return { characters: [...word.text], startMs, endMs, spaceUntilMs: space === '' ? undefined : endMs };
};

/** Words between `fromMs` and `untilMs` without a hole behind them: the space lasts until the next one begins. */
function fitWords(words: readonly AlignedWord[], fromMs: number, untilMs: number): Spelt[] {
  const within = (ms: number) => Math.min(Math.max(Math.round(ms), fromMs), Math.max(fromMs, untilMs));
  return words.map((word, index) => {
    const next = words[index + 1];
    const spaceUntilMs = next === undefined ? within(untilMs) : within(next.startMs);
    const startMs = within(word.startMs);
    const endMs = Math.max(startMs, Math.min(within(word.endMs), spaceUntilMs));
    return { characters: [...word.text], startMs, endMs, spaceUntilMs };
  });
}

function toCharacters(words: readonly Spelt[], originMs: number): Alignment {
  const chars: string[] = [];
  const charStartTimesMs: number[] = [];
  const charDurationsMs: number[] = [];
  const add = (character: string, startMs: number, endMs: number) => {
    chars.push(character);
    charStartTimesMs.push(startMs - originMs);
    charDurationsMs.push(endMs - startMs);
  };
  for (const { characters, startMs, endMs, spaceUntilMs } of words) {
    const at = (index: number) => Math.round(startMs + ((endMs - startMs) * index) / characters.length);
    for (const [index, character] of characters.entries()) add(character, at(index), at(index + 1));
    if (spaceUntilMs !== undefined) add(' ', endMs, spaceUntilMs);
  }
  return { chars, charStartTimesMs, charDurationsMs };
}
