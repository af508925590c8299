// What everything that speaks shares, live or not: the port to the speech service, codecs and the clock.

import type { Codecs } from '../audio/transcoder.ts';
import type { Clock } from '../base/clock.ts';
import type { SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { SpeechUpkeep } from './whole-body/speech-upkeep.ts';
import type { WordTimer } from './word-timing/word-timer.ts';

export type SpeechRuntime = {
  readonly upstream: SpeechUpstream;
  readonly upkeep: SpeechUpkeep;
  readonly codecs: Codecs;
  readonly timer: WordTimer;
  readonly clock: Clock;
};
