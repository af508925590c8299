// One request of a turn, said whole: from what is kept of it, or by the speech service.

import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { RequestText } from '../text/request-text.ts';
import { segmentText } from '../text/segment.ts';
import { asking, chooseSound, expectedMs, type Listening } from '../upstream/sound-offer.ts';
import type { SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { SpeechWork } from '../upstream/speech-work.ts';
import type { RequestSpool } from './body-spool.ts';
import { type CachedSpeech, relayCached } from './cached-speech.ts';
import { countLetters } from './whole-body/voice-records.ts';
import { type RecoveryPolicy, type RequestReport, relayWholeBody } from './whole-body/whole-body.ts';

/** What all requests of a turn are said with. */
export type RequestVoice = {
  readonly upstream: SpeechUpstream;
  readonly spool: RequestSpool;
  toSpeechRequest(text: RequestText): OutgoingRequest;
  /** Who gets the sound: what the service is asked for depends on it. Absent: MP3. */
  readonly listening?: Listening | undefined;
  /** Where speech of the same requests may be kept; undefined: this turn is not played from there. */
  readonly phrases: CachedSpeech | undefined;
  readonly recoveryPolicy: RecoveryPolicy;
  readonly report: RequestReport;
};

export const lettersOf = ({ parts }: RequestText): number =>
  parts.reduce((sum, { segment }) => sum + countLetters(segmentText(segment)), 0);

/** Says `text` into the spool; `work` is what it is worth to the scheduler. Rejects as `relayWholeBody` does. */
export function sayRequest(
  voice: RequestVoice,
  text: RequestText,
  work: SpeechWork,
  signal: AbortSignal,
): Promise<void> {
  const { spool, report, phrases, recoveryPolicy } = voice;
  const letters = lettersOf(text);
  const spoken = voice.toSpeechRequest(text);
  const sound = chooseSound(voice.upstream.sounds, voice.listening, expectedMs(letters, spoken.speed));
  const request = asking(spoken, sound);
  const relay = (upstream: SpeechUpstream) =>
    relayWholeBody({ request, letters, work, upstream, spool, report }, recoveryPolicy, signal);
  return phrases === undefined ? relay(voice.upstream) : relayCached(phrases, request, voice.upstream, relay);
}
