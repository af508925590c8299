// The life of one turn as a pure machine: what happened → the next phase, and what the session must do about
// it, in order. Every turn says `ended` exactly once; every turn that said `started`, here or at an instance that is gone,
// says `heard` exactly once.
//
//     held                  paused
//      │ pause, resume        │ pause, resume
//   waiting ──audio-ready──▶ playing ──audio-sent──▶ draining ──heard──▶ finished
//      └──────── cancel, fail ─────┴──── cancel ────────┴──────────────────▶┘

import type { AppError } from '../../base/app-error.ts';
import type { Outcome } from '../../dialects/native-events.ts';

/** Whether its listener has had its `started`, from an instance that is gone. */
type ToldBefore = 'nothing' | 'started';

export type Turn = {
  /** `narration`: its listener has paused it or moved in it, so it is a text that is read aloud. */
  readonly as: 'conversation' | 'narration';
} & (
  | { readonly phase: 'waiting'; readonly told: ToldBefore }
  /** Paused before its first audio. */
  | { readonly phase: 'held'; readonly told: ToldBefore; readonly sinceMs: number }
  | { readonly phase: 'playing' }
  /** Paused in its audio. */
  | { readonly phase: 'paused'; readonly sinceMs: number }
  | { readonly phase: 'draining'; readonly outcome: Outcome }
  | { readonly phase: 'finished'; readonly outcome: Outcome }
);

/** Where a listener moves to; with `playedMs` the listener has dropped what had not been played. */
export type Place = { readonly paragraph: number; readonly playedMs: number | undefined };

export type TurnEvent =
  /** Enough audio waits to begin, and it is this turn's time. */
  | { readonly type: 'audio-ready' }
  /** The last frame has been sent; `error` when the speech broke off before its end. */
  | { readonly type: 'audio-sent'; readonly error: AppError | undefined }
  /** The listener has heard everything that was sent. */
  | { readonly type: 'heard' }
  | { readonly type: 'pause'; readonly nowMs: number }
  | { readonly type: 'resume' }
  /** Another paragraph is wanted. */
  | { readonly type: 'seek'; readonly to: Place }
  | { readonly type: 'cancel' }
  /** Nothing more can be played, at once. */
  | { readonly type: 'fail'; readonly error: AppError };

export type Effect =
  | { readonly do: 'say-started' }
  | { readonly do: 'say-error'; readonly error: AppError }
  | { readonly do: 'say-ended'; readonly outcome: Outcome }
  /** `after`: a listener that has cancelled may have heard less than the clock says. */
  | { readonly do: 'say-heard'; readonly after: 'cancel' | 'end' }
  | { readonly do: 'stop-clock' }
  | { readonly do: 'start-clock' }
  | { readonly do: 'say-paused' }
  | { readonly do: 'say-resumed' }
  | { readonly do: 'speak-on'; readonly from: Place }
  | { readonly do: 'stop-speaking' }
  | { readonly do: 'settle-marks'; readonly outcome: 'played' | 'cleared' };

export type Step = { readonly turn: Turn; readonly effects: readonly Effect[] };

const to = (turn: Turn, ...effects: Effect[]): Step => ({ turn, effects });
const narrated = <T extends Turn>(turn: T): T => ({ ...turn, as: 'narration' });
const sayError = (error: AppError | undefined): Effect[] =>
  error === undefined ? [] : [{ do: 'say-error', error }];

export function step(turn: Turn, event: TurnEvent): Step {
  switch (turn.phase) {
    case 'waiting':
    case 'held':
      return stepUnheard(turn, event);
    case 'playing':
    case 'paused':
      return stepHeard(turn, event);
    case 'draining':
      return stepDraining(turn, event);
    case 'finished':
      return to(turn);
  }
}

type Unheard = Extract<Turn, { phase: 'waiting' | 'held' }>;
type BeingHeard = Extract<Turn, { phase: 'playing' | 'paused' }>;

