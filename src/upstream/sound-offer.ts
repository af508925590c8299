// What a speech service is asked to answer in, decided in one place from what the service offers, who listens, and how much is to be
// said. Pure.

import type { AskedFormat, AskedSound, OutputFormat } from '../speech/audio-format.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';

type OfferedSound = {
  readonly format: AskedFormat;
  /** Hz that can be asked for; `own`: only the rate that the service has chosen. */
  readonly rates: readonly number[] | 'any' | 'own';
};

export type SoundOffer = {
  readonly sounds: readonly OfferedSound[];
  /** `mp3`: whoever listens; `listener`: what the listener gets, where that saves work and is not much longer. */
  readonly prefers: 'mp3' | 'listener';
  /** What the service counts: requests in a time, or those that are open at once, which a long body keeps busy. */
  readonly limit: 'requests' | 'at-once';
};

/** Who gets the sound. */
export type Listening = {
  readonly output: Pick<OutputFormat, 'format' | 'sampleRate'>;
  /** Hz that the caller has named; undefined: the format's usual one holds. */
  readonly namedRate: number | undefined;
  /** `live`: it is heard as it comes. */
  readonly reader: 'live' | 'nobody';
};

/** A service's own rate is hardly ever below this, and less is never asked for: speech is made of it for whoever wants less. */
const MIN_ASKED_RATE = 24_000;
/** PCM is six times as long as MP3: longer speech, a narration, comes as MP3. */
const MAX_PCM_MS = 30_000;
/** Where the open body takes up one of few places, as much as any spool takes in one go. */
const MAX_PCM_BYTES = 512 * 1024;
const LETTERS_A_SECOND = 12;

const MP3: AskedSound = { format: 'mp3' };

/** About how long a text of so many letters is, ms. */
export const expectedMs = (letters: number, speed = 1): number =>
  (letters * 1000) / (LETTERS_A_SECOND * speed);

export function chooseSound(
  offer: SoundOffer | undefined,
  listening: Listening | undefined,
  speechMs: number,
): AskedSound {
  if (offer === undefined || listening === undefined) return MP3;
  const same = offer.prefers === 'listener' ? listenersOwn(offer, listening, speechMs) : undefined;
  return same ?? mp3For(offer, listening);
}

/** What the listener gets, if it can be sent on as it comes. */
function listenersOwn(
  offer: SoundOffer,
  { output, reader }: Listening,
  speechMs: number,
): AskedSound | undefined {
  const { sampleRate } = output;
  if (sampleRate === undefined) return undefined;
  const { format } = output;
  if (format === 'mulaw' || format === 'alaw') return takeOffered(offer, { format, sampleRate });
  if ((format !== 'raw' && format !== 'wav') || reader === 'nobody' || sampleRate < MIN_ASKED_RATE)
    return undefined;
  const maxMs = offer.limit === 'at-once' ? (MAX_PCM_BYTES / (2 * sampleRate)) * 1000 : MAX_PCM_MS;
  return speechMs <= maxMs ? takeOffered(offer, { format: 'raw', sampleRate }) : undefined;
}

/** At the caller's rate where the service would send less, or something else. */
function mp3For(offer: SoundOffer, { namedRate }: Listening): AskedSound {
  if (namedRate === undefined || namedRate < MIN_ASKED_RATE) return MP3;
  return takeOffered(offer, { format: 'mp3', sampleRate: namedRate }) ?? MP3;
}

/** `asked` if the service offers it. */
function takeOffered(offer: SoundOffer, asked: AskedSound): AskedSound | undefined {
  const { format, sampleRate } = asked;
  const offered = offer.sounds.find((sound) => sound.format === format);
  if (offered === undefined) return undefined;
  const hasRate =
    sampleRate === undefined ||
    offered.rates === 'any' ||
    (offered.rates !== 'own' && offered.rates.includes(sampleRate));
  return hasRate ? asked : undefined;
}

/** What a request asks for, as far as the service offers it; else MP3 as the service sends it. */
export function offeredSound(offer: SoundOffer, { outputFormat, sampleRate }: OutgoingRequest): AskedSound {
  const format = outputFormat ?? 'mp3';
  if (format === 'flac') return MP3;
  return takeOffered(offer, { format, sampleRate }) ?? MP3;
}

/** The request with what it is to be answered in. */
export const asking = (request: OutgoingRequest, { format, sampleRate }: AskedSound): OutgoingRequest => ({
  ...request,
  outputFormat: format,
  ...(sampleRate === undefined ? {} : { sampleRate }),
});
