// Segments → the text of upstream requests. Where speakers are named, every request begins with a turn prefix
// and each change of speaker is a new line with the other one. All of it follows from the text alone, so that
// a fixed seed gives the same audio again.

import { MAX_REQUEST_TEXT } from '../speech/speech-request.ts';
import type { SpokenWord } from '../speech/spoken-word.ts';
import { isGraphemeBoundary, isLineBreak, isSpace, UNSPACED_LETTER } from './character-class.ts';
import { isParagraphEnd } from './paragraphs.ts';
import { isSpeakable, type Run, type Segment, type Speaker, segmentText } from './segment.ts';
import { createHeldText } from './sentences/held-text.ts';
import type { TurnPrefixes } from './turn-prefix-reader.ts';
import type { CutStep } from './turn-text.ts';

type PrefixPair = { readonly turnPrefix: string; readonly turnPrefix2: string };

export type RequestText = Partial<PrefixPair> & {
  readonly text: string;
  /** The segments that `text` is made of, and the UTF-16 unit of `text` at which each begins. */
  readonly parts: readonly { readonly segment: Segment; readonly textStart: number }[];
};

/** What one request to a speech service may hold. */
export type RequestShape = {
  /** `one`: the turns of a dialogue are requests of their own, without turn prefixes, each with its speaker's voice. */
  readonly voices: 'one' | 'two';
  /** UTF-16 units. */
  readonly maxText: number;
};

const speaks = (segment: Segment) => isSpeakable(segmentText(segment));

/** Without what a line begins or ends with that holds nothing to say; inside a line it may be a pause. */
function spokenSegments(segments: readonly Segment[]): Segment[] {
  const spoken: Segment[] = [];
  let silent: Segment[] = [];
  for (const segment of segments) {
    if (segment.line !== spoken.at(-1)?.line) silent = [];
    if (speaks(segment)) {
      spoken.push(...silent, segment);
      silent = [];
    } else silent.push(segment);
  }
  return spoken;
}

const prefixesOf = (segments: readonly Segment[], own: Partial<TurnPrefixes>): PrefixPair | undefined =>
  segments.some((segment) => segment.speaker !== undefined)
    ? choosePrefixes(segments.map(segmentText).join(''), own)
    : undefined;

const endsLine = (text: string) => isLineBreak(text.slice(-1));

/** What stands between `previous` (undefined: the request begins) and `segment`. */
function lead(previous: Segment | undefined, segment: Segment, prefixes: PrefixPair | undefined): string {
  const speaker = segment.speaker ?? 1;
  const turn = prefixes !== undefined && (previous === undefined || speaker !== (previous.speaker ?? 1));
  const newLine =
    previous !== undefined &&
    (turn || previous.line !== segment.line || previous.boundary === 'line') &&
    !endsLine(segmentText(previous));
  const prefix = turn ? `${speaker === 1 ? prefixes.turnPrefix : prefixes.turnPrefix2} ` : '';
  return `${newLine ? '\n' : ''}${prefix}`;
}

function compose(segments: readonly Segment[], prefixes: PrefixPair | undefined): RequestText {
  let text = '';
  let previous: Segment | undefined;
  const parts = segments.map((segment) => {
    text += lead(previous, segment, prefixes);
    const textStart = text.length;
    text += segmentText(segment);
    previous = segment;
    return { segment, textStart };
  });
  return { text, ...prefixes, parts };
}

/** Of the text of a segment, what stands at code point `point` of the caller's text and behind it. */
function runsBehind(runs: readonly Run[], point: number): readonly Run[] {
  return runs.flatMap(({ text, start }) => {
    if (start >= point) return [{ text, start }];
    const rest = [...text].slice(point - start).join('');
    return rest === '' ? [] : [{ text: rest, start: point }];
  });
}

/**
 * What is left of a request from its word at `line` and `charStart` on, which one of its segments holds, with the same turn
 * prefixes: lines, speakers and places in the caller's text stay. Undefined: nothing that is said.
 */
export function restOfRequest(
  { turnPrefix, turnPrefix2, parts }: RequestText,
  { line, charStart }: Pick<SpokenWord, 'line' | 'charStart'>,
): RequestText | undefined {
  const left = parts.flatMap(({ segment }) => {
    if (segment.line !== line) return segment.line > line ? [segment] : [];
    const runs = runsBehind(segment.runs, charStart);
    return runs.length === 0 ? [] : [{ ...segment, runs }];
  });
  const spoken = spokenSegments(left);
  if (spoken.length === 0) return undefined;
  return compose(spoken, turnPrefix === undefined ? undefined : { turnPrefix, turnPrefix2: turnPrefix2! });
}

/**
 * One request for all of `segments`, which the caller keeps within the upstream's limit.
 * Undefined: they hold nothing to say. A segment without a speaker is speaker 1's when others name one.
 */
export function composeRequest(
  segments: readonly Segment[],
  own: Partial<TurnPrefixes> = {},
): RequestText | undefined {
  const spoken = spokenSegments(segments);
  return spoken.length === 0 ? undefined : compose(spoken, prefixesOf(spoken, own));
}

