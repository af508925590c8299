// A stretch of a turn's text that is spoken without a jump: from where it began, or from the paragraph that was sought
// last. It cuts the text into requests and knows where the words of each stand in the stretch's own audio.

import { GUESS_MS_PER_WEIGHT, WordTimeline } from '../../captions/word-timeline.ts';
import { joinPauseMs } from '../../pipeline/join-pause.ts';
import { toAlignedText, toOutgoingRequest } from '../../pipeline/outgoing-request.ts';
import { createRequestLine, type RequestLine } from '../../pipeline/request-line.ts';
import type { ServedLink, ServedTurn } from '../../pipeline/speech-services.ts';
import { createWholeLine, type WholeLine } from '../../pipeline/whole-line.ts';
import { MAX_REQUEST_TEXT, type OutgoingRequest } from '../../speech/speech-request.ts';
import type { SpokenWord } from '../../speech/spoken-word.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import type { AppendedText } from '../../text/appended-text.ts';
import { codePointLength } from '../../text/code-points.ts';
import type { TextPlace } from '../../text/paragraphs.ts';
import { CHAPTER_SIZES, chapterRequests, type RequestText, WHOLE_SIZES } from '../../text/request-text.ts';
import type { Run, Segment } from '../../text/segment.ts';
import type { Pause } from '../../text/sentences/segmenter.ts';
import { spokenWords } from '../../text/spoken-words.ts';
import { type ReadingOptions, type ReadingState, type SaidText, toldRuns } from '../../text/text-reading.ts';
import {
  type CutStep,
  createTurnText,
  linesSegments,
  saidSegments,
  type TurnTextOptions,
} from '../../text/turn-text.ts';
import { ComingText } from '../coming-text.ts';
import type { TextWork } from '../text-work.ts';
import type { TurnSettings } from '../turn-settings.ts';
import { type HeardText, heardText, textBehind } from './heard-text.ts';

export type ScriptOptions = {
  readonly settings: TurnSettings;
  readonly seed: number;
  /** By which service it is spoken, and how. */
  readonly served: ServedTurn;
  /** Audio that the listener has not heard yet, in ms. */
  readonly remainingMs: () => number;
  readonly work: TextWork;
};

