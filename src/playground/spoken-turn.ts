// One turn on this page: its text, what happened to it, its words, and where its audio lies among all samples.

import type { PlayedFormat } from '../../packages/client/src/player/sample-decoder.ts';
import type { SoundOutput } from '../../packages/client/src/player/sound-output.ts';
import { type CaptionTrack, createCaptionTrack } from './caption-track.ts';
import { nameTurn, step, type TimelineEvent, type TurnTimeline } from './turn-timeline.ts';

export type SpokenTurn = {
  readonly id: string;
  /** Whole text, one entry for each line of a dialogue. Appended text grows. */
  readonly lines: { readonly speaker: 1 | 2 | undefined; text: string }[];
  readonly track: CaptionTrack;
  format: PlayedFormat;
  timeline: TurnTimeline;
  /** Where it is played; undefined until it has started. */
  output: SoundOutput | undefined;
  /** The sample that its time is counted from. */
  startSample: number;
  /** The sample after its last; undefined while audio may come. */
  endSample: number | undefined;
  /** Interrupted here: audio that is still on its way is not played. */
  isCut: boolean;
  /** Whether its text may still grow. */
  isOpen: boolean;
  isHeld: boolean;
  /** Counted from 0. */
  paragraph: number | undefined;
  paragraphs: number | undefined;
};

export const openTurn = ({
  id,
  lines,
  format,
  nowMs,
}: Pick<SpokenTurn, 'id' | 'lines' | 'format'> & { readonly nowMs: number }): SpokenTurn => ({
  id,
  lines,
  format,
  track: createCaptionTrack(),
  timeline: nameTurn(id, nowMs),
  output: undefined,
  startSample: 0,
  endSample: undefined,
  isCut: false,
  isOpen: false,
  isHeld: false,
  paragraph: undefined,
  paragraphs: undefined,
});

export function happen(turn: SpokenTurn, event: TimelineEvent, nowMs: number): void {
  turn.timeline = step(turn.timeline, event, nowMs);
}

/** Milliseconds of the turn's own audio that have been heard. */
export function heardMs({ output, startSample, endSample }: SpokenTurn): number {
  if (output === undefined) return 0;
  const played = Math.min(output.played(), endSample ?? Number.POSITIVE_INFINITY);
  return Math.max(0, ((played - startSample) * 1000) / output.sampleRate);
}

/** Nothing of it is to come, and nothing of it is to be heard. */
export function isOver({ timeline, output, endSample, isCut }: SpokenTurn): boolean {
  if (timeline.phase !== 'finished') return false;
  return isCut || output === undefined || (endSample !== undefined && output.played() >= endSample);
}