/** The last place ≤ `most` at which `text` may be parted: after white space, else between two characters. */
function partAt(text: string, most: number): number {
  for (let at = most; at > most / 2; at -= 1) if (isSpace(text[at - 1]!)) return at;
  for (let at = most; at > Math.max(1, most - 64); at -= 1) if (isGraphemeBoundary(text, at)) return at;
  return most;
}

function partSegment(segment: Segment, most: number): readonly Segment[] {
  if (segmentText(segment).length <= most) return [segment];
  const held = createHeldText();
  for (const run of segment.runs) held.push(run.text, run.start);
  const parts: Segment[] = [];
  while (held.text().length > most)
    parts.push({ ...segment, runs: held.take(partAt(held.text(), most)), boundary: 'words' });
  return [...parts, { ...segment, runs: held.take(held.text().length) }];
}

/** How well a request may end before `next`: 3 at the end of a paragraph, 2 at that of a line, 1 at a sentence end. */
function endRank(last: Segment, next: Segment): 0 | 1 | 2 | 3 {
  if (last.line === next.line && isParagraphEnd(segmentText(last), segmentText(next))) return 3;
  if (last.line !== next.line || last.boundary === 'line' || endsLine(segmentText(last))) return 2;
  return last.boundary === 'sentence' ? 1 : 0;
}

/**
 * Where the longest request of at most `limit` units ends that begins at each piece, as the index behind its last one.
 * That never lies before the end for an earlier piece, so one pass finds them all, however many small pieces there are.
 */
function requestEnds(
  pieces: readonly Segment[],
  limit: number,
  prefixes: PrefixPair | undefined,
): readonly number[] {
  /** Units of a piece behind `previous`; undefined: it begins a request. */
  const sizeBehind = (previous: Segment | undefined, piece: Segment) =>
    lead(previous, piece, prefixes).length + segmentText(piece).length;
  const added = pieces.map((piece, at) => sizeBehind(pieces[at - 1], piece));
  let end = 0;
  /** Of the pieces behind the first one and before `end`. */
  let rest = 0;
  return pieces.map((piece, first) => {
    if (end <= first) end = first + 1;
    else rest -= added[first]!;
    const alone = sizeBehind(undefined, piece);
    while (end < pieces.length && alone + rest + added[end]! <= limit) {
      rest += added[end]!;
      end += 1;
    }
    return end;
  });
}

/**
 * A whole turn as few requests as possible, each of at most `limit` UTF-16 units with its prefixes. Among the
 * ways to do it, requests end at the ends of paragraphs, of lines, else of sentences, and are filled from the front.
 */
export function splitIntoRequests(
  segments: readonly Segment[],
  limit: number = MAX_REQUEST_TEXT,
  own: Partial<TurnPrefixes> = {},
): RequestText[] {
  const spoken = spokenSegments(segments);
  return split(spoken, limit, prefixesOf(spoken, own));
}
/** One speaker's segments, in requests without turn prefixes. */
export const splitAlone = (segments: readonly Segment[], limit: number): RequestText[] =>
  split(spokenSegments(segments), limit, undefined);

function split(spoken: readonly Segment[], limit: number, prefixes: PrefixPair | undefined): RequestText[] {
  const longest = prefixes === undefined ? 0 : Math.max(...Object.values(prefixes).map((p) => p.length)) + 1;
  const pieces = spoken.flatMap((segment) => partSegment(segment, Math.max(1, limit - longest)));
  const reach = requestEnds(pieces, limit, prefixes);
  /** The fewest requests for all pieces from an index on. */
  const fewest = new Array<number>(pieces.length + 1).fill(0);
  for (let at = pieces.length - 1; at >= 0; at -= 1) fewest[at] = 1 + fewest[reach[at]!]!;

  const requests: RequestText[] = [];
  for (let at = 0; at < pieces.length; ) {
    let end = reach[at]!;
    let best = end === pieces.length ? 3 : endRank(pieces[end - 1]!, pieces[end]!);
    for (let other = end - 1; best < 3 && other > at && fewest[other]! < fewest[at]!; other -= 1) {
      const rank = endRank(pieces[other - 1]!, pieces[other]!);
      if (rank > best) {
        best = rank;
        end = other;
      }
    }
    const group = pieces.slice(at, end);
    if (group.some(speaks)) requests.push(compose(group, prefixes));
    at = end;
  }
  return requests;
}

/** A letter of a script without spaces says as much as three others, and finding its words takes longer. */
const UNSPACED_SIZE = 8;
/** What is to be said for a segment: its UTF-16 units, those of a script without spaces eightfold. */
export function segmentSize(segment: Segment): number {
  const text = segmentText(segment);
  return UNSPACED_LETTER.test(text) ? UNSPACED_SIZE * text.length : text.length;
}

/**
 * The most that one request of a live turn takes, as a size and in segments, however short these are: its words are found
 * and placed in one go, and kept until they have been heard.
 */
export const MAX_SPOKEN_SIZE = MAX_REQUEST_TEXT;
export const MAX_SPOKEN_SEGMENTS = 500;

