import { expect, it } from 'vitest';
import { encodePcm16, toOffset16 } from '../../../src/audio/dsp/pcm16.ts';

const encoded = (...samples: number[]): Int16Array => {
  const bytes = new Uint8Array(samples.length * 2);
  encodePcm16(Float32Array.from(samples), bytes);
  const view = new DataView(bytes.buffer);
  return Int16Array.from(samples, (_, i) => view.getInt16(2 * i, true));
};

it('writes the low byte first', () => {
  const bytes = new Uint8Array(4);
  encodePcm16(Float32Array.of(0x1234 / 32768, -2 / 32768), bytes);
  expect([...bytes]).toEqual([0x34, 0x12, 0xfe, 0xff]);
});

it('rounds halves up, clips, and takes NaN for silence', () => {
  expect([...encoded(0.5 / 32768, 0.49 / 32768, -0.5 / 32768, -0.51 / 32768, -1.5 / 32768)]).toEqual([
    1, 0, 0, -1, -1,
  ]);
  expect([...encoded(1, 2, 1e30, Infinity)]).toEqual([32767, 32767, 32767, 32767]);
  expect([...encoded(-1, -2, -1e30, -Infinity)]).toEqual([-32768, -32768, -32768, -32768]);
  expect([...encoded(Number.NaN, 0, -0)]).toEqual([0, 0, 0]);
});

it('gives every 16-bit value back', () => {
  const wrong = Array.from({ length: 65_536 }, (_, i) => i).filter(
    (i) => toOffset16((i - 32_768) / 32_768) !== i,
  );
  expect(wrong).toEqual([]);
});
