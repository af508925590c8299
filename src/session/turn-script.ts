// The text side of one turn: what the caller has said so far, cut into requests, with the words of each on the
// turn's timeline, so that captions, marks and heard text can point back into the caller's own text.

import { createWordTimeline, GUESS_MS_PER_WEIGHT, type WordTimeline } from '../captions/word-timeline.ts';
import { toAlignedText, toOutgoingRequest } from '../pipeline/outgoing-request.ts';
import { createRequestLine, type RequestLine } from '../pipeline/request-line.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { SpokenWord } from '../speech/spoken-word.ts';
import type { AlignedText } from '../text/aligned-text.ts';
import { codePointLength } from '../text/code-points.ts';
import type { RequestText } from '../text/request-text.ts';
import type { Segment } from '../text/segment.ts';
import { spokenWords } from '../text/spoken-words.ts';
import { createTurnText, dialogueSegments, wholeTextSegments } from '../text/turn-text.ts';
import { type HeardText, heardText } from './heard-text.ts';
import type { TurnSettings } from './turn-settings.ts';

export type WholeText =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'dialogue';
      readonly lines: readonly { readonly speaker: 1 | 2; readonly text: string }[];
    };

export type ScriptOptions = {
  readonly settings: TurnSettings;
  readonly seed: number;
  readonly defaultVoice: string | undefined;
  readonly defaultVoice2: string | undefined;
  /** Audio that the listener has not heard yet, in ms. */
  readonly remainingMs: () => number;
};

export type TurnScript = {
  readonly requests: RequestLine;
  readonly timeline: WordTimeline;
  append(text: string, speaker: 1 | 2 | undefined): void;
  flush(): void;
  /** No text for a while: what is complete enough is spoken. */
  idle(): void;
  end(): void;
  readonly input: 'open' | 'ended';
  /** Characters that have not gone upstream yet. */
  readonly pendingCharacters: number;
  readonly totalCharacters: number;
  /** The same in Unicode code points, which is what callers are told. */
  readonly totalCodePoints: number;
  /** Tells, when asked later, where everything said by now has been spoken, ms; undefined while that is unknown. */
  endOfText(): () => number | undefined;
  /** Puts the words of a request on the timeline; call once per request, in order. */
  place(text: RequestText): readonly SpokenWord[];
  /** What is said for a request, to find its words in the audio. */
  aligned(text: RequestText, words: readonly SpokenWord[]): AlignedText;
  readonly toRequest: (text: RequestText) => OutgoingRequest;
  /** The caller's text so far: one line, or those of a dialogue. */
  readonly lines: () => readonly string[];
  heardAt(playedMs: number | 'end'): HeardText & { readonly speaker: 1 | 2 | undefined };
};

/** The next request goes out when less than this is left to hear: time enough for a slow first byte. */
export const PREFETCH_MS = 4000;

export function createTurnScript(options: ScriptOptions, whole: WholeText | undefined): TurnScript {
  const { settings } = options;
  const { synthesis } = settings;
  const prefixes = {
    turnPrefix: synthesis.turnPrefix ?? undefined,
    turnPrefix2: synthesis.turnPrefix2 ?? undefined,
  };
  const textOptions = {
    language: synthesis.language ?? 'english',
    markup: settings.markup,
    ...prefixes,
  } as const;
  const requests = createRequestLine({
    prefetchMs: PREFETCH_MS,
    remainingMs: options.remainingMs,
    prefixes,
  });
  const timeline = createWordTimeline(GUESS_MS_PER_WEIGHT / (synthesis.speed ?? 1));
  let input: 'open' | 'ended' = whole === undefined ? 'open' : 'ended';
  let callerText = '';

  /** How far, in code points, text has been cut into segments, and how far it stands on the timeline. */
  let cutUntil = 0;
  let placedUntil = 0;
  let placed = 0;

  const add = (segment: Segment) => {
    cutUntil = endOfSegment(segment);
    requests.add(segment);
  };
  const streamed =
    whole === undefined ? createTurnText({ ...textOptions, early: 'first-clause' }, add) : undefined;
  if (whole !== undefined) {
    const segments =
      whole.kind === 'text'
        ? wholeTextSegments(whole.text, textOptions)
        : dialogueSegments(whole.lines, textOptions);
    requests.addAll(segments);
    requests.end();
  }
  const lines = (): readonly string[] => {
    if (whole === undefined) return [callerText];
    return whole.kind === 'text' ? [whole.text] : whole.lines.map((line) => line.text);
  };

  /** Nothing of the first `codePoints` still waits to be asked for. */
  const isPlaced = (codePoints: number): boolean => {
    if (codePoints <= placedUntil) return true;
    if (requests.hasText || requests.handedOut > placed) return false;
    return codePoints <= cutUntil || streamed?.heldCharacters === 0;
  };

  return {
    requests,
    timeline,
    lines,
    append(text, speaker) {
      callerText += text;
      streamed?.append(text, speaker);
    },
    flush() {
      streamed?.flush();
      requests.flush();
    },
    idle() {
      streamed?.idle();
    },
    end() {
      if (input === 'ended') return;
      input = 'ended';
      streamed?.end();
      requests.end();
    },
    get input() {
      return input;
    },
    get pendingCharacters() {
      return requests.waitingCharacters + (streamed?.heldCharacters ?? 0);
    },
    get totalCharacters() {
      return lines().reduce((sum, text) => sum + text.length, 0);
    },
    get totalCodePoints() {
      return lines().reduce((sum, text) => sum + codePointLength(text), 0);
    },
    endOfText() {
      if (streamed === undefined) return () => undefined; // it is over when the turn is
      const said = streamed.appendedCodePoints;
      if (said === 0) return () => 0;
      return () => (isPlaced(said) ? timeline.endOf(0, said) : undefined);
    },
    place(text) {
      placed += 1;
      const last = text.parts.at(-1);
      if (last !== undefined) placedUntil = endOfSegment(last.segment);
      const spoken = spokenWords(text.parts.map((part) => part.segment));
      // Streamed turns count positions over the whole text, whatever the speaker's line.
      timeline.addRequest(whole?.kind === 'dialogue' ? spoken : spoken.map((word) => ({ ...word, line: 0 })));
      return spoken;
    },
    aligned: (text, words) => toAlignedText(text, words, settings.pronunciations),
    toRequest: (text) =>
      toOutgoingRequest({ ...options, synthesis, pronunciations: settings.pronunciations }, text),
    heardAt(playedMs) {
      const last = timeline.lastBegun(playedMs === 'end' ? Number.POSITIVE_INFINITY : playedMs);
      const text =
        playedMs === 'end' ? { spokenText: lines().join('\n'), remainingText: '' } : heardText(lines(), last);
      return { ...text, speaker: last?.speaker };
    },
  };
}

const endOfSegment = ({ runs }: Segment): number => {
  const last = runs.at(-1);
  return last === undefined ? 0 : last.start + codePointLength(last.text);
};
