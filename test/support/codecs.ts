// The real codecs, loaded once per test file, and speech as an upstream sends it.
import { createFilterBanks } from '../../src/audio/dsp/filter-bank.ts';
import { createSoundPath } from '../../src/audio/dsp/wasm-sound-path.ts';
import type { HeavyEncoders } from '../../src/audio/heavy-encoders.ts';
import { createHeavyStage } from '../../src/audio/heavy-stage.ts';
import { createLayer3Decoders } from '../../src/audio/mp3/layer3-decoders.ts';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import { type Mp3Frame, Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import type { Mp3StreamTag } from '../../src/audio/mp3/mp3-stream-tag.ts';
import { streamSamples } from '../../src/audio/mp3/mp3-to-pcm.ts';
import type { Codecs } from '../../src/audio/transcoder.ts';
import { tone } from './tone.ts';

const encoders = await loadMp3Encoders();

/** The heavy encoders on this thread: their frames come at once, their promises a little later. */
const heavy: HeavyEncoders = {
  isFull: () => false,
  open(output, events) {
    const stage = createHeavyStage(output, encoders, (frame) => {
      if (!isClosed) events.onFrame(frame);
    });
    let isClosed = false;
    const later = (act: () => void) => {
      if (!isClosed) act();
      return Promise.resolve();
    };
    return {
      push: (samples) => stage.push(samples),
      release: () => later(() => stage.release()),
      flush: () => later(() => stage.flush()),
      close() {
        if (!isClosed) stage.close();
        isClosed = true;
      },
      pendingSamples: () => 0,
    };
  },
};

const sound = createSoundPath(createFilterBanks());
export const codecs: Codecs = { decoders: createLayer3Decoders(), sound, heavy };

const made = new Map<string, Uint8Array>();

/** A tone of about `ms` milliseconds as MP3 without any tag; the same arguments give the same bytes. */
export function speechMp3(ms: number, sampleRate = 24_000): Uint8Array {
  const key = `${ms}@${sampleRate}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const encoder = encoders.open({ sampleRate, bitrateKbps: 64 });
  const body = encoder.encode(tone(440, sampleRate, Math.round((ms * sampleRate) / 1000), 0.3));
  const bytes = Uint8Array.from([...body, ...encoder.finish()]);
  made.set(key, bytes);
  return bytes;
}

export type Mp3Facts = {
  readonly frames: readonly Mp3Frame[];
  readonly sampleRate: number;
  /** What a decoder that knows the stream's delay and padding gives, at the stream's own rate. */
  readonly samples: number;
  readonly ms: number;
};

/** What a body of MP3 holds. */
export function mp3Facts(bytes: Uint8Array): Mp3Facts {
  const frames: Mp3Frame[] = [];
  let tag: Mp3StreamTag | undefined;
  const parser = new Mp3FrameParser({
    onFrame: (frame) => frames.push(frame),
    onTag(found) {
      tag = found;
    },
  });
  parser.push(bytes);
  parser.flush();
  const { sampleRate, samplesPerFrame } = frames[0]!.header;
  const samples = streamSamples(tag, frames.length, samplesPerFrame);
  return { frames, sampleRate, samples, ms: (samples * 1000) / sampleRate };
}