/** What is spoken: a text that is all there, one that is still coming, or lines from one of them on. */
export type StretchText =
  | { readonly kind: 'whole'; readonly said: SaidText }
  | {
      readonly kind: 'coming';
      readonly text: AppendedText;
      readonly from: TextPlace;
      readonly speakers: SaidText['speakers'];
      /** What has been read before `from`. */
      readonly state: ReadingState;
    }
  | {
      readonly kind: 'dialogue';
      readonly lines: readonly { readonly speaker: 1 | 2; readonly text: string }[];
      readonly from: number;
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
export const readingOptionsOf = (
  { synthesis, markup }: TurnSettings,
  text: ReadingOptions['text'],
): ReadingOptions => ({ markup, text, ...prefixesOf(synthesis) });
const textOptionsOf = ({ synthesis, markup }: TurnSettings): Omit<TurnTextOptions, 'early'> => ({
  language: synthesis.language ?? 'english',
  markup,
  ...prefixesOf(synthesis),
});

/** One for each turn, and one more for each place that is sought. */
export class ScriptStretch {
  private readonly options: ScriptOptions;
  private readonly text: StretchText;
  /** How far, in code points, text has been cut into segments, and how far it stands on the timeline. */
  private cutUntil = 0;
  private placedUntil = 0;
  private placed = 0;
  /** Where more text goes; undefined where all of it is there. */
  private readonly coming: ComingText | undefined;

  readonly requests: WholeLine;
  /** Of the stretch's own audio. */
  readonly timeline: WordTimeline;

  constructor(options: ScriptOptions, text: StretchText) {
    const { settings } = options;
    this.options = options;
    this.text = text;
    this.timeline = new WordTimeline(this.guessMsPerWeight());
    if (text.kind === 'coming') {
      const line = this.openLine();
      this.requests = line;
      this.coming = this.openText(line, text);
    } else if (text.kind === 'whole') {
      const segments = saidSegments(text.said, textOptionsOf(settings));
      this.requests = this.openWhole(segments, text.said.text.length - text.said.from.unit);
    } else {
      const characters = text.lines.slice(text.from).reduce((sum, line) => sum + line.text.length, 0);
      const segments = linesSegments(text.lines, text.from, textOptionsOf(settings));
      this.requests = this.openWhole(segments, characters);
    }
  }

  /** More has been appended to the text that comes. */
  appended(): void {
    this.coming?.go();
  }
  flush(): void {
    if (this.coming === undefined) this.requests.flush();
    else this.coming.ask('flush');
  }
  /** No text for a while: what may be spoken after so long is. */
  idle(pause: Pause): void {
    this.coming?.ask(pause === 'long' ? 'long-idle' : 'idle');
  }
  end(): void {
    this.coming?.ask('end');
  }
  /** Nothing more is cut: another stretch is spoken, or none. */
  close(): void {
    this.coming?.close();
  }
  /** Memory that its requests and words take. */
  bytes(): number {
    return this.requests.bytes() + this.timeline.bytes();
  }
  /** Characters that have not gone upstream yet. */
  pendingCharacters(): number {
    return this.requests.waitingCharacters() + (this.coming?.waitingCharacters() ?? 0);
  }
  /** Where the text before code point `said` has been spoken, ms; undefined while that is unknown. */
  endOf(said: number): number | undefined {
    return this.isPlaced(said) ? this.timeline.endOf(0, said) : undefined;
  }
  /** Puts the words of a request on the timeline, behind so much silence; call once per request, in order. */
  place(request: RequestText, pauseMs: number): readonly SpokenWord[] {
    this.placed += 1;
    const last = request.parts.at(-1);
    if (last !== undefined) this.placedUntil = endOfSegment(last.segment);
    const spoken = spokenWords(request.parts.map((part) => part.segment));
    this.timeline.addRequest(this.placedWords(spoken), pauseMs);
    return spoken;
  }
  pauseBetween(before: RequestText, after: RequestText): number {
    const { speed } = this.options.settings.synthesis;
    return joinPauseMs(before, after, this.text.kind === 'coming' ? 'as-it-comes' : 'whole') / (speed ?? 1);
  }
  /** What is said for a request, to find its words in the audio. */
  aligned(request: RequestText, words: readonly SpokenWord[]): AlignedText {
    const { settings, served } = this.options;
    return toAlignedText(request, words, settings.pronunciations, served.now().maxText);
  }
  toRequest(request: RequestText, link: ServedLink): OutgoingRequest {
    const { settings, seed } = this.options;
    return toOutgoingRequest({ ...link, seed, pronunciations: settings.pronunciations }, request);
  }
  /** The last word that has begun at `playedMs`. */
  lastBegun(playedMs: number): SpokenWord | undefined {
    return this.timeline.lastBegun(playedMs);
  }
  /** Of the text from the beginning of the stretch on. */
  heardAt(playedMs: number | 'end', allText: string): HeardText & { readonly speaker: 1 | 2 | undefined } {
    return this.heardOn(this.timeline, playedMs, allText);
  }
  /** The same where the speech has not been made so far: by the weight of the words alone. */
  guessHeardAt(playedMs: number, allText: string): ReturnType<ScriptStretch['heardAt']> {
    const { text } = this;
    const options = textOptionsOf(this.options.settings);
    const segments =
      text.kind === 'dialogue'
        ? linesSegments(text.lines, text.from, options)
        : saidSegments(text.kind === 'whole' ? text.said : { ...text, text: allText }, options);
    const words: SpokenWord[] = [];
    for (let ms = 0; ms <= playedMs; ) {
      const { value: segment, done } = segments.next();
      if (done === true) break;
      if (segment === 'more') continue;
      for (const word of spokenWords([segment])) {
        words.push(word);
        ms += (word.weight + word.pause) * this.guessMsPerWeight();
      }
    }
    const timeline = new WordTimeline(this.guessMsPerWeight());
    timeline.addRequest(this.placedWords(words));
    timeline.progress(0, 1, 'arriving');
    return this.heardOn(timeline, playedMs, allText);
  }

  private heardOn(
    timeline: WordTimeline,
    playedMs: number | 'end',
    allText: string,
  ): ReturnType<ScriptStretch['heardAt']> {
    const last = timeline.lastBegun(playedMs === 'end' ? Number.POSITIVE_INFINITY : playedMs);
    const rest = this.restLines(allText);
    const told =
      playedMs === 'end'
        ? { spokenText: heardText(rest, undefined).remainingText, remainingText: '' }
        : heardText(rest, last && this.fromHere(last));
    return { ...told, speaker: last?.speaker };
  }
  private guessMsPerWeight(): number {
    return GUESS_MS_PER_WEIGHT / (this.options.settings.synthesis.speed ?? 1);
  }
  /** But for a dialogue, positions count over the whole text, whatever the speaker's line. */
  private placedWords(spoken: readonly SpokenWord[]): readonly SpokenWord[] {
    if (this.text.kind === 'dialogue') return spoken;
    return spoken.map((word) => (word.line === 0 ? word : { ...word, line: 0 }));
  }
  private openWhole(segments: Iterator<CutStep>, characters: number): ScriptStretch['requests'] {
    const { settings, remainingMs, work } = this.options;
    const sizes = characters <= MAX_REQUEST_TEXT ? WHOLE_SIZES : CHAPTER_SIZES;
    return createWholeLine({
      requests: chapterRequests(segments, prefixesOf(settings.synthesis), sizes),
      later: (cutOn) => work.add({ cutOn }),
      characters,
      readAheadMs: READ_AHEAD_MS,
      remainingMs,
    });
  }
  private openLine(): RequestLine {
    const { settings, remainingMs } = this.options;
    return createRequestLine({
      prefetchMs: PREFETCH_MS,
      readAheadMs: READ_AHEAD_MS,
      remainingMs,
      onRoom: () => this.coming?.go(),
      hasUncut: () => this.coming?.isCut() === false,
      prefixes: prefixesOf(settings.synthesis),
    });
  }
  /** What cuts the text into segments for the line. */
  private openText(line: RequestLine, coming: Extract<StretchText, { readonly kind: 'coming' }>): ComingText {
    const { settings, work } = this.options;
    const { from, state } = coming;
    const within = state.talk ?? (from.unit === 0 ? undefined : 'text');
    const how = { ...textOptionsOf(settings), early: 'first-clause', within } as const;
    const cutter = createTurnText(how, (segment) => {
      const runs = segment.runs.map((run) => ({ ...run, start: run.start + from.point }));
      const moved = { ...segment, runs };
      this.cutUntil = endOfSegment(moved);
      line.add(moved);
    });
    return new ComingText({ ...coming, speaker: state.speaker, cutter, line, work });
  }
  /** Nothing of the first `codePoints` still waits to be asked for. */
  private isPlaced(codePoints: number): boolean {
    if (codePoints <= this.placedUntil) return true;
    if (this.requests.hasText() || this.requests.handedOut() > this.placed) return false;
    const { coming } = this;
    return coming === undefined || codePoints <= this.cutUntil || coming.waitingCharacters() === 0;
  }
  private restLines(allText: string): readonly (readonly Run[])[] {
    const { text } = this;
    const how = readingOptionsOf(this.options.settings, text.kind === 'coming' ? 'coming' : 'whole');
    if (text.kind === 'dialogue')
      return text.lines.slice(text.from).map((line) => toldRuns({ text: line.text, speakers: [] }, how));
    const { speakers } = text.kind === 'whole' ? text.said : text;
    return [runsFrom(toldRuns({ text: allText, speakers }, how), this.from())];
  }
  private from(): TextPlace {
    const { text } = this;
    if (text.kind === 'dialogue') return { unit: 0, point: 0 };
    return text.kind === 'whole' ? text.said.from : text.from;
  }
  /** The end of a word, in the lines of the stretch. */
  private fromHere({ line, charEnd }: SpokenWord) {
    const { text } = this;
    return text.kind === 'dialogue'
      ? { line: line - text.from, charEnd }
      : { line, charEnd: charEnd - this.from().point };
  }
}

/** Runs of a text from a place on, which is counted from. */
function runsFrom(runs: readonly Run[], { point }: TextPlace): readonly Run[] {
  if (point === 0) return runs;
  return runs.flatMap(({ text, start }) => {
    if (start >= point) return { text, start: start - point };
    const rest = textBehind(text, point - start);
    return rest === '' ? [] : { text: rest, start: 0 };
  });
}
