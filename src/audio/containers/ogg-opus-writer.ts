// Opus packets → an Ogg Opus stream as it is made (RFC 7845): identification and tags, then pages of 100 ms or so.
// The first has one packet, so that play starts early; the last tells where the sound ends, inside its last packet.

import type { AudioFrame } from '../stage.ts';
import { createCrc } from './crc.ts';
import type { FileTags } from './tag-text.ts';
import { vorbisComment } from './vorbis-comment.ts';

/** The unit of granule positions, whatever the rate of the input (4). */
const GRANULE_RATE = 48_000;
const PACKET_GRANULES = 960;
/** 100 ms: what a listener to a stream waits for. */
const STREAM_PACKETS_PER_PAGE = 5;
/** Always the same, so that the same sound is the same file. Streams that are to be chained need one each. */
const SERIAL = 0x766f7867;

export type OggOpusRule = {
  /** Of the sound that was encoded, mono; a divisor of 48000. */
  readonly sampleRate: number;
  /** Told as the rate of the input (5.1), which is for information alone; that of the sound by default. */
  readonly inputRate?: number;
  /** Samples at 48 kHz that a decoder is to leave out: the encoder's delay, less than a packet. */
  readonly preSkip: number;
  /** None by default. */
  readonly tags?: FileTags;
  /** At most 42, which is as many as a page holds of the longest packets. */
  readonly packetsPerPage?: number;
};

export type OggOpusWriter = {
  /** The next 20 ms. */
  packet(bytes: Uint8Array): void;
  /** Ends the page here, so that the packets so far are sent without waiting for more. */
  turnPage(): void;
  /** The last packet of a sound of `samples` in all, which ends within it. Once. */
  lastPacket(bytes: Uint8Array, samples: number): void;
};

/** Each frame is one page, the first with both header pages in front; `samples` counts what a player will hear. */
export function createOggOpusWriter(rule: OggOpusRule, emit: (frame: AudioFrame) => void): OggOpusWriter {
  const { preSkip, sampleRate, packetsPerPage = STREAM_PACKETS_PER_PAGE } = rule;
  const granulesPerSample = GRANULE_RATE / sampleRate;
  let sequence = 0;
  let held: Uint8Array[] = [];
  let packets = 0;
  /** Samples that are in pages. */
  let written = 0;

  const page = (place: OggPage['place'], granulePosition: number, content: readonly Uint8Array[]) =>
    oggPage({ packets: content, granulePosition, serial: SERIAL, sequence: sequence++, place });

  const emitPage = (place: 'middle' | 'last', samples: number): void => {
    const headers =
      sequence === 0 ? [page('first', 0, [opusHead(rule)]), page('middle', 0, [opusTags(rule)])] : [];
    const bytes = concatenated([...headers, page(place, preSkip + samples * granulesPerSample, held)]);
    const frame = { bytes, samples: samples - written };
    held = [];
    written = samples;
    emit(frame);
  };

  const turnPage = (): void => {
    if (held.length > 0) emitPage('middle', (packets * PACKET_GRANULES - preSkip) / granulesPerSample);
  };

  return {
    packet(bytes) {
      held.push(bytes);
      packets += 1;
      if (packets === 1 || held.length === packetsPerPage) turnPage();
    },
    turnPage,
    lastPacket(bytes, samples) {
      held.push(bytes);
      emitPage('last', samples);
    },
  };
}

/** 5.1: version 1, mono, no gain, channel mapping family 0. */
function opusHead({ sampleRate, inputRate = sampleRate, preSkip }: OggOpusRule): Uint8Array {
  const packet = new Uint8Array(19);
  packet.set(ascii('OpusHead'));
  packet[8] = 1;
  packet[9] = 1;
  const view = new DataView(packet.buffer);
  view.setUint16(10, preSkip, true);
  view.setUint32(12, inputRate, true);
  return packet;
}

/** 5.2: who made it, and what it is. */
const opusTags = ({ tags = NO_TAGS }: OggOpusRule): Uint8Array =>
  concatenated([ascii('OpusTags'), vorbisComment('Voxgate, libopus 1.3.1', tags)]);
const NO_TAGS: FileTags = { title: '', artist: undefined };

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const crc32 = createCrc(32, 0x04c11db7);

type OggPage = {
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
const MAX_SEGMENTS = 255;

/**
 * One page of an Ogg stream (RFC 3533, 6): whole packets behind a header with their lengths and a checksum. Packets that
 * continue in the next page are not made here: 255 segments hold all that a page of 100 ms of Opus has. Fresh bytes; RangeError
 * when the packets need more than 255 segments.
 */
export function oggPage({ packets, granulePosition, serial, sequence, place }: OggPage): Uint8Array {
  // A packet is as many segments of 255 bytes as it fills and one that is shorter, if only by being empty.
  const segments = packets.flatMap(({ length }) => [
    ...new Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  if (segments.length > MAX_SEGMENTS)
    throw new RangeError(`an Ogg page has at most ${MAX_SEGMENTS} segments (got ${segments.length})`);

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
