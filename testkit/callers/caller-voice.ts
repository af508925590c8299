// What the caller of a simulated call says: nothing, or nothing until something has been heard for a while, then a second of a
// tone as loud as speech. That is what a bot with barge-in has to notice.

import { encodeAlaw, encodeMulaw } from '../../src/audio/dsp/g711.ts';
import { bytesPerMs, type PlainSound, silenceOf } from '../../src/speech/plain-sound.ts';

export type CallerVoice = {
  /** The next 20 ms; `isSpokenTo`: the caller has heard something by now. */
  next(isSpokenTo: boolean): Uint8Array;
};

const CHUNK_MS = 20;
const TALK_MS = 1000;
/** In the middle of a voice, and a whole number of periods in each chunk, so that chunks join. */
const TONE_HZ = 250;
/** −14 dB of full scale, as speech on a telephone line. */
const AMPLITUDE = 0.2;

function toneOf(sound: PlainSound): Uint8Array {
  const samples = Float32Array.from(
    { length: Math.round((CHUNK_MS * sound.sampleRate) / 1000) },
    (_, at) => AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * at) / sound.sampleRate),
  );
  const bytes = new Uint8Array(Math.round(CHUNK_MS * bytesPerMs(sound)));
  if (sound.format === 'mulaw') encodeMulaw(samples, bytes);
  else if (sound.format === 'alaw') encodeAlaw(samples, bytes);
  else {
    const view = new DataView(bytes.buffer);
    samples.forEach((sample, at) => {
      view.setInt16(at * 2, Math.round(sample * 32_767), true);
    });
  }
  return bytes;
}

/** `talkAfterMs`: from the first sound that is heard; undefined never talks. */
export function createCallerVoice(sound: PlainSound, talkAfterMs: number | undefined): CallerVoice {
  const silence = silenceOf(sound, CHUNK_MS);
  if (talkAfterMs === undefined) return { next: () => silence };
  const tone = toneOf(sound);
  let spokenToMs = 0;
  return {
    next(isSpokenTo) {
      if (isSpokenTo) spokenToMs += CHUNK_MS;
      return spokenToMs > talkAfterMs && spokenToMs <= talkAfterMs + TALK_MS ? tone : silence;
    },
  };
}
