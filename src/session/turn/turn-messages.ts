// The messages that one turn says, built from its figures. Times are whole milliseconds.

import { AppError } from '../../base/app-error.ts';
import type { TimedWord } from '../../captions/word-timeline.ts';
import type { EventOf } from '../../dialects/native-events.ts';
import type { ServedLink } from '../../pipeline/speech-services.ts';
import type { SwitchReason } from '../../speech/upstream-names.ts';

/** Media positions are counted in samples on one side and in frames of MP3 on the other. */
export const ROUNDING_MS = 1;

export const wholeMs = (ms: number): number => Math.max(0, Math.round(ms));

/** `fromMs`: where the time of the words begins in that of the turn. One caption per run of words of the same dialogue line, all of them heard in the audio or none. */
export function captionEvents(
  turn: string,
  words: readonly TimedWord[],
  fromMs: number,
): EventOf<'caption'>[] {
  const captions: EventOf<'caption'>[] = [];
  for (const word of words) {
    let caption = captions.at(-1);
    const isHeard = word.withinMs !== undefined;
    if (caption?.line !== word.line || (caption.withinMs !== undefined) !== isHeard) {
      caption = { type: 'caption', turn, line: word.line, words: [], estimated: true };
      captions.push(caption);
    }
    if (word.withinMs !== undefined)
      caption.withinMs = Math.max(caption.withinMs ?? 0, Math.ceil(word.withinMs));
    caption.words.push({
      text: word.text,
      startMs: wholeMs(fromMs + word.startMs),
      endMs: wholeMs(fromMs + word.endMs),
      ...(word.speaker === undefined ? {} : { speaker: word.speaker }),
      charStart: word.charStart,
      charEnd: word.charEnd,
    });
  }
  return captions;
}

export type EndedFigures = Pick<
  EventOf<'ended'>,
  'outcome' | 'audioMs' | 'sentMs' | 'requests' | 'resumes' | 'cached' | 'servedBy'
>;

export const endedEvent = (turn: string, figures: EndedFigures): EventOf<'ended'> => ({
  type: 'ended',
  turn,
  outcome: figures.outcome,
  audioMs: wholeMs(figures.audioMs),
  sentMs: wholeMs(figures.sentMs),
  requests: figures.requests,
  resumes: figures.resumes,
  cached: figures.cached,
  ...(figures.servedBy === undefined ? {} : { servedBy: figures.servedBy }),
});

export type SwitchedFigures = {
  readonly from: ServedLink;
  readonly to: ServedLink;
  readonly atMs: number;
  readonly reason: SwitchReason;
};

export const switchedEvent = (
  turn: string,
  { from, to, atMs, reason }: SwitchedFigures,
): EventOf<'switched'> => ({
  type: 'switched',
  turn,
  from: from.service ?? '',
  to: to.service ?? '',
  atMs: wholeMs(atMs),
  reason,
});

export type HeardFigures = Pick<
  EventOf<'heard'>,
  'playedMs' | 'playedBy' | 'spokenText' | 'remainingText'
> & {
  readonly speaker: 1 | 2 | undefined;
};

export const heardEvent = (turn: string, { speaker, playedMs, ...rest }: HeardFigures): EventOf<'heard'> => ({
  type: 'heard',
  turn,
  playedMs: wholeMs(playedMs),
  ...rest,
  ...(speaker === undefined ? {} : { speaker }),
});

export const noAudio = () =>
  new AppError('upstream_bad_audio', 'The speech service answered with no sound at all.');

export const creditTimeout = () =>
  new AppError(
    'credit_timeout',
    'No played report came; with flow: "credit" send played as the listener hears the turn.',
  );

export const pauseTimeout = (ms: number) =>
  new AppError('pause_timeout', `The turn was paused and not resumed within ${Math.round(ms / 1000)} s.`);
export const closedContainer = (format: string) =>
  new AppError('cannot_seek', `The ${format} of this turn is closed; nothing can be put behind it.`);
