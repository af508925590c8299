import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oggPage } from '../../../src/audio/containers/ogg-opus-writer.ts';
import { readOggPages } from '../../support/ogg-reader.ts';

describe('ogg page', () => {
  it('says where its packets end, whatever their lengths, and where the stream is', () => {
    const lengths = fc.array(
      fc.oneof(fc.constantFrom(0, 254, 255, 256, 510), fc.integer({ min: 0, max: 1300 })),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 2 ** 52 }), (lengths, granulePosition) => {
        const packets = lengths.map((length, i) => new Uint8Array(length).fill(i + 1));
        const rule = { serial: 0xfffffffe, granulePosition };
        const bytes = Buffer.concat([
          oggPage({ ...rule, packets, sequence: 0, place: 'first' }),
          oggPage({ ...rule, packets: [], sequence: 1, place: 'middle' }),
          oggPage({ ...rule, packets: packets.toReversed(), sequence: 2, place: 'last' }),
        ]);
        const pages = readOggPages(bytes);
        expect(pages.map((page) => page.packets.map((packet) => packet.length))).toEqual([
          lengths,
          [],
          lengths.toReversed(),
        ]);
        expect(pages[0]!.packets.map((packet) => Buffer.from(packet))).toEqual(
          packets.map((packet) => Buffer.from(packet)),
        );
        expect(pages.map((page) => page.granulePosition)).toEqual([
          granulePosition,
          granulePosition,
          granulePosition,
        ]);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses more than its table of lengths holds', () => {
    const page = { granulePosition: 0, serial: 1, sequence: 0, place: 'middle' } as const;
    expect(oggPage({ ...page, packets: [new Uint8Array(254 * 255)] })).toHaveLength(27 + 255 + 254 * 255);
    expect(() => oggPage({ ...page, packets: [new Uint8Array(255 * 255)] })).toThrow(RangeError);
  });
});
