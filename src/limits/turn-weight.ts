// The weight of a turn on the playing thread, relative to µ-law in frames of 20 ms: ratios of measurements on the same machine. The
// cost of one unit is learned in headroom.ts.

import { mayNeedHeavyEncoder, type SessionFormat } from '../speech/audio-format.ts';
import { type WantedWords, wantsWords } from '../speech/wanted-words.ts';

export type WeighedTurn = WantedWords & {
  readonly format: SessionFormat;
  readonly sampleRate?: number | undefined;
  readonly frameMs: number;
  readonly audio: 'binary' | 'base64';
};

/** Of a stream-second of µ-law, two fifths are sending 50 frames, three fifths reading and decoding. */
const SENDING = 0.4;
const READING = 0.6;
const USUAL_FRAME_MS = 20;
/** JSON and base64 around a frame. */
const TEXT_FRAME = 0.15;
/** Handing samples to the encoder thread and taking its frames; the encoding itself is not on this thread. */
const HANDING_OVER = 0.2;
/** Handing speech to the word timer, and sending the words. */
const CAPTIONS = 0.2;
/** An HTTP reply is made as fast as the speech comes, about twice as fast as real time. */
const UNPACED = 2;

export function turnWeight({ format, sampleRate, frameMs, audio, ...words }: WeighedTurn): number {
  const isFramed = format === 'mulaw' || format === 'alaw' || format === 'raw';
  return (
    READING +
    SENDING * (isFramed ? USUAL_FRAME_MS / frameMs : 1) +
    (audio === 'base64' ? TEXT_FRAME : 0) +
    (mayNeedHeavyEncoder({ format, sampleRate }) ? HANDING_OVER : 0) +
    (wantsWords(words) ? CAPTIONS : 0)
  );
}

export const REPLY_WEIGHT = UNPACED;
