// An Ogg Opus body → its packets as frames (RFC 3533 for pages, RFC 7845 for what is in them). A page is read when all of it has come
// and its checksum is right; damage is skipped up to the next page. Where the sound begins and ends in its packets is told with
// them. Chained streams follow on each other; pages of other streams are left out.

import { Buffer } from 'node:buffer';
import { createCrc } from '../containers/crc.ts';
import type { BodyParser, SoundSink } from './body-parser.ts';
import { unreadable } from './plain-reader.ts';
import type { SampleHeader } from './sound-frame.ts';

/** Granule positions count at this rate, whatever the rate of the input (RFC 7845, 4). */
const GRANULE_RATE = 48_000;
const PAGE_HEAD_BYTES = 27;
const MAX_SEGMENTS = 255;
/** RFC 3533 6. */
const MAX_PAGE_BYTES = PAGE_HEAD_BYTES + MAX_SEGMENTS + MAX_SEGMENTS * 255;
const CRC_AT = 22;
const CONTINUED = 1;
const FIRST = 2;
const LAST = 4;
/** No granule position: no packet ends on the page. */
const NO_POSITION = 0xffff_ffff;
/** Longer packets of 20 ms are no Opus (RFC 6716, 3.4: at most 1275 bytes a frame, and three of them in 60 ms). */
const MAX_PACKET_BYTES = 3 * 1276;
const CAPTURE = Buffer.from('OggS');

const crc32 = createCrc(32, 0x04c1_1db7);

/** Of a code 0 packet, in samples at 48 kHz, by the configuration in its first byte (RFC 6716, 3.1). */
function frameSamples(config: number): number {
  if (config < 12) return [480, 960, 1920, 2880][config % 4]!;
  if (config < 16) return [480, 960][config % 2]!;
  return [120, 240, 480, 960][config % 4]!;
}

/** Samples at 48 kHz that a packet holds; 0: it is no Opus packet. */
export function opusPacketSamples(packet: Uint8Array): number {
  const first = packet[0];
  if (first === undefined) return 0;
  const one = frameSamples(first >> 3);
  const frames = (first & 3) === 0 ? 1 : (first & 3) === 3 ? (packet[1] ?? 0) & 0x3f : 2;
  return one * frames;
}

/** The decoder's memory holds 60 ms at 24 kHz, or 20 ms at 48 kHz (containers/opus-decoder.ts). */
const MAX_WIDE_PACKET = 960;
const MAX_PACKET = 2880;

type OpusStream = {
  readonly serial: number;
  readonly preSkip: number;
  /** Hz that its packets are decoded at; known with the first one. */
  sampleRate: number | undefined;
  /** Samples at 48 kHz of all packets so far, counted from where the stream begins. */
  position: number;
  /** Granule position at the beginning of the first packet: not 0 where a stream was joined in its middle. */
  origin: number | undefined;
  headers: 'none' | 'head' | 'tags';
  state: 'open' | 'ended';
};

/** One for each body. */
export class OggOpusReader implements BodyParser {
  private readonly sink: SoundSink;
  private readonly page = Buffer.alloc(MAX_PAGE_BYTES);
  private filled = 0;
  private junk = 0;
  private stream: OpusStream | undefined;
  /** Of a packet that goes on in the next page. */
  private part: Uint8Array[] = [];
  private header: SampleHeader | undefined;
  private hasGap = false;

