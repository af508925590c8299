// Spoken parts → one stream of samples at one rate, each part cut to what its source had, with the silences between
// them. It holds one piece of one file at a time.

import type { SoundPath } from '../../audio/dsp/sound-path.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import { Mp3ToPcm } from '../../audio/mp3/mp3-to-pcm.ts';
import type { ClosableStage, PcmBlock } from '../../audio/stage.ts';
import type { FinishRequest } from '../audio-finisher.ts';
import type { SamplePlace } from './finished-sound.ts';
import { noSound } from './finishing-rate.ts';
import { readPart } from './read-part.ts';

export type DecodingMeans = { readonly decoders: Mp3Decoders; readonly sound: SoundPath };

export type DecodedSink = {
  /** Scratch memory, not to be written. */
  onSamples(samples: Float32Array): void;
  onBytes(bytes: number): void;
};

const SILENCE = new Float32Array(4800);

/** `sampleRate` in Hz. Resolves with the place of each part; rejects when one cannot be read or holds no sound. */
export async function decodeParts(
  parts: FinishRequest['parts'],
  sampleRate: number,
  { decoders, sound }: DecodingMeans,
  sink: DecodedSink,
): Promise<readonly SamplePlace[]> {
  let position = 0;
  const places: SamplePlace[] = [];
  const emit = (samples: Float32Array) => {
    position += samples.length;
    sink.onSamples(samples);
  };
  for (const [index, { path, gapMs }] of parts.entries()) {
    const start = position;
    let wayIn: ClosableStage<Float32Array> | undefined;
    let rateIn = 0;
    const endWayIn = () => {
      wayIn?.flush();
      wayIn = undefined;
    };
    const toPcm = new Mp3ToPcm(decoders, ({ samples, sampleRate: fromRate }: PcmBlock) => {
      if (fromRate !== rateIn) endWayIn();
      rateIn = fromRate;
      wayIn ??= sound.resample({ fromRate, toRate: sampleRate }, emit);
      wayIn.push(samples);
    });
    try {
      toPcm.beginStream();
      await readPart(
        path,
        { onFrame: (frame) => toPcm.push(frame), onTag: (tag) => toPcm.tag(tag) },
        (bytes) => {
          sink.onBytes(bytes);
          return 'go-on';
        },
      );
      endWayIn();
    } finally {
      wayIn?.close();
      toPcm.close();
    }
    if (toPcm.emittedSamples() === 0) throw noSound(index + 1, parts.length);
    places.push({ start, end: position });
    for (let left = gapSamples(gapMs, sampleRate); left > 0; left -= SILENCE.length)
      emit(left < SILENCE.length ? SILENCE.subarray(0, left) : SILENCE);
  }
  return places;
}

export const gapSamples = (gapMs: number, sampleRate: number): number =>
  Math.round((gapMs * sampleRate) / 1000);
