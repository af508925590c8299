// A PDF before pdf.js is given it, which inflates each stream whole, however small it looked: every compressed stream
// that is no picture is inflated here under count, and pictures are blanked, since none is looked at. Streams are
// found by their keyword alone, so that a crafted dictionary cannot hide one.

import { inflateSync } from 'node:zlib';
import { invalidSource } from '../invalid-source.ts';

const MAX_STREAM_BYTES = 32 * 1024 * 1024;
const MAX_BYTES = 160 * 1024 * 1024;
const MAX_RATIO = 200;
const RATIO_FROM_BYTES = 4 * 1024 * 1024;
/** Of streams that are coded as text before they are compressed, as was done around 1995, for one page each. */
const MAX_CODED_BYTES = 64 * 1024;
const MAX_RUN_LENGTH_BYTES = 512 * 1024;
const DICTIONARY_BYTES = 4_096;
/** A book of 2,000 pages has some 10,000; each is looked for, its dictionary read and its beginning inflated. */
const MAX_STREAMS = 30_000;
/** Of all streams together; one has 200. */
const MAX_DICTIONARY_BYTES = 24 * 1024 * 1024;
/** Room for what a stream unpacks to at first; it grows as long as there is more. */
const MIN_INFLATED_BYTES = 16 * 1024;

const COMPRESSORS = /\/(?:FlateDecode|Fl|LZWDecode|LZW|RunLengthDecode|RL|BrotliDecode)\b/g;
const CODED = /\/(?:ASCII85Decode|A85|ASCIIHexDecode|AHx)\b/;

const tooLarge = () =>
  invalidSource('The PDF unpacks to more than a document can hold; split it, or print it to a new PDF.');

const tooFine = () =>
  invalidSource('The PDF is in more pieces than can be read; split it, or print it to a new PDF.');

/** Blanks pictures in `bytes`. Throws `invalid_source` for a file that is protected or unpacks beyond the bounds. */
export function passPdf(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let total = 0;
  let streams = 0;
  let dictionaryBytes = 0;
  /** Of the next `endstream`, which is the same for all keywords before it. */
  let end = -1;
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', at + 6)) {
    if (file.toString('latin1', at - 3, at) === 'end') continue;
    const start = dataStart(file, at + 6);
    if (end < start) end = endOf(file, start);
    const dictionary = dictionaryBefore(file, at);
    dictionaryBytes += dictionary.length;
    if (++streams > MAX_STREAMS || dictionaryBytes > MAX_DICTIONARY_BYTES) throw tooFine();
    if (/\/Subtype\s*\/Image\b/.test(dictionary)) {
      file.fill(0, start, end);
      continue;
    }
    total += unpackedBytes(file, start, end, dictionary);
    if (total > MAX_BYTES) throw tooLarge();
  }
  // Of an encrypted file nothing above could be seen; its streams are noise to this gate.
  if (/\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/.test(trailers(file)))
    throw invalidSource('The PDF is protected; save a copy without password and restrictions.');
}

function endOf(file: Buffer, start: number): number {
  const end = file.indexOf('endstream', start);
  return end === -1 ? file.length : end;
}

/** The data begin behind the line end that follows the keyword (ISO 32000-1, 7.3.8.1). */
function dataStart(file: Buffer, at: number): number {
  if (file[at] === 0x0d) at++;
  if (file[at] === 0x0a) at++;
  return at;
}

/** What stands before the keyword, back to the object's beginning, escapes in names resolved. */
function dictionaryBefore(file: Buffer, at: number): string {
  const before = file.subarray(Math.max(0, at - DICTIONARY_BYTES), at);
  return before
    .toString('latin1', before.lastIndexOf('obj') + 1)
    .replace(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function unpackedBytes(file: Buffer, start: number, end: number, dictionary: string): number {
  const compressors = dictionary.match(COMPRESSORS) ?? [];
  const packed = end - start;
  if (new Set(compressors).size > 1 || /\/Filter\s*\[\s*(\/\w+)\b\s*\1/.test(dictionary)) throw tooLarge();
  if (CODED.test(dictionary) && compressors.length > 0 && packed > MAX_CODED_BYTES) throw tooLarge();
  if (/\/(?:RunLengthDecode|RL)\b/.test(dictionary) && packed > MAX_RUN_LENGTH_BYTES) throw tooLarge();
  const size = /\/LZW/.test(dictionary)
    ? Math.max(packed, lzwBytes(file.subarray(start, end)))
    : inflatedBytes(file, start);
  if (size > MAX_STREAM_BYTES || (size >= RATIO_FROM_BYTES && size > packed * MAX_RATIO)) throw tooLarge();
  return size;
}

/** Of what begins as zlib data do (RFC 1950, 2.2), whatever the dictionary says of it; 0 for anything else. */
function inflatedBytes(file: Buffer, start: number): number {
  const [method = 0, flags = 0] = [file[start], file[start + 1]];
  if ((method & 0x0f) !== 8 || (method * 256 + flags) % 31 !== 0) return 0;
  for (let room = MIN_INFLATED_BYTES; ; room = Math.min(MAX_STREAM_BYTES, room * 16))
    try {
      return inflateSync(file.subarray(start), { maxOutputLength: room, finishFlush: 2 }).length;
    } catch (fault) {
      // Damaged: pdf.js reads as far as it goes, which is no farther. That costs, too, and is counted.
      if ((fault as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') return room;
      if (room === MAX_STREAM_BYTES) throw tooLarge();
    }
}

/** How much LZW data (ISO 32000-1, 7.4.4, early change) unpack to, without unpacking them. */
function lzwBytes(packed: Uint8Array): number {
  const lengths = new Uint16Array(4096).fill(1, 0, 256);
  let next = 258;
  let width = 9;
  let last = 0;
  let bits = 0;
  let held = 0;
  let size = 0;
  for (const byte of packed) {
    held = ((held << 8) | byte) & 0xffffff;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === 257) break;
    if (code === 256) {
      next = 258;
      width = 9;
      last = 0;
      continue;
    }
    const length = code < next ? lengths[code]! : last + 1;
    if (last > 0 && next < 4096) lengths[next++] = last + 1;
    last = length;
    width = next + 1 < 512 ? 9 : next + 1 < 1024 ? 10 : next + 1 < 2048 ? 11 : 12;
    size += length;
    if (size > MAX_STREAM_BYTES) break;
  }
  return size;
}

/** The places where a file says that it is encrypted: trailers, and the dictionaries of cross-reference streams. */
function trailers(file: Buffer): string {
  const found: string[] = [];
  for (const mark of ['trailer', '/XRef'])
    for (let at = file.indexOf(mark), i = 0; at !== -1 && i < 1_000; at = file.indexOf(mark, at + 1), i++)
      found.push(file.toString('latin1', Math.max(0, at - 1_000), at + 2_000));
  return found.join('\n');
}