/**
 * The size of a request of a long text: about a minute and a half of speech. This much of a turn is buffered at a
 * time, so no request is held open while its listener hears it, and what a seek skips costs little.
 */
export const CHAPTER_REQUEST_UNITS = 1500;
/** The same of the first one: some sentences, so that a book is heard as soon as they are. */
const FIRST_REQUEST_UNITS = 300;

/** The most of each request. */
export type RequestSizes = { readonly first: number; readonly next: number };
export const CHAPTER_SIZES: RequestSizes = { first: FIRST_REQUEST_UNITS, next: CHAPTER_REQUEST_UNITS };
/** Of a text that one request may hold. */
export const WHOLE_SIZES: RequestSizes = { first: MAX_SPOKEN_SIZE, next: MAX_SPOKEN_SIZE };

/**
 * A text as requests, each made when it is asked for; 'more' is told when there is none yet, but a piece more has been cut.
 * They end at the best place in the second half of what fits: at the end of a paragraph, of a line, of a sentence, and there
 * at the last one.
 */
export function* chapterRequests(
  segments: Iterator<CutStep>,
  own: Partial<TurnPrefixes> = {},
  sizes: RequestSizes = CHAPTER_SIZES,
): Generator<RequestText | 'more', void, undefined> {
  let waiting: Segment[] = [];
  let size = 0;
  let limit = sizes.first;
  for (;;) {
    while (size <= limit && waiting.length <= MAX_SPOKEN_SEGMENTS) {
      const next = segments.next();
      if (next.done === true) break;
      if (next.value === 'more') yield 'more';
      else {
        waiting.push(next.value);
        size += segmentSize(next.value);
      }
    }
    if (waiting.length === 0) return;
    const group = waiting.slice(0, requestEnd(waiting, limit));
    waiting = waiting.slice(group.length);
    size = waiting.reduce((sum, segment) => sum + segmentSize(segment), 0);
    limit = sizes.next;
    const requests = splitIntoRequests(group, MAX_REQUEST_TEXT, own);
    if (requests.length === 0) yield 'more';
    yield* requests;
  }
}

/** The index behind the last of `segments` that a request of at most `limit` takes: all of them where they fit. */
export function requestEnd(segments: readonly Segment[], limit: number): number {
  let size = 0;
  let best = { end: 1, rank: -1 };
  for (const [index, segment] of segments.entries()) {
    size += segmentSize(segment);
    if (size > limit || index === MAX_SPOKEN_SEGMENTS) return best.end;
    const next = segments[index + 1];
    if (next === undefined) return segments.length;
    const rank = size * 2 < limit && index * 2 < MAX_SPOKEN_SEGMENTS ? -1 : endRank(segment, next);
    if (rank >= best.rank) best = { end: index + 1, rank };
  }
  return segments.length;
}

/** One spelling for all cases of a letter, the long s and the Kelvin sign among them. */
const fold = (text: string) => text.toUpperCase().toLowerCase();

/** An end of `a`, with the space that follows it in a request, is a beginning of `b`: text could complete it. */
function runsInto(a: string, b: string): boolean {
  for (let length = 1; length < a.length; length += 1) if (b.startsWith(`${a.slice(-length)} `)) return true;
  return false;
}

/** A caller's own prefix as it can be used: on one line, not in the text, not running into itself. */
function usable(own: string | undefined, body: string): string | undefined {
  const prefix = own?.trim() ?? '';
  const folded = fold(prefix);
  const safe =
    prefix !== '' && !/[\n\r\p{Cs}]/u.test(prefix) && !body.includes(folded) && !runsInto(folded, folded);
  return safe ? prefix : undefined;
}

const apart = (a: string, b: string) =>
  !a.includes(b) && !b.includes(a) && !runsInto(a, b) && !runsInto(b, a);

/**
 * The two turn prefixes of a request: a caller's own when they are safe, otherwise generated. Upstream takes every occurrence
 * of one for a change of voice, so they occur nowhere in `spoken`, whatever the case of letters, and neither contains the
 * other. The same text always gives the same pair.
 */
function choosePrefixes(spoken: string, own: Partial<TurnPrefixes>): PrefixPair {
  const body = fold(spoken);
  const taken = new Set([...body.matchAll(/speaker (\d+):/g)].map((match) => Number(match[1])));
  let first = 1;
  while (taken.has(first) || taken.has(first + 1)) first += 2;
  const made = { turnPrefix: `Speaker ${first}:`, turnPrefix2: `Speaker ${first + 1}:` };
  const wanted = {
    turnPrefix: usable(own.turnPrefix, body) ?? made.turnPrefix,
    turnPrefix2: usable(own.turnPrefix2, body) ?? made.turnPrefix2,
  };
  return apart(fold(wanted.turnPrefix), fold(wanted.turnPrefix2)) ? wanted : made;
}

/** The speaker of a request without turn prefixes: `RequestShape` of one voice. */
export const speakerOf = ({ turnPrefix, parts }: RequestText): Speaker =>
  turnPrefix === undefined ? (parts[0]?.segment.speaker ?? 1) : 1;
