// An Ogg reader for the tests, written from RFC 3533 and RFC 7845 and sharing nothing with the writer: one logical
// stream, whole packets in every page. It fails at anything that is not exactly in order.
import { Buffer } from 'node:buffer';

export type OggPageFacts = {
  readonly packets: readonly Uint8Array[];
  readonly granulePosition: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly byteLength: number;
};

export type OggOpusFacts = {
  readonly preSkip: number;
  readonly inputRate: number;
  readonly vendor: string;
  readonly audioPages: readonly OggPageFacts[];
  readonly packets: readonly Uint8Array[];
  /** Samples at 48 kHz that a player hears. */
  readonly heard: number;
};

/** CRC as the long division that it is. */
function remainder(bytes: Uint8Array): number {
  let rest = 0;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--)
      rest = (((rest << 1) ^ (((rest >>> 31) ^ (byte >> bit)) & 1 ? 0x04c11db7 : 0)) >>> 0) as number;
  return rest;
}

function expectEqual(what: string, given: unknown, wanted: unknown): void {
  if (given !== wanted) throw new Error(`${what}: ${String(given)} instead of ${String(wanted)}`);
}

export function readOggPages(input: Uint8Array): OggPageFacts[] {
  const bytes = Buffer.from(input);
  const pages: OggPageFacts[] = [];
  let serial: number | undefined;
  for (let at = 0; at < bytes.length; ) {
    expectEqual('capture pattern', bytes.toString('latin1', at, at + 4), 'OggS');
    expectEqual('version', bytes[at + 4], 0);
    const flags = bytes[at + 5]!;
    serial ??= bytes.readUInt32LE(at + 14);
    expectEqual('serial', bytes.readUInt32LE(at + 14), serial);
    expectEqual('sequence', bytes.readUInt32LE(at + 18), pages.length);
    const lacing = bytes.subarray(at + 27, at + 27 + bytes[at + 26]!);
    const packets: Uint8Array[] = [];
    const start = at + 27 + lacing.length;
    let end = start;
    let packetStart = start;
    for (const length of lacing) {
      end += length;
      if (length === 255) continue;
      packets.push(bytes.subarray(packetStart, end));
      packetStart = end;
    }
    expectEqual('packets are whole', packetStart, end);
    if (end > bytes.length) throw new Error('the last page is cut');
    const page = Buffer.from(bytes.subarray(at, end));
    page.fill(0, 22, 26);
    expectEqual('CRC', bytes.readUInt32LE(at + 22), remainder(page));
    pages.push({
      packets,
      granulePosition: Number(bytes.readBigUInt64LE(at + 6)),
      isFirst: (flags & 2) !== 0,
      isLast: (flags & 4) !== 0,
      byteLength: end - at,
    });
    expectEqual('flags', flags & ~6, 0);
    at = end;
  }
  expectEqual('first page', pages.map((page) => page.isFirst).indexOf(true), 0);
  expectEqual('last page', pages.map((page) => page.isLast).indexOf(true), pages.length - 1);
  return pages;
}

export function readOggOpus(bytes: Uint8Array): OggOpusFacts {
  const [headPage, tagsPage, ...audioPages] = readOggPages(bytes);
  const head = Buffer.from(headPage!.packets[0]!);
  const tags = Buffer.from(tagsPage!.packets[0]!);
  expectEqual(
    'packets of the header pages',
    [headPage, tagsPage].map((page) => page!.packets.length).join(),
    '1,1',
  );
  expectEqual('their granules', [headPage, tagsPage].map((page) => page!.granulePosition).join(), '0,0');
  expectEqual('head', head.toString('latin1', 0, 8), 'OpusHead');
  expectEqual('head’s length', head.length, 19);
  expectEqual('version, channels', head.readUInt16BE(8), 0x0101);
  expectEqual('gain, mapping', head.readUIntBE(16, 3), 0);
  expectEqual('tags', tags.toString('latin1', 0, 8), 'OpusTags');
  const vendorBytes = tags.readUInt32LE(8);
  expectEqual('tags’ length', tags.length, 16 + vendorBytes);
  expectEqual('comments', tags.readUInt32LE(12 + vendorBytes), 0);

  const preSkip = head.readUInt16LE(10);
  let decoded = 0;
  for (const page of audioPages) {
    const before = decoded;
    for (const packet of page.packets) decoded += packetSamples(packet);
    if (!page.isLast) expectEqual('granule', page.granulePosition, decoded);
    // 4.4: the last page may end early, but not before it has begun.
    else if (page.granulePosition <= before || page.granulePosition > decoded)
      throw new Error(`the last granule ${page.granulePosition} is not in ${before}–${decoded}`);
  }
  return {
    preSkip,
    inputRate: head.readUInt32LE(12),
    vendor: tags.toString('utf8', 12, 12 + vendorBytes),
    audioPages,
    packets: audioPages.flatMap((page) => page.packets),
    heard: audioPages.at(-1)!.granulePosition - preSkip,
  };
}

/** Length of a packet of one mono frame at 48 kHz (RFC 6716, 3.1). */
function packetSamples(packet: Uint8Array): number {
  expectEqual('stereo flag and frame count code', packet[0]! & 7, 0);
  const configuration = packet[0]! >> 3;
  if (configuration < 12) return [480, 960, 1920, 2880][configuration % 4]!;
  return configuration < 16 ? [480, 960][configuration % 2]! : [120, 240, 480, 960][configuration % 4]!;
}
