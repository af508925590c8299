// An Interrupt of /v2/speak that is being carried out: which turns it waits for, and the report that it ends with.

import type { EventOf } from '../native-events.ts';
import { type FluxSpeech, heardTexts, speechReport } from './flux-speech.ts';

export type FluxInterrupt = {
  readonly speech: FluxSpeech;
  /** Where the client says that it is, ms from the session's first sample. */
  readonly offsetMs: number | undefined;
  /** Whether the turn is one of those that it stops. */
  cuts(turn: string): boolean;
  ended(event: EventOf<'ended'>): void;
  heard(event: EventOf<'heard'>): void;
  isDone(): boolean;
  /** How much of the speech has been heard, ms. */
  playedMs(): number;
  readonly report: (audioPlayedMs: number) => object;
};

export type FluxInterruptOptions = {
  readonly speech: FluxSpeech;
  readonly offsetMs: number | undefined;
  /** Its turns that have not ended. */
  readonly turns: readonly string[];
  /** Those of them that have begun to be heard, and will say how far. */
  readonly begun: ReadonlySet<string>;
  /** Text that no turn has. */
  readonly waiting: string;
};

export function createFluxInterrupt(options: FluxInterruptOptions): FluxInterrupt {
  const { speech, offsetMs, turns, begun, waiting } = options;
  const unended = new Set(turns);
  const unheard = new Set(turns.filter((turn) => begun.has(turn)));
  const heard = new Map<string, EventOf<'heard'>>();
  let playedMs = speech.sentMs;
  return {
    speech,
    offsetMs,
    cuts: (turn) => turns.includes(turn),
    ended({ turn, sentMs }) {
      if (unended.delete(turn)) speech.sentMs += sentMs;
    },
    heard(event) {
      const isCut = unheard.delete(event.turn);
      // Of a piece that has ended all was sent, and is dropped where it was not heard.
      if (isCut || speech.texts.has(event.turn)) heard.set(event.turn, event);
      if (isCut) playedMs += event.playedMs;
    },
    isDone: () => unended.size === 0 && unheard.size === 0,
    playedMs: () => playedMs,
    report(audioPlayedMs) {
      const { spoken, remaining } = heardTexts(speech, turns, heard);
      return {
        type: 'SpeechInterrupted',
        audio_played_ms: audioPlayedMs,
        text_spoken: spoken,
        text_remaining: remaining + waiting,
        metadata: speechReport(speech),
      };
    },
  };
}
