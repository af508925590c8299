// Gathers what is known of the end of a body that ended properly: what the service says, what the frames say, the words that
// are heard in it, and how its last second sounds.

import type { FrameHeader } from '../../audio/bodies/sound-frame.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import { featureTrack } from '../../captions/alignment/feature-track.ts';
import { type HeardEnding, type SoundEnding, soundEndingOf } from '../../captions/alignment/heard-ending.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import type { ToldLength } from '../../upstream/speech-upstream.ts';
import type { EndingWatch } from '../word-timing/speech-words.ts';
import type { BodyReading } from './body-reading.ts';
import { type CleanEnd, type Doubt, fitOf, type Verdict, verdictOf } from './ending-verdict.ts';
import type { RelayedSpeech } from './relayed-speech.ts';
import { decodeFrames } from './splice-runs.ts';
import type { VoiceRecords } from './voice-records.ts';

export type EndedBody = {
  readonly request: OutgoingRequest;
  /** How many letters its text has. */
  readonly letters: number;
  /** The longest that speech of it can last, ms. */
  readonly longestMs: number;
  readonly relayed: Pick<RelayedSpeech, 'reading' | 'fingerprint' | 'heardMs'>;
  readonly toldLength: ToldLength | undefined;
  /** Absent: this speech is not compared with a reference. */
  readonly watch: Pick<EndingWatch, 'ending'> | undefined;
  readonly voices: VoiceRecords;
  readonly decoders: Mp3Decoders;
  readonly soundOfEnd: typeof soundOfEnd;
  /** Audio that the listener has not heard yet, ms; infinite without a listener. */
  readonly remainingMs: number;
  /** How far ahead audio is sent, ms. */
  readonly leadMs: number;
};

export type JudgedEnding = {
  readonly verdict: Verdict;
  /** Where its words are, if it was compared with the reference. */
  readonly heard: HeardEnding | undefined;
};

/** The end of the speech and the next request wait for the answer; the listener must not run dry meanwhile. */
const MIN_RESERVE_MS = 300;
/** This share of the playout lead is not spent on waiting: it is there for a late network. */
const RESERVED_SHARE = 0.5;
const MIN_WAIT_MS = 300;
const MAX_WAIT_MS = 4000;
/** A file waits longer: it has no listener. */
const FILE_WAIT_MS = 20_000;

/** How long to wait for the answer about an ending, ms. */
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
  const alwaysBreaksOff = () =>
    voices.alwaysBreaksOff(request, relayed.fingerprint().digest(), relayed.heardMs());
  // Works alone: who listens is told of a sign, a work would fail over it for good.
  const isUnheard = body.remainingMs === Number.POSITIVE_INFINITY;
  const believed = (doubt: Doubt) =>
    voices.isBelieved(request, doubt) || (doubt === 'breaks-off' && isUnheard && alwaysBreaksOff());
  // A voice whose speech always seems cut may be one that our reference cannot be compared with.
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
  if (bytes !== undefined) return bytes === relayed.fingerprint().bytes() ? 'all' : 'another-length';
  // A proxy may strip the announced length, but then from all bodies, not from one and not from the next.
  return toldLength !== undefined && voices.tellsLengths() ? 'not-this-time' : undefined;
}

/** About 1.7 s at 24 kHz: a sentence's melody falls in less. */
const LAST_FRAMES = 72;
/** Frames of other sound are as long as those, or twice as long. */
const LAST_MS = 1728;

function lastFrames(header: FrameHeader | undefined): number {
  if (header?.code === undefined) return LAST_FRAMES;
  return Math.ceil((LAST_MS * header.sampleRate) / 1000 / header.samplesPerFrame);
}

/**
 * How the last second of a body sounds. Decodes it once more, about a millisecond of work, only where nothing surer shows
 * whether the body is whole. Undefined: too little of the end is kept, or it tells nothing.
 */
export function soundOfEnd(reading: BodyReading, decoders: Mp3Decoders): SoundEnding | undefined {
  const first = Math.max(0, reading.frames() - lastFrames(reading.header()));
  const kept = reading.frameRange(first, reading.frames());
  const held = reading.heldFrame();
  const frames = held === undefined ? kept : kept && [...kept, held];
  const sampleRate = frames?.[0]?.header.sampleRate;
  if (frames === undefined || sampleRate === undefined) return undefined;
  if (frames.some(({ header }) => header.sampleRate !== sampleRate)) return undefined;
  const { samples } = decodeFrames(decoders, frames, first);
  return soundEndingOf(featureTrack(samples, sampleRate).levels);
}
