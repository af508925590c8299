// Code that has never run is slow the first time: compilers, filter tables, a first WASM instance. A second of
// silence through the usual path before the first caller comes saves that caller a tenth of a second.

import type { Mp3Encoders } from './mp3/mp3-encoder.ts';
import { Mp3FrameParser } from './mp3/mp3-frame-parser.ts';
import { type Codecs, createTranscoder } from './transcoder.ts';

const SILENCE_MS = 1000;
/** From which speech services send, Hz. */
export const USUAL_RATES = [24_000, 44_100] as const;
const BITRATE_KBPS = 64;

/** Decodes, resamples and encodes silence from `sampleRate` to a phone's rate: some 50 ms at a rate that comes first. */
export function warmCodecs(sampleRate: number, codecs: Codecs, encoders: Mp3Encoders): void {
  const encoder = encoders.open({ sampleRate, bitrateKbps: BITRATE_KBPS });
  const transcoder = createTranscoder({ format: 'mulaw', sampleRate: 8000, frameMs: 20 }, codecs, () => {});
  const parser = new Mp3FrameParser({
    onFrame: (frame) => transcoder.push({ kind: 'frame', frame }),
    onTag() {},
  });
  transcoder.push({ kind: 'begin' });
  parser.push(encoder.encode(new Float32Array((SILENCE_MS * sampleRate) / 1000)));
  parser.push(encoder.finish());
  parser.flush();
  transcoder.push({ kind: 'finish' }); // µ-law is done when this returns
  transcoder.close();
}
