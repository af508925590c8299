// A WAV body → frames of its samples: RIFF with chunks in any order and any sizes, header bytes cut anywhere (Multimedia Programming
// Interface and Data Specifications 1.0; extensible formats: Microsoft's "Multiple Channel Audio Data and WAVE Files"). A server
// that streams does not know the sizes when it writes the header: 0, 0xFFFFFFFF and their like are no sizes, and one that more
// sound follows was wrong. What is not read here is refused by its name.

import { Buffer } from 'node:buffer';
import { MAX_LEG_SAMPLE_RATE, MIN_SAMPLE_RATE } from '../../speech/audio-format.ts';
import type { BodyParser, SoundSink } from './body-parser.ts';
import { LAYOUT_BYTES, PlainReader, type PlainSound, type SampleLayout, unreadable } from './plain-reader.ts';
import type { SoundFrame } from './sound-frame.ts';

const RIFF_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
/** WAVEFORMATEXTENSIBLE has 40. */
const MAX_FORMAT_BYTES = 1024;
/** Of the chunks before the sound: pictures and lists are skipped, not kept. */
const MAX_SKIPPED_BYTES = 16 * 1024 * 1024;
/** A size from here on is what a streaming server puts where it knows none. */
const NO_SIZE_FROM = 0x7ff0_0000;

const PCM = 1;
const FLOAT = 3;
const ALAW = 6;
const MULAW = 7;
const EXTENSIBLE = 0xfffe;
/** KSDATAFORMAT_SUBTYPE_…, behind the two bytes of the format tag. */
const SUBTYPE_TAIL = Buffer.from('000000001000800000aa00389b71', 'hex');
/** Chunks that stand behind the sound. Anything else there is sound: the size was wrong. */
const TRAILING_CHUNKS = new Set([
  'LIST',
  'id3 ',
  'ID3 ',
  'fact',
  'cue ',
  'bext',
  'JUNK',
  'junk',
  'PAD ',
  'FLLR',
  'PEAK',
  '_PMX',
  'smpl',
  'iXML',
  'afsp',
]);

const text = (bytes: Uint8Array, at: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, 4).toString('latin1');

type Place =
  /** Gathers `wanted` bytes. */
  | { readonly at: 'riff' | 'chunk' | 'behind-sound'; readonly wanted: number }
  | { readonly at: 'format'; readonly wanted: number; readonly padding: number }
  | { readonly at: 'skipping'; left: number; readonly next: 'chunk' | 'behind-sound' }
  /** `left`: infinite where no size is known. */
  | { readonly at: 'sound'; left: number; readonly padding: number };

/** One for each body. */
export class WavReader implements BodyParser {
  private readonly sink: SoundSink;
  private place: Place = { at: 'riff', wanted: RIFF_HEAD_BYTES };
  private readonly head = new Uint8Array(MAX_FORMAT_BYTES);
  private filled = 0;
  private skipped = 0;
  private sound: PlainSound | undefined;
  private samples: PlainReader | undefined;