  constructor(sink: SoundSink) {
    this.sink = sink;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(this.page.length - this.filled, chunk.length - at);
      this.page.set(chunk.subarray(at, at + taken), this.filled);
      this.filled += taken;
      at += taken;
      this.readPages();
    }
  }
  settle(): void {}
  flush(): void {}
  junkBytes(): number {
    return this.junk;
  }
  /** A page may be as long as 64 KiB, and nothing of it is sound before it is whole. */
  heldBytes(): number {
    return 0;
  }
  /** A page that is not whole; and a stream that has not come to its last page was cut behind one. */
  cutFrameBytes(): number {
    if (this.filled > 0) return this.filled;
    return this.stream === undefined || this.stream.state === 'ended' ? 0 : 1;
  }
  missingSamples(): number {
    return 0;
  }

  private readPages(): void {
    let at = 0;
    for (let length = this.pageBytesAt(at); length !== 'more'; length = this.pageBytesAt(at)) {
      if (length === 'none') {
        const next = this.page.subarray(0, this.filled).indexOf(CAPTURE, at + 1);
        // The last three bytes may be the beginning of a mark.
        const to = next < 0 ? Math.max(at + 1, this.filled - CAPTURE.length + 1) : next;
        this.junk += to - at;
        this.hasGap = true;
        at = to;
      } else {
        this.readPage(this.page.subarray(at, at + length));
        at += length;
      }
    }
    this.page.copyWithin(0, at, this.filled);
    this.filled -= at;
  }
  /** How long the page at `at` is, if all of it has come and it is one. */
  private pageBytesAt(at: number): number | 'more' | 'none' {
    const left = this.filled - at;
    const known = Math.min(left, CAPTURE.length);
    if (left > 0 && this.page.compare(CAPTURE, 0, known, at, at + known) !== 0) return 'none';
    if (left < PAGE_HEAD_BYTES) return 'more';
    if (this.page[at + 4] !== 0) return 'none';
    const segments = this.page[at + 26]!;
    if (left < PAGE_HEAD_BYTES + segments) return 'more';
    let length = PAGE_HEAD_BYTES + segments;
    for (let i = 0; i < segments; i += 1) length += this.page[at + PAGE_HEAD_BYTES + i]!;
    if (left < length) return 'more';
    const told = this.page.readUInt32LE(at + CRC_AT);
    this.page.writeUInt32LE(0, at + CRC_AT);
    const isRight = crc32(this.page, at, at + length) >>> 0 === told;
    this.page.writeUInt32LE(told, at + CRC_AT);
    return isRight ? length : 'none';
  }
  private readPage(page: Buffer): void {
    const flags = page[5]!;
    const serial = page.readUInt32LE(14);
    if ((flags & FIRST) !== 0) this.beginStream(serial, page);
    const { stream } = this;
    if (stream === undefined || stream.serial !== serial || stream.state === 'ended') return;
    if ((flags & CONTINUED) === 0) this.part = [];
    const packets = this.packetsOf(page, (flags & CONTINUED) !== 0);
    const sounding = packets.filter((packet) => this.isSound(stream, packet));
    const low = page.readUInt32LE(6);
    const high = page.readInt32LE(10);
    const position = low === NO_POSITION && high === -1 ? undefined : high * 2 ** 32 + low;
    this.emitAll(stream, sounding, position, (flags & LAST) !== 0);
    if ((flags & LAST) !== 0) stream.state = 'ended';
  }
  private beginStream(serial: number, page: Buffer): void {
    const packet = page.subarray(PAGE_HEAD_BYTES + page[26]!);
    const isOpus = packet.length >= 19 && packet.toString('latin1', 0, 8) === 'OpusHead';
    if (!isOpus) {
      if (this.stream === undefined) throw unreadable('Ogg audio that is not Opus');
      return;
    }
    const [version, channels, mapping] = [packet[8]!, packet[9]!, packet[18]!];
    if (version >= 16) throw unreadable(`Ogg Opus audio of version ${version}`);
    if (mapping !== 0 || (channels !== 1 && channels !== 2))
      throw unreadable(`Ogg Opus audio of ${channels} channels`);
    if (packet.readInt16LE(16) !== 0) throw unreadable('Ogg Opus audio with a gain of its own');
    this.part = [];
    this.stream = {
      serial,
      preSkip: packet.readUInt16LE(10),
      sampleRate: undefined,
      position: 0,
      origin: undefined,
      headers: 'none',
      state: 'open',
    };
  }
  /** Packets that end on the page. */
  private packetsOf(page: Buffer, isContinued: boolean): Uint8Array[] {
    const packets: Uint8Array[] = [];
    const segments = page[26]!;
    let at = PAGE_HEAD_BYTES + segments;
    let from = at;
    // What continues a packet whose beginning was lost is no packet.
    let isWhole = !isContinued || this.part.length > 0;
    for (let i = 0; i < segments; i += 1) {
      const length = page[PAGE_HEAD_BYTES + i]!;
      at += length;
      if (length === 255) continue;
      if (isWhole) packets.push(Buffer.concat([...this.part, page.subarray(from, at)]));
      this.part = [];
      isWhole = true;
      from = at;
    }
    if (at > from) this.part.push(Uint8Array.from(page.subarray(from, at)));
    // A header packet with a picture may be long; no packet of sound is.
    const partBytes = this.part.reduce((sum, { length }) => sum + length, 0);
    if (partBytes > MAX_PAGE_BYTES && this.stream?.headers === 'tags')
      throw unreadable('Ogg audio with endless packets');
    if (partBytes > MAX_PAGE_BYTES) this.part = [new Uint8Array(1)];
    return packets;
  }
  /** The first two packets of a stream are its headers. */
  private isSound(stream: OpusStream, packet: Uint8Array): boolean {
    if (stream.headers === 'none') stream.headers = 'head';
    else if (stream.headers === 'head') stream.headers = 'tags';
    else return packet.length > 0 && packet.length <= MAX_PACKET_BYTES && opusPacketSamples(packet) > 0;
    return false;
  }
  private emitAll(
    stream: OpusStream,
    packets: readonly Uint8Array[],
    granule: number | undefined,
    isLast: boolean,
  ): void {
    const samples = packets.reduce((sum, packet) => sum + opusPacketSamples(packet), 0);
    // The first page of sound tells where the stream begins; if it is also the last one, its position may lie within it.
    if (granule !== undefined && samples > 0)
      stream.origin ??= isLast ? 0 : Math.max(0, granule - stream.position - samples);
    const end =
      isLast && granule !== undefined
        ? Math.max(stream.preSkip, granule - (stream.origin ?? 0))
        : Number.POSITIVE_INFINITY;
    for (const packet of packets) this.emit(stream, packet, end);
  }
  /** `end`: where the sound ends, samples at 48 kHz from the beginning of the stream. */
  private emit(stream: OpusStream, packet: Uint8Array, end: number): void {
    const length = opusPacketSamples(packet);
    stream.sampleRate ??= length > MAX_WIDE_PACKET ? GRANULE_RATE / 2 : GRANULE_RATE;
    const longest = stream.sampleRate === GRANULE_RATE ? MAX_WIDE_PACKET : MAX_PACKET;
    if (length > longest) throw unreadable(`Ogg Opus audio in packets of ${length / 48} ms`);
    const begin = stream.position;
    stream.position += length;
    const skip = Math.min(length, Math.max(0, stream.preSkip - begin));
    const heard = Math.max(0, Math.min(length, end - begin) - skip);
    const at = (granules: number) => Math.round((granules * stream.sampleRate!) / GRANULE_RATE);
    const header = this.headerOf(stream.sampleRate, at(length), at(skip), at(skip + heard) - at(skip));
    const frame = { bytes: packet, header };
    this.sink.onFrame(this.hasGap ? { ...frame, afterGap: true } : frame);
    this.hasGap = false;
  }
  /** The same object as long as nothing changes. */
  private headerOf(sampleRate: number, samplesPerFrame: number, skip: number, samples: number): SampleHeader {
    const { header } = this;
    const isSame =
      header?.sampleRate === sampleRate &&
      header.samplesPerFrame === samplesPerFrame &&
      header.skip === skip &&
      header.samples === samples;
    if (isSame) return header;
    this.header = { code: 'opus', sampleRate, samplesPerFrame, samples, skip };
    return this.header;
  }
}
