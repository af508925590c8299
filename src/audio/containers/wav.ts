// The header of a WAV file or stream of 16-bit PCM: RIFF, one `fmt ` chunk, in a file that says what it is a LIST of
// INFO, and the head of one `data` chunk: 44 bytes without the list.
// (Multimedia Programming Interface and Data Specifications 1.0; format tag 1, WAVE_FORMAT_PCM; INFO in chapter 2.)

import { Buffer } from 'node:buffer';
import type { FileTags } from './tag-text.ts';

const RIFF_HEAD_BYTES = 8;
/** What stands for a size that is not known when the header is sent. */
const UNKNOWN_SIZE = 0xffffffff;
const BYTES_PER_SAMPLE = 2;
/** Without a list. */
export const WAV_HEADER_BYTES = 44;

export type WavLayout = {
  readonly sampleRate: number;
  readonly channels: 1;
  /** Bytes of audio that follow; absent (or past what 32 bits can tell) while streaming. */
  readonly dataBytes?: number;
  /** None by default. */
  readonly tags?: FileTags;
};

export function wavHeader({ sampleRate, channels, dataBytes, tags }: WavLayout): Uint8Array {
  const list = tags === undefined ? NO_BYTES : infoList(tags);
  const header = new Uint8Array(WAV_HEADER_BYTES + list.length);
  const riffBytes = header.length - RIFF_HEAD_BYTES + (dataBytes ?? UNKNOWN_SIZE);
  const isKnown = dataBytes !== undefined && riffBytes < UNKNOWN_SIZE;
  const view = new DataView(header.buffer);
  const name = (at: number, fourLetters: string) => header.set(Buffer.from(fourLetters, 'latin1'), at);

  name(0, 'RIFF');
  view.setUint32(4, isKnown ? riffBytes : UNKNOWN_SIZE, true);
  name(8, 'WAVE');

  name(12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * channels * BYTES_PER_SAMPLE, true);
  view.setUint16(32, channels * BYTES_PER_SAMPLE, true);
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true);

  header.set(list, 36);
  name(36 + list.length, 'data');
  view.setUint32(40 + list.length, isKnown ? dataBytes : UNKNOWN_SIZE, true);
  return header;
}

/** The header with its true sizes for a file of `fileBytes` that begins with `head`, as it was streamed; undefined: no WAV. */
export function finishedWavHeader(head: Uint8Array, fileBytes: number): Uint8Array | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.length < WAV_HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  const sampleRate = bytes.readUInt32LE(24);
  return wavHeader({ sampleRate, channels: 1, dataBytes: fileBytes - WAV_HEADER_BYTES });
}

/** In front of the sound, where a player that reads on the way finds it. Text is UTF-8, as players take it today. */
function infoList({ title, artist }: FileTags): Uint8Array {
  const items = [
    ...(title === '' ? [] : [chunk('INAM', Buffer.from(`${title}\0`))]),
    ...(artist === undefined ? [] : [chunk('IART', Buffer.from(`${artist}\0`))]),
  ];
  return items.length === 0 ? NO_BYTES : chunk('LIST', Buffer.concat([Buffer.from('INFO'), ...items]));
}

/** Padded to an even length, which its size does not count. */
function chunk(fourLetters: string, content: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(RIFF_HEAD_BYTES + content.length + (content.length % 2));
  bytes.write(fourLetters, 'latin1');
  bytes.writeUInt32LE(content.length, 4);
  bytes.set(content, RIFF_HEAD_BYTES);
  return bytes;
}

const NO_BYTES = new Uint8Array(0);
