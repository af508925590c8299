// What all speech shares, live or not: the port to the speech service, recovery, codecs, word timer and clock.

import type { Codecs } from '../audio/transcoder.ts';
import type { Clock } from '../base/clock.ts';
import type { SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { SpeechServices } from './speech-services.ts';
import type { SpeechRecovery } from './whole-body/speech-recovery.ts';
import type { WordTimer } from './word-timing/word-timer.ts';

export type SpeechRuntime = {
  /** Where there are services to choose among; else `upstream` is the only one. */
  readonly services?: SpeechServices | undefined;
  readonly upstream: SpeechUpstream;
  readonly recovery: SpeechRecovery;
  readonly codecs: Codecs;
  readonly timer: WordTimer;
  readonly clock: Clock;
};
