import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BitWriter, createBitWriter } from '../../../src/audio/containers/bit-writer.ts';

const anyField = fc.oneof(
  fc.record({
    kind: fc.constant('bits' as const),
    value: fc.integer(),
    width: fc.integer({ min: 0, max: 24 }),
  }),
  fc.record({
    kind: fc.constant('rice' as const),
    value: fc.integer({ min: 0, max: 3000 }),
    width: fc.integer({ min: 0, max: 14 }),
  }),
);
type Field = { kind: 'bits' | 'rice'; value: number; width: number };

/** The same as a string of digits. */
const digitsOf = ({ kind, value, width }: Field): string => {
  const low = width === 0 ? '' : (value >>> 0).toString(2).padStart(32, '0').slice(-width);
  return kind === 'bits' ? low : `${'0'.repeat(value >>> width)}1${low}`;
};
const write = (to: BitWriter, { kind, value, width }: Field) => to[kind](value, width);

describe('bit writer', () => {
  it('writes the most significant bit first, and fills the last byte with zeros', () => {
    fc.assert(
      fc.property(fc.array(anyField, { maxLength: 30 }), (fields) => {
        const bytes = new Uint8Array(20_000);
        const writer = createBitWriter(bytes);
        for (const field of fields) write(writer, field);
        writer.align();
        const digits = fields.map(digitsOf).join('');
        const padded = digits.padEnd(Math.ceil(digits.length / 8) * 8, '0');
        const written = [...bytes.subarray(0, writer.length())];
        expect(written.map((byte) => byte.toString(2).padStart(8, '0')).join('')).toBe(padded);
      }),
    );
  });

  it('begins anew behind what is there', () => {
    const bytes = Uint8Array.of(1, 2, 0, 0);
    const writer = createBitWriter(bytes);
    writer.bits(0xfff, 12);
    writer.reset(2);
    writer.bits(0xa, 4);
    writer.align();
    expect([writer.length(), ...bytes]).toEqual([3, 0xff, 2, 0xa0, 0]);
  });
});
