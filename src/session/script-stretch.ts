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
import {
  createTurnText,
  linesSegments,
  type SaidText,
  saidSegments,
  speakerAt,
  type TurnText,
  type TurnTextOptions,
} from '../text/turn-text.ts';
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
  place(text: RequestText, pauseMs: number): readonly SpokenWord[];
  pauseBetween(before: RequestText, after: RequestText): number;
  /** What is said for a request, to find its words in the audio. */
  aligned(text: RequestText, words: readonly SpokenWord[]): AlignedText;
  toRequest(text: RequestText): OutgoingRequest;
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

const prefixesOf = ({ turnPrefix, turnPrefix2 }: TurnSettings['synthesis']) => ({
  turnPrefix: turnPrefix ?? undefined,
  turnPrefix2: turnPrefix2 ?? undefined,
});
const textOptionsOf = ({ synthesis, markup }: TurnSettings): Omit<TurnTextOptions, 'early'> => ({
  language: synthesis.language ?? 'english',
  markup,
  ...prefixesOf(synthesis),
});

/** One for each turn, and one more for each place that is sought. */
class SpokenStretch implements ScriptStretch {
  private readonly options: ScriptOptions;
  private readonly text: StretchText;
  /** How far, in code points, text has been cut into segments, and how far it stands on the timeline. */
  private cutUntil = 0;
  private placedUntil = 0;
  private placed = 0;
  /** Where more text goes; undefined where all of it is there. */
  private readonly streamed: TurnText | undefined;

  readonly requests: ScriptStretch['requests'];
  readonly timeline: WordTimeline;

  constructor(options: ScriptOptions, text: StretchText) {
    const { settings } = options;
    this.options = options;
    this.text = text;
    this.timeline = createWordTimeline(GUESS_MS_PER_WEIGHT / (settings.synthesis.speed ?? 1));
    if (text.kind === 'coming') {
      const line = this.openLine();
      this.requests = line;
      this.streamed = this.openText(line, text.said);
    } else if (text.kind === 'whole') {
      const segments = saidSegments(text.said, textOptionsOf(settings));
      this.requests = this.openWhole(segments, text.said.text.length - text.said.from.unit);
    } else {
      const characters = text.lines.slice(text.from).reduce((sum, line) => sum + line.text.length, 0);
      const segments = linesSegments(text.lines, text.from, textOptionsOf(settings));
      this.requests = this.openWhole(segments, characters);
    }
  }

  append(text: string, speaker: 1 | 2 | undefined): void {
    this.streamed?.append(text, speaker);
  }
  flush(): void {
    this.streamed?.flush();
    this.requests.flush();
  }
  idle(): void {
    this.streamed?.idle();
  }
  end(): void {
    this.streamed?.end();
    this.requests.end();
  }
  pendingCharacters(): number {
    return this.requests.waitingCharacters() + (this.streamed?.heldCharacters() ?? 0);
  }
  endOf(said: number): number | undefined {
    return this.isPlaced(said) ? this.timeline.endOf(0, said) : undefined;
  }
  place(request: RequestText, pauseMs: number): readonly SpokenWord[] {
    this.placed += 1;
    const last = request.parts.at(-1);
    if (last !== undefined) this.placedUntil = endOfSegment(last.segment);
    const spoken = spokenWords(request.parts.map((part) => part.segment));
    // But for a dialogue, positions count over the whole text, whatever the speaker's line.
    this.timeline.addRequest(
      this.text.kind === 'dialogue'
        ? spoken
        : spoken.map((word) => (word.line === 0 ? word : { ...word, line: 0 })),
      pauseMs,
    );
    return spoken;
  }
  pauseBetween(before: RequestText, after: RequestText): number {
    const { speed } = this.options.settings.synthesis;
    return joinPauseMs(before, after, this.text.kind === 'coming' ? 'as-it-comes' : 'whole') / (speed ?? 1);
  }
  aligned(request: RequestText, words: readonly SpokenWord[]): AlignedText {
    return toAlignedText(request, words, this.options.settings.pronunciations);
  }
  toRequest(request: RequestText): OutgoingRequest {
    const { settings, seed, defaultVoice, defaultVoice2 } = this.options;
    const { synthesis, pronunciations } = settings;
    return toOutgoingRequest({ synthesis, seed, defaultVoice, defaultVoice2, pronunciations }, request);
  }
  lastBegun(playedMs: number): SpokenWord | undefined {
    return this.timeline.lastBegun(playedMs);
  }
  heardAt(playedMs: number | 'end', allText: string): HeardText & { readonly speaker: 1 | 2 | undefined } {
    const last = this.timeline.lastBegun(playedMs === 'end' ? Number.POSITIVE_INFINITY : playedMs);
    const rest = this.restLines(allText);
    const told =
      playedMs === 'end'
        ? { spokenText: rest.join('\n'), remainingText: '' }
        : heardText(rest, last && this.fromHere(last));
    return { ...told, speaker: last?.speaker };
  }

