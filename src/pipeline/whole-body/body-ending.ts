// What is known of the end of a body, gathered when it has come to a proper end: what the service says, what the frames say,
// the words that are heard in it, and how its last second sounds.

import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import type { ToldLength } from '../../upstream/speech-upstream.ts';
import type { EndingWatch } from '../word-timing/speech-words.ts';
import { type CleanEnd, type Doubt, fitOf, type Verdict, verdictOf } from './ending-verdict.ts';
import type { RelayedSpeech } from './relayed-speech.ts';
import type { soundOfEnd } from './sound-of-end.ts';
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
  /** Audio that the listener has not heard yet, ms; infinite where nobody listens. */
  readonly remainingMs: number;
  /** How far ahead audio is sent, ms. */
  readonly leadMs: number;
};

export type JudgedEnding = {
  readonly verdict: Verdict;
  /** Where its words are, if it was held against the reference. */
  readonly heard: HeardEnding | undefined;
};

/** The last of the speech and the next request wait for the answer, and the listener must not run dry for it. */
const MIN_RESERVE_MS = 300;
/** Of what is sent ahead so much stays with the listener: it is there for a network that is late. */
const RESERVED_SHARE = 0.5;
const MIN_WAIT_MS = 300;
const MAX_WAIT_MS = 4000;
/** A file waits longer: nobody hears that it does. */
const FILE_WAIT_MS = 20_000;

/** How long an answer about an ending is waited for, ms. */
function endingWaitMs({ remainingMs, leadMs }: EndedBody): number {
  if (remainingMs === Number.POSITIVE_INFINITY) return FILE_WAIT_MS;
  const reserveMs = Math.max(MIN_RESERVE_MS, RESERVED_SHARE * leadMs);
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, remainingMs - reserveMs));
}

export async function judgeEnding(body: EndedBody): Promise<JudgedEnding> {
  const { request, letters, longestMs, relayed, voices, watch } = body;
  const reading = relayed.reading();
  const told = lengthTold(body);
  const voice = voices.voiceFit(request);
  const believed = (doubt: Doubt) => voices.isBelieved(request, doubt);
  // A voice whose speech has always been taken for cut may be one that our own cannot be held against.
  const answer =
    told === 'all' || believed('words-missing')
      ? undefined
      : await watch?.ending(endingWaitMs(body), voice === 'unknown' ? 'asked' : 'on-suspicion');
  const heard = answer === 'late' ? undefined : answer;
  if (heard !== undefined) voices.heardFit(request, fitOf(heard));
  if (told === 'all') voices.toldLength();
  const verdict = verdictOf({
    cutFrameBytes: reading.cutFrameBytes(),
    missingMs: reading.missingMs(),
    longestMs,
    told,
    heard,
    reference: answer === 'late' ? 'late' : 'none',
    sound: () => body.soundOfEnd(reading, body.decoders),
    believed,
    voice,
    service: voices.serviceFit(),
    audioMs: relayed.heardMs(),
    letters,
    lettersPerSecond: voices.fastest(request),
  });
  return { verdict, heard };
}

function lengthTold({ toldLength, relayed, voices }: EndedBody): CleanEnd['told'] {
  const bytes = toldLength?.bytes();
  if (bytes !== undefined) return bytes === relayed.print().bytes() ? 'all' : 'another-length';
  // What is announced and does not come may have been taken away on the way, but not once and the next time not.
  return toldLength !== undefined && voices.tellsLengths() ? 'not-this-time' : undefined;
}
