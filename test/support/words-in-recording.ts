// Which words are in the recording of a call: each is looked for where the speech of its service, as it was sent, has it.

import { ALAW_VALUES, MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import { decodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import type { LegAudio } from '../../src/legs/leg.ts';
import type { HeardBlock } from '../../testkit/carriers/carrier-playout.ts';
import type { TrueWord } from './breaking-service.ts';
import { codecs } from './codecs.ts';

/** All that was heard, one block behind the other. */
export function recordingOf({ format }: LegAudio, heard: readonly HeardBlock[]): Float32Array {
  const bytes = Buffer.concat(heard.map((block) => block.bytes));
  if (format === 'raw') return decodePcm16(bytes);
  const values = format === 'mulaw' ? MULAW_VALUES : ALAW_VALUES;
  return Float32Array.from(bytes, (byte) => values[byte]! / 32_768);
}

/** What was heard of one request: its speech from the beginning on, and where that is in the recording. */
export type RecordedPart = {
  readonly sound: Float32Array;
  readonly soundRate: number;
  readonly words: readonly TrueWord[];
  readonly fromMs: number;
  readonly toMs: number;
};

/** A word may be so much beside its place: what legs fill up, and what times are rounded to, ms. */
const REACH_MS = 45;
/** How much a word in a recording is like that word as it was sent; another one is less. */
const MIN_LIKENESS = 0.8;
const WHOLE_WITHIN_MS = 30;

function likenessAt(recording: Float32Array, at: number, word: Float32Array): number {
  let [product, ours, theirs] = [0, 0, 0];
  for (let i = 0; i < word.length; i += 1) {
    const [a, b] = [recording[at + i] ?? 0, word[i]!];
    product += a * b;
    ours += a * a;
    theirs += b * b;
  }
  return product / Math.sqrt(ours * theirs + 1e-12);
}
/** Where `sound` is in the recording, between `first` and `last`: the place that is most like it, and how much. */
export function placeOf(
  recording: Float32Array,
  sound: Float32Array,
  first: number,
  last: number,
): { readonly at: number; readonly likeness: number } {
  let best = { at: first, likeness: -1 };
  for (let at = first; at <= last; at += 1) {
    const likeness = likenessAt(recording, at, sound);
    if (likeness > best.likeness) best = { at, likeness };
  }
  return best;
}

/** By `beforeEnd`, the place of a word counted from the end of the text: how often each was heard whole. */
export function wordsInRecording(
  recording: Float32Array,
  sampleRate: number,
  parts: readonly RecordedPart[],
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { sound, soundRate, words, fromMs, toMs } of parts) {
    const blocks: Float32Array[] = [];
    const stage = codecs.sound.resample({ fromRate: soundRate, toRate: sampleRate }, (block) =>
      blocks.push(block.slice()),
    );
    stage.push(sound);
    stage.flush();
    const all = Float32Array.from(blocks.flatMap((block) => [...block]));
    const atOf = (ms: number) => Math.round((ms * sampleRate) / 1000);
    for (const { startMs, endMs, beforeEnd } of words) {
      if (fromMs + endMs > toMs + WHOLE_WITHIN_MS) continue;
      const word = all.subarray(atOf(startMs), atOf(endMs));
      const most = placeOf(
        recording,
        word,
        atOf(fromMs + startMs - REACH_MS),
        atOf(fromMs + startMs + REACH_MS),
      ).likeness;
      if (most >= MIN_LIKENESS) counts.set(beforeEnd, (counts.get(beforeEnd) ?? 0) + 1);
    }
  }
  return counts;
}
