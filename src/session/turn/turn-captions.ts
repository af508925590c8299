// The words of a turn as its client is told them, and for observers: those of the stretch that is being spoken,
// in the turn's own time.

import type { TimedWord, WordReader } from '../../captions/word-timeline.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { StretchTimes } from './stretch-times.ts';
import { captionEvents } from './turn-messages.ts';
import type { TurnScript } from './turn-script.ts';

export type TurnCaptionsOptions = {
  readonly turn: string;
  readonly settings: TurnSettings;
  readonly script: TurnScript;
  readonly times: StretchTimes;
  readonly say: (event: ServerEvent) => void;
};

/** Asked for each frame. */
export class TurnCaptions {
  private readonly options: TurnCaptionsOptions;

  constructor(options: TurnCaptionsOptions) {
    this.options = options;
  }

  /**
   * Tells the words of audio up to media position `untilMs`, if the client wants captions; `beforeMs`: only those that
   * begin before it, in the stretch's own time.
   */
  say(untilMs: number, beforeMs = Number.POSITIVE_INFINITY): void {
    const { turn, settings, script, times, say } = this.options;
    if (settings.captions !== 'words') return;
    const words = script.stretch().timeline.take(times.toOwn(untilMs));
    if (words.length === 0) return;
    const told = words.filter(({ startMs }) => startMs < beforeMs);
    captionEvents(turn, told, times.fromMs()).forEach(say);
  }
  /** The words of audio up to media position `untilMs` were told in an earlier life of the turn. */
  passOver(untilMs: number): void {
    const { script, times } = this.options;
    script.stretch().timeline.take(times.toOwn(untilMs));
  }
  /** Where the word begins that is heard at media position `ms`; there, where none is known. */
  wordAt(ms: number): number {
    const { script, times } = this.options;
    const last = script.stretch().timeline.reader().read(times.toOwn(ms)).at(-1);
    return last === undefined ? ms : Math.min(ms, times.toSent(last.startMs));
  }
  /** A reader of its own, from the first word on; what is left of a stretch that has been sought past is not read any more. */
  readWords(): WordReader {
    const { script, times } = this.options;
    let stretch = script.stretch();
    let reader = stretch.timeline.reader();
    const inTurn = (words: readonly TimedWord[]): TimedWord[] => {
      const fromMs = times.fromMs();
      return words.map((word) => ({
        ...word,
        startMs: word.startMs + fromMs,
        endMs: word.endMs + fromMs,
      }));
    };
    return {
      read(untilMs) {
        if (script.stretch() !== stretch) {
          stretch = script.stretch();
          reader = stretch.timeline.reader();
        }
        return inTurn(reader.read(times.toOwn(untilMs)));
      },
      again: (count) => (script.stretch() === stretch ? inTurn(reader.again(count)) : []),
    };
  }
}
