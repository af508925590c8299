// A stretch of a turn's text that is spoken without a jump: from where it began, or from the paragraph that was sought
// last. It cuts the text into requests and knows where the words of each stand in the stretch's own audio.

import { createWordTimeline, GUESS_MS_PER_WEIGHT, type WordTimeline } from '../captions/word-timeline.ts';
import { toAlignedText, toOutgoingRequest } from '../pipeline/outgoing-request.ts';
import { createRequestLine, type RequestLine } from '../pipeline/request-line.ts';
import { createWholeLine } from '../pipeline/whole-line.ts';
import { MAX_REQUEST_TEXT, type OutgoingRequest } from '../speech/speech-request.ts';
import type { SpokenWord } from '../speech/spoken-word.ts';
import type { AlignedText } from '../text/aligned-text.ts';
import { codePointLength } from '../text/code-points.ts';
import { chapterRequests, type RequestText, splitIntoRequests } from '../text/request-text.ts';
import type { Segment } from '../text/segment.ts';
import { spokenWords } from '../text/spoken-words.ts';
import { createTurnText, linesSegments, type SaidText, saidSegments, speakerAt } from '../text/turn-text.ts';
import { type HeardText, heardText } from './heard-text.ts';
import { joinPauseMs } from './join-pause.ts';
import type { TurnSettings } from './turn-settings.ts';

export type ScriptOptions = {
  readonly settings: TurnSettings;
  readonly seed: number;
  readonly defaultVoice: string | undefined;
  readonly defaultVoice2: string | undefined;
  /** Audio that the listener has not heard yet, in ms. */
  readonly remainingMs: () => number;
};

/** What is spoken: a text that is all there, one that is still coming, or lines from one of them on. */
export type StretchText =
  | { readonly kind: 'whole'; readonly said: SaidText }
  | { readonly kind: 'coming'; readonly said: SaidText }
  | {
      readonly kind: 'dialogue';
      readonly lines: readonly { readonly speaker: 1 | 2; readonly text: string }[];
      readonly from: number;
    };

export type ScriptStretch = {
  readonly requests: Omit<RequestLine, 'add'>;
  /** Of the stretch's own audio. */
  readonly timeline: WordTimeline;
  append(text: string, speaker: 1 | 2 | undefined): void;
  flush(): void;
  /** No text for a while: what is complete enough is spoken. */
  idle(): void;
  end(): void;
  /** Characters that have not gone upstream yet. */
  pendingCharacters(): number;
  /** Where the text before code point `said` has been spoken, ms; undefined while that is unknown. */
  endOf(said: number): number | undefined;
  /** Puts the words of a request on the timeline, behind so much silence; call once per request, in order. */
  readonly place: (text: RequestText, pauseMs: number) => readonly SpokenWord[];
  readonly pauseBetween: (before: RequestText, after: RequestText) => number;
  /** What is said for a request, to find its words in the audio. */
  readonly aligned: (text: RequestText, words: readonly SpokenWord[]) => AlignedText;
  readonly toRequest: (text: RequestText) => OutgoingRequest;
  /** The last word that has begun at `playedMs`. */
  lastBegun(playedMs: number): SpokenWord | undefined;
  /** Of the text from the beginning of the stretch on. */
  heardAt(playedMs: number | 'end', allText: string): HeardText & { readonly speaker: 1 | 2 | undefined };
};

/** The next request goes out when less than this is left to hear: time enough for a slow first byte. */
export const PREFETCH_MS = 4000;
/** The same where the text is there: time enough for a wait for quota, too, and little to throw away. */
export const READ_AHEAD_MS = 30_000;

const endOfSegment = ({ runs }: Segment): number => {
  const last = runs.at(-1);
  return last === undefined ? 0 : last.start + codePointLength(last.text);
};

