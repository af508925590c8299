// From a script to what is spoken of it, and back from what was spoken to the script with its times.

import type { Chapter } from '../../captions/web-vtt.ts';
import type { TimedWord } from '../../captions/word-timeline.ts';
import type { CitedSentence, Script, ScriptLine, Speakers } from '../../script/script.ts';
import { type RequestText, splitIntoRequests } from '../../text/request-text.ts';
import { dialogueSegments } from '../../text/turn-text.ts';

/** One request of a script, and the silence after it. */
export type ScriptPart = { readonly chapter: number; readonly text: RequestText; readonly gapMs: number };

/** A minute and a half of speech: word times inside a request are estimates, and short ones stay close. */
const PART_CHARACTERS = 1200;
const CHAPTER_GAP_MS = 900;
const PART_GAP_MS = 250;

export const linesOf = (script: Script): readonly ScriptLine[] =>
  script.chapters.flatMap(({ lines }) => lines);

/** `line` in the segments counts over all chapters. */
export function toScriptParts(script: Script, { voices }: Pick<Speakers, 'voices'>): ScriptPart[] {
  let firstLine = 0;
  return script.chapters.flatMap(({ lines }, chapter) => {
    const segments = dialogueSegments(lines, { language: script.language, markup: 'keep' }).map(
      (segment) => ({
        ...segment,
        line: segment.line + firstLine,
        // A single voice needs no mark of whose turn it is.
        speaker: voices === 1 ? undefined : segment.speaker,
      }),
    );
    firstLine += lines.length;
    const texts = splitIntoRequests(segments, PART_CHARACTERS);
    return texts.map((text, index) => ({
      chapter,
      text,
      gapMs: index === texts.length - 1 ? CHAPTER_GAP_MS : PART_GAP_MS,
    }));
  });
}

export type TimedScript = {
  readonly title: string;
  readonly language: string;
  readonly style: string;
  readonly chapters: readonly (Chapter & {
    readonly lines: readonly (ScriptLine & {
      readonly startMs: number | null;
      readonly endMs: number | null;
    })[];
  })[];
  /** Of the source: those that lines name by their numbers. */
  readonly sentences: readonly CitedSentence[];
  readonly words: readonly Pick<TimedWord, 'text' | 'line' | 'startMs' | 'endMs' | 'charStart' | 'charEnd'>[];
};

/** The script as it is kept beside its audio; `words` in order of time, `endMs` the end of the audio. */
export function toTimedScript(script: Script, words: readonly TimedWord[], endMs: number): TimedScript {
  const spans = new Map<number, { startMs: number; endMs: number }>();
  for (const word of words) {
    const span = spans.get(word.line);
    if (span === undefined) spans.set(word.line, { startMs: word.startMs, endMs: word.endMs });
    else span.endMs = Math.max(span.endMs, word.endMs);
  }
  let line = -1;
  const chapters = script.chapters.map(({ title, lines }) => {
    const timed = lines.map((spoken) => {
      line += 1;
      const span = spans.get(line);
      return { ...spoken, startMs: span?.startMs ?? null, endMs: span?.endMs ?? null };
    });
    return { title, lines: timed, startMs: timed.find((one) => one.startMs !== null)?.startMs };
  });
  // Chapters lie end to end from 0 to the end; one of which nothing is heard takes no time where it would stand.
  const starts = new Array<number>(chapters.length + 1).fill(endMs);
  for (let at = chapters.length - 1; at > 0; at -= 1) starts[at] = chapters[at]!.startMs ?? starts[at + 1]!;
  starts[0] = 0;
  return {
    title: script.title,
    language: script.language,
    style: script.style,
    chapters: chapters.map((chapter, index) => ({
      ...chapter,
      startMs: starts[index]!,
      endMs: starts[index + 1]!,
    })),
    sentences: script.sentences ?? [],
    words: words.map(({ text, line: at, startMs, endMs: wordEndMs, charStart, charEnd }) => ({
      text,
      line: at,
      startMs,
      endMs: wordEndMs,
      charStart,
      charEnd,
    })),
  };
}
