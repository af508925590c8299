// Timed words as caption cues, as broadcasters make them: one or two lines that are read at a glance, long enough on the screen,
// broken where the sense does. The rules are in `cue-limits.ts`, the best way of cutting in `cue-plan.ts`. The text
// is never shortened: where the speech itself is faster than the rules, cues follow the speech. Every caption format
// is written from these, so that all of them show the same.

import type { Language } from '../speech/language.ts';
import { type PlannedCue, planCues } from './cue-plan.ts';
import { type CueToken, cueTokens, onOneLine, QuotedLines } from './cue-tokens.ts';
import type { TimedWord } from './word-timeline.ts';

type Speaker = 1 | 2 | undefined;

export type CueOptions = {
  /** The text of each line, as `TimedWord.line` counts them; cues quote it, with its punctuation. */
  readonly lines: readonly string[];
  /** Names of the speakers, to be shown; undefined: none. */
  readonly nameOf: (speaker: Speaker) => string | undefined;
  /** Of the text, for its abbreviations and its numbers; default: English, as for speech. */
  readonly language?: Language | undefined;
  /** Where the sound ends, ms: no cue stands longer; default: not known. */
  readonly endMs?: number | undefined;
};

/** What one speaker says in a cue. */
export type CuePart = {
  readonly name: string | undefined;
  /** Another speaker was the last: formats that show no voices write the name, or a dash, before the text. */
  readonly isNew: boolean;
  readonly hasDash: boolean;
  /** One or two, not escaped; the first is empty where a name leaves no room beside it. */
  readonly lines: readonly string[];
};

export type Cue = {
  /** Whole milliseconds. A cue takes at least one of them and never overlaps the next. */
  readonly startMs: number;
  readonly endMs: number;
  /** One, or two with one line each. */
  readonly parts: readonly CuePart[];
  /** How many of the words it shows; what shows a part of a word counts it with its last part. */
  readonly words: number;
};

/** What was shown before: cues that are made bit by bit go on from it. */
export type CuesBefore = {
  /** Of the last word; `nobody` before the first. */
  readonly speaker: Speaker | 'nobody';
  readonly passedMs: number;
  readonly quoted: QuotedLines;
};

export const nothingBefore = (): CuesBefore => ({
  speaker: 'nobody',
  passedMs: 0,
  quoted: new QuotedLines(),
});

export type CuesSoFar = {
  readonly cues: readonly Cue[];
  /** When the last of all cues should end, for those who read it to have had the time. */
  readonly wantedEndMs: number;
  /** The first cues, as far as no word that follows could change them; they need not be the first of `cues`. */
  readonly settled: () => readonly Cue[];
};

const DASH = '- ';

/** The cues of words in order of time, up to `nextMs`, when something else is shown; infinite: never. */
export function cuesSoFar(
  words: readonly TimedWord[],
  { lines, nameOf, language }: CueOptions,
  before: CuesBefore,
  nextMs: number,
): CuesSoFar {
  const tokens = cueTokens(words, { lines, quoted: before.quoted, language });
  const names = new Map<Speaker, string | undefined>();
  for (const speaker of [1, 2, undefined] as const) {
    const name = nameOf(speaker);
    names.set(speaker, name === undefined ? undefined : onOneLine(name));
  }
  const isNew = (index: number): boolean =>
    tokens[index]!.speaker !== (index === 0 ? before.speaker : tokens[index - 1]!.speaker);
  const isUnmarked = (index: number): boolean => index === 0 && before.speaker === 'nobody';
  const nameBefore = (index: number): string => {
    const name = isNew(index) ? names.get(tokens[index]!.speaker) : undefined;
    return name === undefined ? '' : `${name}: `;
  };
  const hasDash = (index: number, kind: 'alone' | 'shared'): boolean =>
    kind === 'shared' || (isNew(index) && !isUnmarked(index) && nameBefore(index) === '');
  const prefixOf = (index: number, kind: 'alone' | 'shared'): string =>
    (hasDash(index, kind) ? DASH : '') + nameBefore(index);

  const plan = planCues(tokens, { prefixOf, nextMs });
  const partOf = (
    from: number,
    to: number,
    breakAt: number | undefined,
    kind: 'alone' | 'shared',
  ): CuePart => ({
    name: names.get(tokens[from]!.speaker),
    isNew: isNew(from),
    hasDash: hasDash(from, kind),
    lines:
      breakAt === undefined
        ? [textOf(tokens, from, to)]
        : [textOf(tokens, from, breakAt), textOf(tokens, breakAt, to)],
  });
  const partsOf = ({ from, to, breakAt }: PlannedCue): CuePart[] =>
    breakAt !== undefined && breakAt > from && tokens[breakAt - 1]!.after === 'speaker'
      ? [partOf(from, breakAt, undefined, 'shared'), partOf(breakAt, to, undefined, 'shared')]
      : [partOf(from, to, breakAt, 'alone')];

  const cuesOf = (planned: readonly PlannedCue[]): readonly Cue[] => {
    let passedMs = before.passedMs;
    return planned.map((cue): Cue => {
      // Words that take no time at all would put two cues in one place: the second waits for the first.
      const startMs = Math.max(passedMs, tokens[cue.from]!.startMs);
      const behindMs = tokens[cue.to]?.startMs ?? nextMs;
      const endMs = Math.max(startMs + 1, Math.min(plan.endMsOf(cue), behindMs));
      passedMs = endMs;
      let shown = 0;
      for (let i = cue.from; i < cue.to; i += 1) if (tokens[i]!.endsWord) shown += 1;
      return { startMs, endMs, parts: partsOf(cue), words: shown };
    });
  };
  return {
    cues: cuesOf(plan.cues),
    wantedEndMs: plan.wantedEndMs,
    settled() {
      const settled = plan.settled();
      // A word that is on two cues stays with both.
      return cuesOf(settled.slice(0, settled.findLastIndex(({ to }) => tokens[to - 1]!.endsWord) + 1));
    },
  };
}

const textOf = (tokens: readonly CueToken[], from: number, to: number): string => {
  let text = '';
  for (let i = from; i < to; i += 1)
    text += tokens[i]!.text + (tokens[i]!.spaces === 1 && i < to - 1 ? ' ' : '');
  return text;
};

/** All cues of a finished text; words in order of time. */
export function captionCues(words: readonly TimedWord[], options: CueOptions): readonly Cue[] {
  const endMs = Math.max(
    Math.round(words.at(-1)?.endMs ?? 0),
    Math.floor(options.endMs ?? Number.POSITIVE_INFINITY),
  );
  return cuesSoFar(words, options, nothingBefore(), endMs).cues;
}

const two = (value: number) => String(value).padStart(2, '0');

/** `01:02:03.004`, with the mark given before the milliseconds. Hours are always there, which every reader takes. */
export function cueTime(ms: number, mark: '.' | ','): string {
  const whole = Math.max(0, Math.round(ms));
  const seconds = Math.floor(whole / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}${mark}${String(whole % 1000).padStart(3, '0')}`;
}
