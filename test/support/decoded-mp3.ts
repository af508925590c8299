// All samples of an MP3 body, as a listener hears them.

import { openBodyParser } from '../../src/audio/bodies/body-parsers.ts';
import { MP3_BODY } from '../../src/audio/bodies/body-type.ts';
import { SoundToPcm } from '../../src/audio/bodies/sound-to-pcm.ts';
import { createLayer3Decoders } from '../../src/audio/mp3/layer3-decoders.ts';

const decoders = createLayer3Decoders();

export function decodedMp3(mp3: Uint8Array): Float32Array {
  const blocks: Float32Array[] = [];
  const sound = new SoundToPcm(decoders, ({ samples }) => blocks.push(samples.slice()));
  const parser = openBodyParser(MP3_BODY, {
    onFrame: (frame) => sound.push(frame),
    onTag: (tag) => sound.tag(tag),
  });
  sound.beginStream();
  parser.push(mp3);
  parser.flush();
  sound.endStream();
  const all = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}
