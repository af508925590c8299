// Another gain, written into frames that are not decoded.
import { describe, expect, it } from 'vitest';
import { Mp3FrameParser } from '../../../src/audio/mp3/mp3-frame-parser.ts';
import { Mp3Passthrough } from '../../../src/audio/mp3/mp3-passthrough.ts';
import { turnUp } from '../../../src/audio/mp3/mp3-side-info.ts';
import { decodedMp3 } from '../../support/decoded-mp3.ts';
import { mp3Fixture } from '../../support/mp3-fixtures.ts';

function framesOf(name: string, db: number | undefined): Uint8Array {
  const frames: Uint8Array[] = [];
  const parser = new Mp3FrameParser({
    onFrame({ bytes, header }) {
      const own = bytes.slice();
      if (db !== undefined) turnUp(own, header, db);
      frames.push(own);
    },
    onTag() {},
  });
  parser.push(mp3Fixture(name));
  parser.flush();
  return Buffer.concat(frames);
}
const power = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample * sample, 0);

describe('a frame that is turned up', () => {
  it.each(['lame-cbr-24k.mp3', 'lame-joint-44k.mp3', 'lame-vbr-24k.mp3', 'shine-44k.mp3', 'lame-8k.mp3'])(
    'is decoded so much louder, to 1.5 dB: %s',
    (name) => {
      const before = power(decodedMp3(framesOf(name, undefined)));
      for (const db of [-12, -6.02, 3]) {
        const louder = 10 * Math.log10(power(decodedMp3(framesOf(name, db))) / before);
        expect(Math.abs(louder - db)).toBeLessThan(0.8);
      }
    },
  );
  it('has a checksum that is right', () => {
    const name = 'lame-id3-crc-24k.mp3';
    // The encoder's own sum over what has not changed.
    expect(Buffer.compare(framesOf(name, 0), framesOf(name, undefined))).toBe(0);
    const changed = framesOf(name, 6.02);
    expect(changed.length).toBe(framesOf(name, undefined).length);
    expect(Buffer.compare(changed, framesOf(name, undefined))).not.toBe(0);
    // Back again, sums and all.
    const back: Uint8Array[] = [];
    const parser = new Mp3FrameParser({
      onFrame({ bytes, header }) {
        const own = bytes.slice();
        turnUp(own, header, -6.02);
        back.push(own);
      },
      onTag() {},
    });
    parser.push(changed);
    parser.flush();
    expect(Buffer.compare(Buffer.concat(back), framesOf(name, undefined))).toBe(0);
  });
  it('is not the one that came in: others may hold those bytes, a Buffer’s as well', () => {
    const came = Buffer.from(mp3Fixture('lame-cbr-24k.mp3'));
    const before = Buffer.from(came);
    const passed: Uint8Array[] = [];
    const passthrough = new Mp3Passthrough(undefined, ({ bytes }) => passed.push(bytes));
    const parser = new Mp3FrameParser({
      onFrame: (frame) => passthrough.push(frame, frame.header.sampleRate, -6.02),
      onTag() {},
    });
    parser.push(came);
    parser.flush();
    expect(power(decodedMp3(Buffer.concat(passed)))).toBeLessThan(power(decodedMp3(before)) / 3);
    expect(came.equals(before)).toBe(true);
  });
});