  constructor(sink: SoundSink) {
    this.sink = sink;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const { place } = this;
      if (place.at === 'skipping') at += this.skip(place, chunk.length - at);
      else if (place.at === 'sound') at += this.pass(place, chunk.subarray(at));
      else at += this.gather(place.wanted, chunk.subarray(at));
      this.turn();
    }
  }
  settle(): void {}
  flush(): void {
    // What was held to see whether a chunk follows was sound, if it could be a sample.
    if (this.place.at === 'behind-sound' && this.filled > 0 && !this.mayBeChunk()) this.takeBackAsSound();
    this.samples?.flush();
  }
  junkBytes(): number {
    return 0;
  }
  heldBytes(): number {
    return 0;
  }
  heldFrame(): SoundFrame | undefined {
    return this.samples?.heldFrame();
  }
  cutFrameBytes(): number {
    return this.samples === undefined ? this.filled : this.samples.cutFrameBytes();
  }
  missingSamples(): number {
    const { place, sound } = this;
    if (place.at !== 'sound' || sound === undefined || place.left === Number.POSITIVE_INFINITY) return 0;
    return Math.ceil(place.left / (LAYOUT_BYTES[sound.layout] * sound.channels));
  }

  private gather(wanted: number, bytes: Uint8Array): number {
    const taken = Math.min(wanted - this.filled, bytes.length);
    this.head.set(bytes.subarray(0, taken), this.filled);
    this.filled += taken;
    return taken;
  }
  private skip(place: { left: number }, available: number): number {
    const taken = Math.min(place.left, available);
    place.left -= taken;
    this.skipped += taken;
    if (this.skipped > MAX_SKIPPED_BYTES)
      throw unreadable('a WAV file with more than 16 MiB before its sound');
    return taken;
  }
  private pass(place: { left: number }, bytes: Uint8Array): number {
    const taken = Math.min(place.left, bytes.length);
    this.samples!.push(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    place.left -= taken;
    return taken;
  }
  /** Goes on to the next place when the one before is over. */
  private turn(): void {
    const { place } = this;
    if (place.at === 'skipping') {
      if (place.left === 0) this.go({ at: place.next, wanted: CHUNK_HEAD_BYTES });
    } else if (place.at === 'sound') {
      if (place.left === 0 && place.padding > 0)
        this.go({ at: 'behind-sound', wanted: CHUNK_HEAD_BYTES + 1 });
      else if (place.left === 0) this.go({ at: 'behind-sound', wanted: CHUNK_HEAD_BYTES });
    } else if (this.filled === place.wanted) {
      if (place.at === 'riff') this.readRiff();
      else if (place.at === 'chunk') this.readChunk();
      else if (place.at === 'format') this.readFormat(place.wanted, place.padding);
      else this.readBehindSound();
    }
  }
  private go(place: Place): void {
    this.place = place;
    this.filled = 0;
    // A chunk without bytes is over at once.
    if (place.at === 'skipping' && place.left === 0) this.turn();
  }
  private sizeAt(at: number): number {
    return new DataView(this.head.buffer).getUint32(at, true);
  }
  private readRiff(): void {
    const name = text(this.head, 0);
    if (name === 'RF64' || name === 'BW64' || name === 'RIFX')
      throw unreadable(`WAV audio of the form ${name}`);
    if (name !== 'RIFF' || text(this.head, 8) !== 'WAVE') throw unreadable('something that is no WAV audio');
    this.go({ at: 'chunk', wanted: CHUNK_HEAD_BYTES });
  }
  private readChunk(): void {
    const size = this.sizeAt(4);
    switch (text(this.head, 0)) {
      case 'fmt ':
        if (size < 16 || size > MAX_FORMAT_BYTES)
          throw unreadable(`WAV audio whose format has ${size} bytes`);
        return this.go({ at: 'format', wanted: size, padding: size % 2 });
      case 'data':
        if (this.sound === undefined) throw unreadable('WAV audio that tells no format before its sound');
        this.samples ??= new PlainReader(this.sound, this.sink);
        return this.go(
          size === 0 || size >= NO_SIZE_FROM
            ? { at: 'sound', left: Number.POSITIVE_INFINITY, padding: 0 }
            : { at: 'sound', left: size, padding: size % 2 },
        );
      default:
        return this.go({ at: 'skipping', left: size + (size % 2), next: 'chunk' });
    }
  }
  private readFormat(bytes: number, padding: number): void {
    if (this.sound === undefined) this.sound = readFormat(this.head.subarray(0, bytes));
    this.go({ at: 'skipping', left: padding, next: 'chunk' });
  }
  /** A chunk's head may begin where the sound should end, behind the byte that makes its length even. */
  private chunkAt(): number {
    const { place } = this;
    return place.at === 'behind-sound' ? place.wanted - CHUNK_HEAD_BYTES : 0;
  }
  private mayBeChunk(): boolean {
    const at = this.chunkAt();
    if (this.filled < at + 4) return this.filled <= at;
    return TRAILING_CHUNKS.has(text(this.head, at));
  }
  private readBehindSound(): void {
    if (!this.mayBeChunk()) return this.takeBackAsSound();
    const size = this.sizeAt(this.chunkAt() + 4);
    this.go({ at: 'skipping', left: size + (size % 2), next: 'behind-sound' });
  }
  /** The size was wrong: what follows is sound, up to the end of the body. */
  private takeBackAsSound(): void {
    const bytes = this.head.slice(0, this.filled);
    this.go({ at: 'sound', left: Number.POSITIVE_INFINITY, padding: 0 });
    this.samples!.push(bytes);
  }
}

const LAYOUTS: Readonly<Record<string, SampleLayout>> = {
  [`${PCM}/8`]: 'u8',
  [`${PCM}/16`]: 's16',
  [`${PCM}/24`]: 's24',
  [`${PCM}/32`]: 's32',
  [`${FLOAT}/32`]: 'f32',
  [`${FLOAT}/64`]: 'f64',
  [`${ALAW}/8`]: 'alaw',
  [`${MULAW}/8`]: 'mulaw',
};

/** The content of a `fmt ` chunk, at least 16 bytes. */
function readFormat(format: Uint8Array): PlainSound {
  const view = new DataView(format.buffer, format.byteOffset, format.byteLength);
  let tag = view.getUint16(0, true);
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  const blockBytes = view.getUint16(12, true);
  const bits = view.getUint16(14, true);
  if (tag === EXTENSIBLE) {
    if (format.length < 40) throw unreadable('WAV audio of an extensible format that is cut short');
    if (!SUBTYPE_TAIL.equals(format.subarray(26, 40))) throw unreadable('WAV audio of an unknown subtype');
    tag = view.getUint16(24, true);
  }
  const layout = LAYOUTS[`${tag}/${bits}`];
  if (layout === undefined) throw unreadable(`WAV audio of format ${tag} with ${bits} bits a sample`);
  if (channels !== 1 && channels !== 2) throw unreadable(`WAV audio of ${channels} channels`);
  if (sampleRate < MIN_SAMPLE_RATE || sampleRate > MAX_LEG_SAMPLE_RATE)
    throw unreadable(`WAV audio of ${sampleRate} Hz`);
  if (blockBytes !== channels * LAYOUT_BYTES[layout])
    throw unreadable(`WAV audio whose samples have ${blockBytes} bytes and ${channels * bits} bits`);
  return { layout, sampleRate, channels };
}
