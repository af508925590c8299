// What a live turn is joined from; `join-turn.ts` joins it. Those who carry out what happens find here whom to tell.

import type { LiveTurnOptions } from './live-turn.ts';
import type { StretchTimes } from './stretch-times.ts';
import type { TurnCaptions } from './turn-captions.ts';
import type { TurnFlushes } from './turn-flushes.ts';
import type { TurnHearing } from './turn-hearing.ts';
import type { TurnPlayout } from './turn-playout.ts';
import type { TurnProgress } from './turn-progress.ts';
import type { TurnScript } from './turn-script.ts';
import type { TurnSpeech } from './turn-speech.ts';

export type TurnParts = {
  readonly live: LiveTurnOptions;
  /** When the turn was first named. */
  readonly namedAtMs: number;
  readonly seed: number;
  /** Neither the listener's time nor the listener's credit holds it back. */
  readonly goesAtOnce: boolean;
  readonly times: StretchTimes;
  readonly flushes: TurnFlushes;
  readonly script: TurnScript;
  readonly speech: TurnSpeech;
  readonly captions: TurnCaptions;
  readonly playout: TurnPlayout;
  readonly hearing: TurnHearing;
  readonly progress: TurnProgress;
};
