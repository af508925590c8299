// One page of an Ogg stream as bytes (RFC 3533, 6): whole packets behind a header with their lengths and a checksum.
// Packets that go on in the next page are not made here: 255 segments hold all that a page of 100 ms of Opus has.

import { createCrc } from './crc.ts';

const crc32 = createCrc(32, 0x04c11db7);

export type OggPage = {
  readonly packets: readonly Uint8Array[];
  /** Where the stream is at the end of the page, in the codec's own count, below 2⁵³. */
  readonly granulePosition: number;
  readonly serial: number;
  /** Counts the pages of the stream from 0. */
  readonly sequence: number;
  readonly place: 'first' | 'middle' | 'last';
};

const HEADER_BYTES = 27;
const FLAGS = { first: 0x02, middle: 0, last: 0x04 } as const;
const CRC_OFFSET = 22;
const MOST_SEGMENTS = 255;

/** Fresh bytes; RangeError when the packets need more than 255 segments. */
export function oggPage({ packets, granulePosition, serial, sequence, place }: OggPage): Uint8Array {
  // A packet is as many segments of 255 bytes as it fills and one that is shorter, if only by being empty.
  const segments = packets.flatMap(({ length }) => [
    ...new Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  if (segments.length > MOST_SEGMENTS)
    throw new RangeError(`an Ogg page has at most ${MOST_SEGMENTS} segments (got ${segments.length})`);

  let at = HEADER_BYTES + segments.length;
  const page = new Uint8Array(packets.reduce((sum, { length }) => sum + length, at));
  const view = new DataView(page.buffer);
  view.setUint32(0, 0x4f676753); // "OggS", and version 0
  page[5] = FLAGS[place];
  view.setUint32(6, granulePosition % 2 ** 32, true);
  view.setUint32(10, Math.floor(granulePosition / 2 ** 32), true);
  view.setUint32(14, serial, true);
  view.setUint32(18, sequence, true);
  page[26] = segments.length;
  page.set(segments, HEADER_BYTES);
  for (const packet of packets) {
    page.set(packet, at);
    at += packet.length;
  }
  view.setUint32(CRC_OFFSET, crc32(page, 0, page.length), true);
  return page;
}
