// A sentence of real speech, 2.26 s at 24 kHz, as our decoder gives it.
import { readFileSync } from 'node:fs';
import { Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { Mp3ToPcm } from '../../src/audio/mp3/mp3-to-pcm.ts';
import { codecs } from './codecs.ts';

export function fixtureSpeech(): Float32Array {
  const samples: number[] = [];
  const decoder = new Mp3ToPcm(codecs.decoders, (block) => samples.push(...block.samples));
  const parser = new Mp3FrameParser({
    onFrame: (frame) => decoder.push(frame),
    onTag: (tag) => decoder.tag(tag),
  });
  decoder.beginStream();
  parser.push(readFileSync(new URL('../../fixtures/audio/lame-cbr-24k.mp3', import.meta.url)));
  parser.flush();
  decoder.endStream();
  decoder.close();
  return Float32Array.from(samples);
}
