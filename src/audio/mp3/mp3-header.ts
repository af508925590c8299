// The arithmetic of one MPEG audio frame header, as pure functions over its 32-bit word. Layer III of MPEG-1 (ISO 11172-3
// 2.4.1.3, 2.4.2.3), MPEG-2 (ISO 13818-3 2.4.2.3) and the unofficial MPEG-2.5, which halves the rates of MPEG-2 again. A
// free-format header does not tell the length of its frame: mp3-frame-parser.ts measures it.

export type Mp3Header = {
  /** Only headers of other sound have one (bodies/sound-frame.ts). */
  readonly code?: undefined;
  readonly version: 1 | 2 | 2.5;
  readonly bitrateKbps: number;
  /** Hz. */
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly channelMode: 'stereo' | 'joint-stereo' | 'dual-channel' | 'mono';
  /** Samples per channel: 1152 in MPEG-1 (two granules of 576), 576 after it (one). */
  readonly samplesPerFrame: 576 | 1152;
  /** Length of the whole frame, header and padding slot included. */
  readonly frameBytes: number;
  /** Two bytes of CRC-16 follow the header. */
  readonly hasCrc: boolean;
};

export const HEADER_BYTES = 4;
/**
 * The longest Layer III frame whose bit rate is told: MPEG-1, 320 kbit/s at 32 kHz, or MPEG-2.5, 160 kbit/s at 8 kHz,
 * padded. A longer one in free format is not read.
 */
export const MAX_FRAME_BYTES = 1441;

const KBPS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBPS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_MPEG1 = [44100, 48000, 32000];
const VERSIONS = [2.5, undefined, 2, 1] as const;
const CHANNEL_MODES = ['stereo', 'joint-stereo', 'dual-channel', 'mono'] as const;
const LAYER_III = 1;
const BITRATE_BITS = 0xf000;
const LOWEST_BITRATE = 0x1000;
/** All but padding, private bit, mode extension, copyright, original and emphasis, which may change with each frame. */
const STREAM_BITS = 0xfffffcc0;

/** The four bytes at `offset` as one big-endian word; the caller knows that they are there. */
export const wordAt = (bytes: Uint8Array, offset: number): number =>
  ((bytes[offset]! << 24) | (bytes[offset + 1]! << 16) | (bytes[offset + 2]! << 8) | bytes[offset + 3]!) >>>
  0;

/** `word` is the first four bytes of a frame, big-endian. Undefined when it cannot begin a Layer III frame. */
export function parseMp3Header(word: number): Mp3Header | undefined {
  if (word >>> 21 !== 0x7ff) return undefined;
  const version = VERSIONS[(word >>> 19) & 3];
  const bitrateKbps = (version === 1 ? KBPS_MPEG1 : KBPS_MPEG2)[(word >>> 12) & 15];
  const rateOfMpeg1 = RATES_MPEG1[(word >>> 10) & 3];
  const isLayerThree = ((word >>> 17) & 3) === LAYER_III;
  if (version === undefined || !isLayerThree || !bitrateKbps || rateOfMpeg1 === undefined) return undefined;

  const sampleRate = version === 1 ? rateOfMpeg1 : rateOfMpeg1 / (version === 2 ? 2 : 4);
  const samplesPerFrame = version === 1 ? 1152 : 576;
  const channelMode = CHANNEL_MODES[(word >>> 6) & 3]!;
  const paddingBytes = (word >>> 9) & 1;
  return {
    version,
    bitrateKbps,
    sampleRate,
    channels: channelMode === 'mono' ? 1 : 2,
    channelMode,
    samplesPerFrame,
    // 2.4.3.1: bits of a frame's duration in whole slots of one byte, plus the padding slot.
    frameBytes: Math.floor((samplesPerFrame * bitrateKbps * 125) / sampleRate) + paddingBytes,
    hasCrc: ((word >>> 16) & 1) === 0,
  };
}

/** The two are headers of one stream of a constant bit rate. */
export const areAlike = (word: number, other: number): boolean => ((word ^ other) & STREAM_BITS) === 0;

export const paddingBytesOf = (word: number): number => (word >>> 9) & 1;

/** A Layer III header whose bit rate is not told (2.4.2.3, bitrate_index 0). */
export const isFreeFormat = (word: number): boolean =>
  (word & BITRATE_BITS) === 0 && parseMp3Header((word | LOWEST_BITRATE) >>> 0) !== undefined;

/** The header of a free-format frame that has `frameBytes` bytes, its padding included. */
export function freeFormatHeader(word: number, frameBytes: number): Mp3Header | undefined {
  const header = parseMp3Header((word | LOWEST_BITRATE) >>> 0);
  if (header === undefined || (word & BITRATE_BITS) !== 0) return undefined;
  const bitrateKbps =
    ((frameBytes - paddingBytesOf(word)) * header.sampleRate) / (header.samplesPerFrame * 125);
  return { ...header, bitrateKbps, frameBytes };
}

/** A `parseMp3Header` that remembers its last word: a stream repeats one header for minutes. */
export class Mp3HeaderReader {
  /** As a signed number, which is no object of its own. */
  private word = 0;
  private header: Mp3Header | undefined;
  private free: Mp3Header | undefined;
  private freeWord = 0;

  of(word: number): Mp3Header | undefined {
    if ((word | 0) !== this.word) {
      this.word = word | 0;
      this.header = parseMp3Header(word);
    }
    return this.header;
  }
  /** Of exactly these bytes, in free format as well; undefined when they are no whole frame. */
  ofFrame(frame: Uint8Array): Mp3Header | undefined {
    if (frame.length < HEADER_BYTES) return undefined;
    const word = wordAt(frame, 0);
    if ((word & BITRATE_BITS) === 0) return this.ofFreeFormat(word, frame.length);
    const header = this.of(word);
    return header?.frameBytes === frame.length ? header : undefined;
  }

  private ofFreeFormat(word: number, frameBytes: number): Mp3Header | undefined {
    if (frameBytes > MAX_FRAME_BYTES) return undefined;
    if (this.free?.frameBytes !== frameBytes || this.freeWord !== word) {
      this.free = freeFormatHeader(word, frameBytes);
      this.freeWord = word;
    }
    return this.free;
  }
}

/** Bytes of side information behind header and CRC (ISO 11172-3 2.4.1.7, ISO 13818-3 2.4.1.7). */
export const sideInfoBytes = (header: Mp3Header): number =>
  header.version === 1 ? (header.channels === 1 ? 17 : 32) : header.channels === 1 ? 9 : 17;
