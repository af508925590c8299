// Code that has never run is slow the first time: compilers, filter tables, a first WASM instance. A second of
// silence through the usual path before the first caller comes spares him a tenth of a second.

import type { Mp3Encoders } from './mp3/mp3-encoder.ts';
import { createMp3FrameParser } from './mp3/mp3-frame-parser.ts';
import { type Codecs, createTranscoder } from './transcoder.ts';

const SILENCE_MS = 1000;
const MP3_RATES = [24_000, 44_100] as const;
const BITRATE_KBPS = 64;

/** Decodes, resamples and encodes silence from the rates that speech services send to a phone's. */
export function warmCodecs(codecs: Codecs, encoders: Mp3Encoders): void {
  for (const sampleRate of MP3_RATES) {
    const encoder = encoders.open({ sampleRate, bitrateKbps: BITRATE_KBPS });
    const transcoder = createTranscoder({ format: 'mulaw', sampleRate: 8000, frameMs: 20 }, codecs, () => {});
    const parser = createMp3FrameParser({
      onFrame: (frame) => transcoder.push({ kind: 'frame', frame }),
      onTag() {},
    });
    transcoder.push({ kind: 'begin' });
    parser.push(encoder.encode(new Float32Array((SILENCE_MS * sampleRate) / 1000)));
    parser.push(encoder.finish());
    parser.flush();
    void transcoder.flush(); // µ-law is done when this returns
    transcoder.close();
  }
}
