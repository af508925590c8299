// What is known of the end of a body, gathered when it has come to a proper end: what the service says, what the frames say,
// the words that are heard in it, and how its last second sounds.

import type { Mp3Decoders } from '../audio/mp3-decoder.ts';
import type { HeardEnding } from '../captions/heard-ending.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { ToldLength } from '../upstream/speech-upstream.ts';
import { type CleanEnd, fitOf, type Verdict, verdictOf } from './ending-verdict.ts';
import type { RelayedSpeech } from './relayed-speech.ts';
import type { soundOfEnd } from './sound-of-end.ts';
import type { SpeechUpkeep } from './speech-upkeep.ts';
import type { EndingWatch } from './speech-words.ts';
import type { VoiceRecords } from './voice-records.ts';

export type EndedBody = {
  readonly request: OutgoingRequest;
  /** How many letters its text has. */
  readonly letters: number;
  /** The longest that it can take, ms. */
  readonly longestMs: number;
  readonly relayed: Pick<RelayedSpeech, 'reading' | 'print' | 'heardMs'>;
  readonly toldLength: ToldLength | undefined;
  /** Absent: nobody holds this speech against a reference. */
  readonly watch: Pick<EndingWatch, 'ending'> | undefined;
  readonly voices: VoiceRecords;
  readonly decoders: Mp3Decoders;
  readonly soundOfEnd: typeof soundOfEnd;
  readonly reference: SpeechUpkeep['reference'];
  /** Audio that the listener has not heard yet, ms; infinite where nobody listens. */
  readonly remainingMs: number;
};

export type JudgedEnding = {
  readonly verdict: Verdict;
  /** Where its words are, if it was held against the reference. */
  readonly heard: HeardEnding | undefined;
};

/** The listener must not run dry for it: the last of the speech and the next request wait for the answer. */
const RESERVE_MS = 300;
const MIN_WAIT_MS = 150;
const MAX_WAIT_MS = 4000;
/** A file waits longer: nobody hears that it does. */
const FILE_WAIT_MS = 20_000;

/** How long an answer about an ending is waited for, ms, while the listener has audio for `remainingMs`. */
const endingWaitMs = (remainingMs: number): number =>
  remainingMs === Number.POSITIVE_INFINITY
    ? FILE_WAIT_MS
    : Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, remainingMs - RESERVE_MS));

export async function judgeEnding(body: EndedBody): Promise<JudgedEnding> {
  const { request, letters, relayed, voices, watch } = body;
  const reading = relayed.reading();
  const told = lengthTold(body);
  const voice = voices.voiceFit(request);
  // A voice whose speech has always been taken for cut may be one that our own cannot be held against.
  const isUseful = told !== 'all' && !voices.isBelieved(request, 'words-missing');
  const heard = isUseful
    ? await watch?.ending(endingWaitMs(body.remainingMs), voice === 'unknown' ? 'asked' : 'on-suspicion')
    : undefined;
  if (heard !== undefined) voices.heardFit(request, fitOf(heard));
  const isByEar = told !== 'all' && heard === undefined;
  const end: CleanEnd = {
    cutFrameBytes: reading.cutFrameBytes(),
    missingMs: reading.missingMs(),
    longestMs: body.longestMs,
    told,
    heard,
    sound: isByEar ? body.soundOfEnd(reading, body.decoders) : undefined,
    reference: body.reference === 'none' ? 'none' : 'late',
    voice,
    service: voices.serviceFit(),
    audioMs: relayed.heardMs(),
    letters,
    lettersPerSecond: voices.fastest(request),
  };
  return { verdict: verdictOf(end), heard };
}

function lengthTold({ toldLength, relayed }: EndedBody): CleanEnd['told'] {
  if (toldLength === undefined) return undefined;
  const bytes = toldLength.bytes();
  if (bytes === undefined) return 'announced-but-missing';
  return bytes === relayed.print().bytes() ? 'all' : 'less-than-sent';
}
