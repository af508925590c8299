// The text of one turn on its way to speech: whole code points, what a model thinks, the caller's turn prefixes, markup,
// segments, wired in that order. Streamed, whole and dialogue text all pass through here, so that they are cut alike.

import type { Language } from '../speech/language.ts';
import { createCodePointReader } from './code-points.ts';
import { createMarkupStripper } from './markup-stripper.ts';
import type { TalkState } from './model-talk.ts';
import type { TextPlace } from './paragraphs.ts';
import { isSpeakable, type Segment, type Speaker, segmentText } from './segment.ts';
import { createSegmenter, type Early, type Pause } from './sentences/segmenter.ts';
import { firstBehind, openReading, readingAt, type SaidText } from './text-reading.ts';
import type { TurnPrefixes } from './turn-prefix-reader.ts';

export type TextOptions = {
  readonly language: Language | undefined;
  readonly markup: 'strip' | 'keep';
};

export type TurnTextOptions = TextOptions &
  Partial<TurnPrefixes> & {
    readonly early: Early;
    /** `whole`: all of the text is there; absent: it comes bit by bit. */
    readonly text?: 'whole' | 'coming';
    /** Where the text is read from, when that is not its start. */
    readonly within?: TalkState | 'text' | undefined;
  };

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
  /** Something has been left out of the text here, which was markup to it as little as what stands on either side. */
  gap(): void;
  lineBreak(): void;
  heldCharacters(): number;
};

/** One speaker's part of the text: markup and sentences do not reach over its ends. */
function createLine(
  options: TextOptions & { readonly early: Early },
  about: Pick<Segment, 'line' | 'speaker'>,
  emit: (segment: Segment) => void,
  emphasis = '',
): Line {
  const segmenter = createSegmenter(options, (cut) => emit({ ...about, ...cut }));
  if (options.markup === 'keep') return Object.assign(segmenter, { gap() {}, lineBreak() {} });
  const stripper = createMarkupStripper(
    {
      text: (text, start) => segmenter.push(text, start),
      lineBreak: () => segmenter.breakLine(),
    },
    emphasis,
  );
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
    gap() {
      stripper.flush();
      // A model may think for a minute: what is complete before it is not kept waiting.
      segmenter.gap();
    },
    lineBreak: () => stripper.breakLine(),
    heldCharacters: () => stripper.heldCharacters() + segmenter.heldCharacters(),
  };
}

/** Positions are code points of the concatenation of everything appended, turn prefixes included. */
export function createTurnText(options: TurnTextOptions, emit: (segment: Segment) => void): TurnText {
  const { turnPrefix, turnPrefix2, within } = options;
  const how = { ...options, text: options.text ?? 'coming' } as const;
  const marked = turnPrefix !== undefined || turnPrefix2 !== undefined;
  let { early } = options;
  // Text before the caller's first turn prefix is the first speaker's.
  let speaker: Speaker | undefined = marked ? 1 : undefined;
  let index = 0;
  let lineHasText = false;
  let line = openLine('');

  function openLine(emphasis: string): Line {
    const emitLine = (segment: Segment) => {
      if (isSpeakable(segmentText(segment))) early = 'off';
      emit(segment);
    };
    return createLine({ ...options, early }, { line: index, speaker }, emitLine, emphasis);
  }

  function speak(next: Speaker, emphasis = '') {
    line.flush();
    if (lineHasText) index += 1;
    lineHasText = false;
    speaker = next;
    line = openLine(emphasis);
  }

  function read(text: string, start: number) {
    lineHasText = true;
    line.push(text, start);
  }

  const sink = { speaker: speak, text: read, gap: () => line.gap(), lineBreak: () => line.lineBreak() };
  let reader =
    within === undefined
      ? openReading(how, 'start', sink)
      : openReading(how, 'within', sink, within === 'text' ? undefined : within);
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
        reader = openReading(how, 'within', sink);
        speak(next);
      }
      points.push(text);
    },
    flush,
    idle(pause) {
      if (pause === 'long') reader.flush();
      else reader.idle();
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

/** A text from a place on, cut by the text alone, and only as far as the caller asks. */
export function* saidSegments(
  { text, from, speakers }: SaidText,
  options: TextOptions & Partial<TurnPrefixes>,
): Generator<CutStep, void, undefined> {
  const ready: Segment[] = [];
  const how = { ...options, text: 'whole', early: 'off' } as const;
  const state = readingAt({ text, from, speakers }, how);
  const within = state.talk ?? (from.unit === 0 ? undefined : 'text');
  const turn = createTurnText({ ...how, within }, (segment) => ready.push(moved(segment, from.point)));
  let { speaker } = state;
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

const WHOLE: TextPlace = { unit: 0, point: 0 };

/** A whole text, cut by the text alone. */
export const wholeTextSegments = (text: string, options: TextOptions & Partial<TurnPrefixes>): Segment[] =>
  segmentsOf(saidSegments({ text, from: WHOLE, speakers: [] }, options));

/** A line of a dialogue, all of which is there. */
function openDialogueLine(
  text: string,
  options: TextOptions,
  about: Pick<Segment, 'line' | 'speaker'>,
  emit: (segment: Segment) => void,
): Pick<Line, 'push' | 'flush'> {
  const line = createLine({ ...options, early: 'off' }, about, emit);
  const how = { ...options, text: 'whole' } as const;
  const { talk } = readingAt({ text, from: WHOLE, speakers: [] }, how);
  const sink = {
    speaker() {},
    text: (piece: string, start: number) => line.push(piece, start),
    gap: () => line.gap(),
    lineBreak: () => line.lineBreak(),
  };
  const reading = openReading(how, 'start', sink, talk);
  return {
    push: (piece, start) => reading.push(piece, start),
    flush() {
      reading.flush();
      line.flush();
    },
  };
}

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
    const reader = openDialogueLine(text, options, { line, speaker }, (segment) => ready.push(segment));
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
