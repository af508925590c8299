import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLayer3Decoders } from '../../../src/audio/mp3/layer3-decoders.ts';
import type { Mp3Decoder } from '../../../src/audio/mp3/mp3-decoder.ts';
import type { Mp3Frame } from '../../../src/audio/mp3/mp3-frame-parser.ts';
import { decodeFrame, framesOf, peakOf } from '../../support/mp3-fixtures.ts';
import { decodeByMpg123 } from '../../support/mpg123.ts';

const decodeFrames = (decoder: Mp3Decoder, frames: readonly Mp3Frame[]): Float32Array[] =>
  frames.map((frame) => decodeFrame(decoder, frame.bytes));

describe('an MP3 decoder', () => {
  const decoders = createLayer3Decoders();
  const live = framesOf('ffmpeg-live-24k.mp3');
  const joint = framesOf('lame-joint-44k.mp3');

  afterEach(() => {
    expect(decoders.live()).toBe(0);
  });

  it('gives a sound frame for every frame, from the first one on', () => {
    const decoder = decoders.open();
    const lengths = decodeFrames(decoder, live).map((samples) => samples.length);
    expect(lengths).toEqual(live.map(() => 576));
    decoder.close();
  });

  it('decodes 200 streams side by side as it decodes them one by one', () => {
    const sources = [live, joint, framesOf('lame-8k.mp3'), framesOf('lame-vbr-24k.mp3')];
    const alone = sources.map((frames) => {
      const decoder = decoders.open();
      const decoded = decodeFrames(decoder, frames.slice(0, 12));
      decoder.close();
      return decoded;
    });
    const many = Array.from({ length: 200 }, () => decoders.open());
    expect(decoders.live()).toBe(200);
    for (let step = 0; step < 12; step++)
      for (const [i, decoder] of many.entries()) {
        const samples = decodeFrame(decoder, sources[i % 4]![step]!.bytes);
        expect(Buffer.compare(Buffer.from(samples.buffer), Buffer.from(alone[i % 4]![step]!.buffer))).toBe(0);
      }
    for (const decoder of many) decoder.close();
  });

  it('averages the channels', async () => {
    const frames = joint.slice(0, 30);
    const averaged = await decodeByMpg123(frames.map(({ bytes }) => bytes));
    const decoder = decoders.open();
    for (const [index, { bytes }] of frames.entries()) {
      const mono = decodeFrame(decoder, bytes);
      expect(mono.every((x, i) => Math.abs(x - averaged[1152 * index + i]!) < 1e-6)).toBe(true);
    }
    decoder.close();
  });

  it('keeps time and silence when frames hold nonsense', () => {
    const decoder = decoders.open();
    let seed = 1;
    const noise = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed >>> 24;
    };
    for (const { bytes } of live) {
      const wrecked = bytes.map((byte, i) => (i < 4 ? byte : noise()));
      const samples = decodeFrame(decoder, wrecked);
      expect(samples.length).toBe(576);
      expect(samples.every((x) => x >= -1 && x <= 1)).toBe(true);
    }
    decoder.close();
  });

  it('plays what needs a lost frame as silence, then goes on as if nothing had been lost', () => {
    const whole = decoders.open();
    const expected = decodeFrames(whole, live);
    whole.close();
    const torn = decoders.open();
    decodeFrames(torn, live.slice(0, 30));
    torn.gap();
    const after = decodeFrames(torn, live.slice(31));
    torn.close();
    const isLost = (i: number) => peakOf(after[i]!) < 1e-6;
    const firstHeard = after.findIndex((_, i) => i > 1 && !isLost(i));
    expect(firstHeard).toBeLessThan(8);
    // Two frames later the two are the same, but for how the filter bank rounds by the frames before.
    const difference = after.map((samples, i) => peakOf(samples.map((x, k) => x - expected[31 + i]![k]!)));
    expect(Math.max(...difference.slice(firstHeard + 2))).toBeLessThan(1e-6);
    expect(after.slice(0, firstHeard).every((samples) => peakOf(samples) <= 0.3)).toBe(true);
  });

  it('takes nothing that is not one whole frame, and nothing after close', () => {
    const decoder = decoders.open();
    const { bytes } = live[0]!;
    for (const wrong of [new Uint8Array(0), bytes.slice(0, 3), bytes.slice(0, 191), new Uint8Array(192)])
      expect(decodeFrame(decoder, wrong).length).toBe(0);
    decoder.close();
    expect(decodeFrame(decoder, bytes).length).toBe(0);
  });

  it('keeps the console quiet', () => {
    const spies = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
    const decoder = decoders.open();
    for (const { bytes } of framesOf('damaged-24k.mp3')) decodeFrame(decoder, bytes);
    decoder.close();
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});
