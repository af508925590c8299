// The text of one turn on its way to speech: whole code points, the caller's turn prefixes, markup, segments,
// wired in that order. Streamed, whole and dialogue text all pass through here, so that they are cut alike.

import type { Language } from '../speech/language.ts';
import { createCodePointReader } from './code-points.ts';
import { createMarkupStripper } from './markup-stripper.ts';
import type { TextPlace } from './paragraphs.ts';
import { isSpeakable, type Segment, type Speaker, segmentText } from './segment.ts';
import { createSegmenter, type Early, type Pause } from './sentences/segmenter.ts';
import { createTurnPrefixReader, type TurnPrefixes } from './turn-prefix-reader.ts';

export type TextOptions = {
  readonly language: Language | undefined;
  readonly markup: 'strip' | 'keep';
};

export type TurnTextOptions = TextOptions & Partial<TurnPrefixes> & { readonly early: Early };

export type TurnText = {
  /** Any split. `speaker` stays until another is named; a change ends a segment and begins a new line. */
  append(text: string, speaker?: Speaker): void;
  /** All text so far becomes segments. */
  flush(): void;
  /**
   * No text has come for a while. After a `short` pause what is complete enough to be spoken becomes segments; after a `long`
   * one all of it, what may have been the beginning of a mark or a turn prefix too.
   */
  idle(pause: Pause): void;
  /** No more text: as `flush`. */
  end(): void;
  /** Code points of everything appended. */
  appendedCodePoints(): number;
  /** UTF-16 units that are in no segment yet. */
  heldCharacters(): number;
};

type Line = {
  push(text: string, start: number): void;
  flush(): void;
  idle(pause: Pause): void;
  heldCharacters(): number;
};

/** One speaker's part of the text: markup and sentences do not reach over its ends. */
function createLine(
  options: TextOptions & { readonly early: Early },
  about: Pick<Segment, 'line' | 'speaker'>,
  emit: (segment: Segment) => void,
): Line {
  const segmenter = createSegmenter(options, (cut) => emit({ ...about, ...cut }));
  if (options.markup === 'keep') return segmenter;
  const stripper = createMarkupStripper({
    text: (text, start) => segmenter.push(text, start),
    lineBreak: () => segmenter.breakLine(),
  });
  return {
    push: (text, start) => stripper.push(text, start),
    flush() {
      stripper.flush();
      segmenter.flush();
    },
    idle(pause) {
      if (pause === 'long') stripper.flush();
      else stripper.idle();
      segmenter.idle(pause);
    },
    heldCharacters: () => stripper.heldCharacters() + segmenter.heldCharacters(),
  };
}

/** Positions are code points of the concatenation of everything appended, turn prefixes included. */
export function createTurnText(options: TurnTextOptions, emit: (segment: Segment) => void): TurnText {
  const { turnPrefix, turnPrefix2 } = options;
  const marked = turnPrefix !== undefined || turnPrefix2 !== undefined;
  let { early } = options;
  // Text before the caller's first turn prefix is the first speaker's.
  let speaker: Speaker | undefined = marked ? 1 : undefined;
  let index = 0;
  let lineHasText = false;
  let line = openLine();

  function openLine(): Line {
    return createLine({ ...options, early }, { line: index, speaker }, (segment) => {
      if (isSpeakable(segmentText(segment))) early = 'off';
      emit(segment);
    });
  }

  function speak(next: Speaker) {
    line.flush();
    if (lineHasText) index += 1;
    lineHasText = false;
    speaker = next;
    line = openLine();
  }

  function read(text: string, start: number) {
    lineHasText = true;
    line.push(text, start);
  }

  const openReader = () =>
    createTurnPrefixReader({ turnPrefix, turnPrefix2 }, { onSpeaker: speak, onText: read });
  let reader = openReader();
  const points = createCodePointReader((text, start) => reader.push(text, start));

  function flush() {
    reader.flush();
    line.flush();
  }

  return {
    append(text, next) {
      if (next !== undefined && next !== speaker) {
        // The second half of a surrogate pair belongs to the speaker of the first.
        const half = points.completes(text) ? 1 : 0;
        points.push(text.slice(0, half));
        text = text.slice(half);
        reader.flush();
        reader = openReader();
        speak(next);
      }
      points.push(text);
    },
    flush,
    idle(pause) {
      if (pause === 'long') reader.flush();
      line.idle(pause);
    },
    end() {
      points.flush();
      flush();
    },
    appendedCodePoints: () => points.received(),
    heldCharacters: () => points.heldCharacters() + reader.heldCharacters() + line.heldCharacters(),
  };
}

