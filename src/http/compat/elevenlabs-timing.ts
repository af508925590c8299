// Speech with the time of every character, as ElevenLabs's HTTP clients parse it: a line of JSON for each piece of audio,
// or one object that is written while it is made. Times are seconds from the beginning of the speech.

import { Buffer } from 'node:buffer';
import type { TimedWord } from '../../captions/word-timeline.ts';
import { createAligner } from '../../dialects/elevenlabs/aligner.ts';
import { base64Of } from './event-stream.ts';
import type { SpokenReply } from './speak-asked.ts';
import { createToldWords } from './told-words.ts';

type CharacterTimes = {
  readonly characters: readonly string[];
  readonly character_start_times_seconds: readonly number[];
  readonly character_end_times_seconds: readonly number[];
};

/** Null without a word. */
function characterTimes(words: readonly TimedWord[]): CharacterTimes | null {
  const aligner = createAligner('absolute');
  for (const word of words) aligner.add(word);
  const found = aligner.takeLoose(Number.POSITIVE_INFINITY);
  if (found === undefined) return null;
  const { chars, charStartTimesMs, charDurationsMs } = found;
  return {
    characters: chars,
    character_start_times_seconds: charStartTimesMs.map((ms) => ms / 1000),
    character_end_times_seconds: charStartTimesMs.map((ms, at) => (ms + charDurationsMs[at]!) / 1000),
  };
}

/** Numbers and signs are read by the engine: what was written is all that can be told. */
const timed = (alignment: CharacterTimes | null) => ({ alignment, normalized_alignment: alignment });

type Spoken = Pick<SpokenReply, 'sound' | 'audioMs' | 'words'>;

const lineOf = (audio_base64: string, words: readonly TimedWord[]): Buffer =>
  Buffer.from(`${JSON.stringify({ audio_base64, ...timed(characterTimes(words)) })}\n`);

export async function* timedLines(speech: Spoken): AsyncGenerator<Uint8Array, void, undefined> {
  const told = createToldWords(speech);
  for await (const bytes of speech.sound) yield lineOf(base64Of(bytes), told.next());
  const rest = told.rest();
  if (rest.length > 0) yield lineOf('', rest);
}

/** Base64 of bytes in pieces: each but the last is of whole threes. */
export async function* timedWhole(speech: Spoken): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from('{"audio_base64":"');
  let held: Uint8Array = new Uint8Array(0);
  for await (const bytes of speech.sound) {
    const all = Buffer.concat([held, bytes]);
    const whole = all.length - (all.length % 3);
    held = all.subarray(whole);
    yield Buffer.from(base64Of(all.subarray(0, whole)));
  }
  const times = JSON.stringify(timed(characterTimes(speech.words()))).slice(1);
  yield Buffer.from(`${base64Of(held)}",${times}`);
}