function stepUnheard(turn: Unheard, event: TurnEvent): Step {
  switch (event.type) {
    case 'audio-ready':
      return turn.phase === 'held' ? to(turn) : to({ phase: 'playing', as: turn.as }, { do: 'say-started' });
    case 'pause':
      return turn.phase === 'held'
        ? to(turn, { do: 'say-paused' })
        : to(
            { phase: 'held', as: 'narration', told: turn.told, sinceMs: event.nowMs },
            { do: 'stop-clock' },
            { do: 'say-paused' },
          );
    case 'resume':
      return turn.phase === 'waiting'
        ? to(turn, { do: 'say-resumed' })
        : to(
            { phase: 'waiting', as: turn.as, told: turn.told },
            { do: 'say-resumed' },
            { do: 'start-clock' },
          );
    case 'seek':
      return to(narrated(turn), { do: 'speak-on', from: event.to });
    case 'cancel':
      return turn.told === 'started' ? cutShort(turn) : giveUp(turn, 'cancelled', undefined);
    case 'fail':
      return turn.told === 'started' ? breakOff(turn, event.error) : giveUp(turn, 'failed', event.error);
    case 'audio-sent':
    case 'heard':
      return to(turn);
  }
}

/** Ends a turn at once, `afterwards` said last. */
const giveUp = ({ as }: Turn, outcome: Outcome, error: AppError | undefined, ...afterwards: Effect[]): Step =>
  to(
    { phase: 'finished', as, outcome },
    { do: 'stop-speaking' },
    ...sayError(error),
    { do: 'say-ended', outcome },
    { do: 'settle-marks', outcome: 'cleared' },
    ...afterwards,
  );

/** Of what is cut or breaks off after its `started`, something may have been heard. */
const cutShort = (turn: Turn): Step =>
  giveUp(turn, 'cancelled', undefined, { do: 'say-heard', after: 'cancel' });
const breakOff = (turn: Turn, error: AppError): Step =>
  giveUp(turn, 'truncated', error, { do: 'say-heard', after: 'end' });

function stepHeard(turn: BeingHeard, event: TurnEvent): Step {
  switch (event.type) {
    case 'audio-sent': {
      if (turn.phase === 'paused') return to(turn);
      const outcome = event.error === undefined ? 'complete' : 'truncated';
      return to({ phase: 'draining', as: turn.as, outcome }, ...sayError(event.error), {
        do: 'say-ended',
        outcome,
      });
    }
    case 'pause':
      return turn.phase === 'paused'
        ? to(turn, { do: 'say-paused' })
        : to(
            { phase: 'paused', as: 'narration', sinceMs: event.nowMs },
            { do: 'stop-clock' },
            { do: 'say-paused' },
          );
    case 'resume':
      return turn.phase === 'playing'
        ? to(turn, { do: 'say-resumed' })
        : to({ phase: 'playing', as: turn.as }, { do: 'say-resumed' }, { do: 'start-clock' });
    case 'seek':
      return to(narrated(turn), { do: 'speak-on', from: event.to });
    case 'cancel':
      return cutShort(turn);
    case 'fail':
      return breakOff(turn, event.error);
    case 'audio-ready':
    case 'heard':
      return to(turn);
  }
}

function stepDraining(turn: Extract<Turn, { phase: 'draining' }>, event: TurnEvent): Step {
  const finished: Turn = { phase: 'finished', as: turn.as, outcome: turn.outcome };
  // Marks that were reached have been answered; behind speech that broke off lies text that was never spoken.
  const left = turn.outcome === 'complete' ? 'played' : 'cleared';
  if (event.type === 'heard')
    return to(finished, { do: 'settle-marks', outcome: left }, { do: 'say-heard', after: 'end' });
  if (event.type === 'cancel')
    return to(finished, { do: 'settle-marks', outcome: 'cleared' }, { do: 'say-heard', after: 'cancel' });
  return to(turn);
}
