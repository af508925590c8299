// What a turn weighs on the thread that plays, against one of µ-law in frames of 20 ms: the ratios of what was measured,
// each on the same machine. What one unit costs is learned where it is spent.

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
/** Samples handed to the thread that encodes them, and frames taken from it; the encoding itself is not here. */
const HANDING_OVER = 0.2;
/** Speech handed to the thread that finds its words, and the words told. */
const CAPTIONS = 0.2;
/** An HTTP reply is made as fast as the speech comes, at twice its pace or so. */
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