/** What a text is cut from: its own positions, and the speakers that the text does not name. */
export type SaidText = {
  readonly text: string;
  /** From here on; positions stay those of the whole text. */
  readonly from: TextPlace;
  /** Changes of speaker that are not in the text, in order, by the UTF-16 unit before which they stand. */
  readonly speakers: readonly { readonly unit: number; readonly speaker: Speaker }[];
};

/** Characters cut in one step: few enough that a book delays no other session. */
export const PIECE_UNITS = 512;

/** A piece has been cut: the caller may serve others before it asks for more. */
export type CutStep = Segment | 'more';

const segmentsOf = (steps: Iterable<CutStep>): Segment[] => {
  const segments: Segment[] = [];
  for (const step of steps) if (step !== 'more') segments.push(step);
  return segments;
};

const moved = (segment: Segment, points: number): Segment =>
  points === 0
    ? segment
    : { ...segment, runs: segment.runs.map(({ text, start }) => ({ text, start: start + points })) };

/** What a change of speaker, or what was asked for in between, costs, in characters that could be cut instead. */
export const CHANGE_UNITS = 32;

/** The index of the first change behind `unit`. */
export function firstBehind(speakers: SaidText['speakers'], unit: number): number {
  let [from, to] = [0, speakers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (speakers[middle]!.unit > unit) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** A text from a place on, cut by the text alone, and only as far as the caller asks. */
export function* saidSegments(
  { text, from, speakers }: SaidText,
  options: TextOptions & Partial<TurnPrefixes>,
): Generator<CutStep, void, undefined> {
  const ready: Segment[] = [];
  const turn = createTurnText({ ...options, early: 'off' }, (segment) =>
    ready.push(moved(segment, from.point)),
  );
  let speaker = speakerAt({ text, from, speakers }, options);
  let change = firstBehind(speakers, from.unit);
  let cutTo = from.unit;
  for (let at = from.unit; at < text.length; ) {
    const next = speakers[change]?.unit ?? text.length;
    const end = Math.min(next, at + PIECE_UNITS);
    turn.append(text.slice(at, end), speaker);
    speaker = undefined;
    at = end;
    if (at === next) {
      speaker = speakers[change]?.speaker;
      change += 1;
    }
    yield* ready.splice(0);
    if (at - cutTo < PIECE_UNITS) cutTo -= CHANGE_UNITS;
    else {
      cutTo = at;
      yield 'more';
    }
  }
  turn.end();
  yield* ready.splice(0);
}

/** Who speaks at the place where `said` begins; undefined: no speaker has been named. */
export function speakerAt(
  { text, from, speakers }: SaidText,
  { turnPrefix, turnPrefix2 }: Partial<TurnPrefixes>,
): Speaker | undefined {
  const told = speakers[firstBehind(speakers, from.unit) - 1];
  let speaker = told?.speaker;
  if (from.unit === 0 || (turnPrefix === undefined && turnPrefix2 === undefined)) return speaker;
  const reader = createTurnPrefixReader(
    { turnPrefix, turnPrefix2 },
    {
      onSpeaker(found) {
        speaker = found;
      },
      onText() {},
    },
  );
  reader.push(text.slice(told?.unit ?? 0, from.unit), 0);
  reader.flush();
  return speaker;
}

const WHOLE: TextPlace = { unit: 0, point: 0 };

/** A whole text, cut by the text alone. */
export const wholeTextSegments = (text: string, options: TextOptions & Partial<TurnPrefixes>): Segment[] =>
  segmentsOf(saidSegments({ text, from: WHOLE, speakers: [] }, options));

/** Positions are code points within `dialogue[line].text`. */
export function* linesSegments(
  dialogue: readonly { readonly speaker: Speaker; readonly text: string }[],
  firstLine: number,
  options: TextOptions,
): Generator<CutStep, void, undefined> {
  const ready: Segment[] = [];
  let cut = 0;
  for (let line = firstLine; line < dialogue.length; line += 1) {
    const { speaker, text } = dialogue[line]!;
    const reader = createLine({ ...options, early: 'off' }, { line, speaker }, (segment) =>
      ready.push(segment),
    );
    const points = createCodePointReader((piece, start) => reader.push(piece, start));
    for (let at = 0; at < text.length; at += PIECE_UNITS) {
      points.push(text.slice(at, at + PIECE_UNITS));
      yield* ready.splice(0);
      if (text.length > PIECE_UNITS) yield 'more';
    }
    points.flush();
    reader.flush();
    yield* ready.splice(0);
    cut += text.length + CHANGE_UNITS;
    if (cut >= PIECE_UNITS) {
      cut = 0;
      yield 'more';
    }
  }
}

export const dialogueSegments = (
  dialogue: readonly { readonly speaker: Speaker; readonly text: string }[],
  options: TextOptions,
): Segment[] => segmentsOf(linesSegments(dialogue, 0, options));