  private openWhole(segments: Iterable<Segment>, characters: number): ScriptStretch['requests'] {
    const prefixes = prefixesOf(this.options.settings.synthesis);
    return createWholeLine({
      requests:
        characters <= MAX_REQUEST_TEXT
          ? splitIntoRequests([...segments], MAX_REQUEST_TEXT, prefixes).values()
          : chapterRequests(segments[Symbol.iterator](), prefixes),
      characters,
      readAheadMs: READ_AHEAD_MS,
      remainingMs: this.options.remainingMs,
    });
  }
  private openLine(): RequestLine {
    const { settings, remainingMs } = this.options;
    return createRequestLine({
      prefetchMs: PREFETCH_MS,
      readAheadMs: READ_AHEAD_MS,
      remainingMs,
      prefixes: prefixesOf(settings.synthesis),
    });
  }
  /** What cuts the text into segments for the line, those that have been said first. */
  private openText(line: RequestLine, said: SaidText): TurnText {
    const { settings } = this.options;
    const { from } = said;
    const streamed = createTurnText({ ...textOptionsOf(settings), early: 'first-clause' }, (segment) => {
      const runs = segment.runs.map((run) => ({ ...run, start: run.start + from.point }));
      const moved = { ...segment, runs };
      this.cutUntil = endOfSegment(moved);
      line.add(moved);
    });
    let at = from.unit;
    let speaker = speakerAt(said, prefixesOf(settings.synthesis));
    for (const change of said.speakers.filter(({ unit }) => unit > from.unit)) {
      streamed.append(said.text.slice(at, change.unit), speaker);
      ({ unit: at, speaker } = change);
    }
    if (at < said.text.length) streamed.append(said.text.slice(at), speaker);
    return streamed;
  }
  /** Nothing of the first `codePoints` still waits to be asked for. */
  private isPlaced(codePoints: number): boolean {
    if (codePoints <= this.placedUntil) return true;
    if (this.requests.hasText() || this.requests.handedOut() > this.placed) return false;
    const { streamed } = this;
    return streamed === undefined || codePoints <= this.cutUntil || streamed.heldCharacters() === 0;
  }
  private restLines(allText: string): readonly string[] {
    const { text } = this;
    return text.kind === 'dialogue'
      ? text.lines.slice(text.from).map((line) => line.text)
      : [allText.slice(text.said.from.unit)];
  }
  /** The end of a word, in the lines of the stretch. */
  private fromHere({ line, charEnd }: SpokenWord) {
    const { text } = this;
    return text.kind === 'dialogue'
      ? { line: line - text.from, charEnd }
      : { line, charEnd: charEnd - text.said.from.point };
  }
}

export const createScriptStretch = (options: ScriptOptions, text: StretchText): ScriptStretch =>
  new SpokenStretch(options, text);
