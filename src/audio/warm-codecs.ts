// Code that has never run is slow the first time: compilers, filter tables, a first WASM instance. A second of silence
// through the usual path before the first caller comes saves that caller some hundredths of a second.

import { Mp3FrameParser } from './mp3/mp3-frame-parser.ts';
import { silentMp3Frame } from './mp3/mp3-hole.ts';
import { type Codecs, Transcoder } from './transcoder.ts';

/** What speech services send: MPEG-2 Layer III at 24 kHz with 64 kbit/s, MPEG-1 at 44.1 kHz with 128; mono. */
const USUAL_FRAMES = [
  { header: [0xff, 0xf3, 0x84, 0xc0], bytes: 192, aSecond: 42 },
  { header: [0xff, 0xfb, 0x90, 0xc0], bytes: 417, aSecond: 38 },
] as const;

/** Decodes and resamples silence from the rates that speech services send to a phone's. */
export function warmCodecs(codecs: Codecs): void {
  for (const { header, bytes, aSecond } of USUAL_FRAMES) {
    const transcoder = new Transcoder({ format: 'mulaw', sampleRate: 8000, frameMs: 20 }, codecs, () => {});
    const parser = new Mp3FrameParser({
      onFrame: (frame) => transcoder.push({ kind: 'frame', frame }),
      onTag() {},
    });
    const first = new Uint8Array(bytes);
    first.set(header);
    const silent = silentMp3Frame(first);
    transcoder.push({ kind: 'begin' });
    for (let frame = 0; frame < aSecond; frame += 1) parser.push(silent);
    parser.flush();
    transcoder.push({ kind: 'finish' }); // µ-law is done when this returns
    transcoder.close();
  }
}