export function createScriptStretch(options: ScriptOptions, text: StretchText): ScriptStretch {
  const { settings, remainingMs } = options;
  const { synthesis, pronunciations } = settings;
  const prefixes = {
    turnPrefix: synthesis.turnPrefix ?? undefined,
    turnPrefix2: synthesis.turnPrefix2 ?? undefined,
  };
  const textOptions = {
    language: synthesis.language ?? 'english',
    markup: settings.markup,
    ...prefixes,
  } as const;
  const timeline = createWordTimeline(GUESS_MS_PER_WEIGHT / (synthesis.speed ?? 1));

  /** How far, in code points, text has been cut into segments, and how far it stands on the timeline. */
  let cutUntil = 0;
  let placedUntil = 0;
  let placed = 0;

  const openWhole = (segments: Iterable<Segment>, characters: number) => ({
    requests: createWholeLine({
      requests:
        characters <= MAX_REQUEST_TEXT
          ? splitIntoRequests([...segments], MAX_REQUEST_TEXT, prefixes).values()
          : chapterRequests(segments[Symbol.iterator](), prefixes),
      characters,
      readAheadMs: READ_AHEAD_MS,
      remainingMs,
    }),
    streamed: undefined,
  });
  const openComing = (said: SaidText) => {
    const { from } = said;
    const line = createRequestLine({
      prefetchMs: PREFETCH_MS,
      readAheadMs: READ_AHEAD_MS,
      remainingMs,
      prefixes,
    });
    const streamed = createTurnText({ ...textOptions, early: 'first-clause' }, (segment) => {
      const runs = segment.runs.map((run) => ({ ...run, start: run.start + from.point }));
      const moved = { ...segment, runs };
      cutUntil = endOfSegment(moved);
      line.add(moved);
    });
    let at = from.unit;
    let speaker = speakerAt(said, prefixes);
    for (const change of said.speakers.filter(({ unit }) => unit > from.unit)) {
      streamed.append(said.text.slice(at, change.unit), speaker);
      ({ unit: at, speaker } = change);
    }
    if (at < said.text.length) streamed.append(said.text.slice(at), speaker);
    return { requests: line, streamed };
  };
  const open = () => {
    if (text.kind === 'coming') return openComing(text.said);
    if (text.kind === 'whole')
      return openWhole(saidSegments(text.said, textOptions), text.said.text.length - text.said.from.unit);
    const characters = text.lines.slice(text.from).reduce((sum, line) => sum + line.text.length, 0);
    return openWhole(linesSegments(text.lines, text.from, textOptions), characters);
  };
  const { requests, streamed } = open();
  const fromPoint = text.kind === 'dialogue' ? 0 : text.said.from.point;
  const firstLine = text.kind === 'dialogue' ? text.from : 0;

  /** Nothing of the first `codePoints` still waits to be asked for. */
  const isPlaced = (codePoints: number): boolean => {
    if (codePoints <= placedUntil) return true;
    if (requests.hasText() || requests.handedOut() > placed) return false;
    return streamed === undefined || codePoints <= cutUntil || streamed.heldCharacters() === 0;
  };
  const restLines = (allText: string): readonly string[] =>
    text.kind === 'dialogue'
      ? text.lines.slice(text.from).map((line) => line.text)
      : [allText.slice(text.said.from.unit)];

  return {
    requests,
    timeline,
    append: (more, speaker) => streamed?.append(more, speaker),
    flush() {
      streamed?.flush();
      requests.flush();
    },
    idle: () => streamed?.idle(),
    end() {
      streamed?.end();
      requests.end();
    },
    pendingCharacters: () => requests.waitingCharacters() + (streamed?.heldCharacters() ?? 0),
    endOf: (said) => (isPlaced(said) ? timeline.endOf(0, said) : undefined),
    place(request, pauseMs) {
      placed += 1;
      const last = request.parts.at(-1);
      if (last !== undefined) placedUntil = endOfSegment(last.segment);
      const spoken = spokenWords(request.parts.map((part) => part.segment));
      // But for a dialogue, positions count over the whole text, whatever the speaker's line.
      timeline.addRequest(
        text.kind === 'dialogue'
          ? spoken
          : spoken.map((word) => (word.line === 0 ? word : { ...word, line: 0 })),
        pauseMs,
      );
      return spoken;
    },
    pauseBetween: (before, after) =>
      joinPauseMs(before, after, text.kind === 'coming' ? 'as-it-comes' : 'whole') / (synthesis.speed ?? 1),
    aligned: (request, words) => toAlignedText(request, words, pronunciations),
    toRequest: (request) => toOutgoingRequest({ ...options, synthesis, pronunciations }, request),
    lastBegun: (playedMs) => timeline.lastBegun(playedMs),
    heardAt(playedMs, allText) {
      const last = timeline.lastBegun(playedMs === 'end' ? Number.POSITIVE_INFINITY : playedMs);
      const rest = restLines(allText);
      const lastHere = last && { line: last.line - firstLine, charEnd: last.charEnd - fromPoint };
      const told =
        playedMs === 'end' ? { spokenText: rest.join('\n'), remainingText: '' } : heardText(rest, lastHere);
      return { ...told, speaker: last?.speaker };
    },
  };
}
