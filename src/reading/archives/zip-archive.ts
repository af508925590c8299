// A ZIP archive, judged by its central directory before anything is inflated: how many members, how large, how much
// smaller than that on disk, where they lie. What is then inflated is counted, whatever the directory claims. Layout
// and field names are those of the ZIP specification (APPNOTE 4.3, 4.4).

import { crc32, inflateRawSync } from 'node:zlib';
import { invalidSource } from '../invalid-source.ts';

export type ZipArchive = {
  /** In the order of the directory. */
  readonly names: readonly string[];
  /** Undefined: no such member. Throws `invalid_source` when it is damaged, an archive itself, or over `mostBytes`. */
  read(name: string, mostBytes: number): Uint8Array | undefined;
};

const MAX_MEMBERS = 2_000;
const MAX_BYTES = 200 * 1024 * 1024;
/** Of members of a mebibyte and more: small ones, a blank page for one, shrink by more than this honestly. */
const MAX_RATIO = 100;
const RATIO_FROM_BYTES = 1024 * 1024;

const END = 0x06054b50;
const END_BYTES = 22;
const DIRECTORY = 0x02014b50;
const DIRECTORY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ZIP64_LOCATOR = 0x07064b50;
const STORED = 0;
const DEFLATED = 8;

type Member = {
  readonly name: string;
  readonly method: number;
  readonly start: number;
  readonly packed: number;
  readonly size: number;
  /** CRC-32 of its content; 0 where its writer did not count it. */
  readonly checksum: number;
};

const damaged = () => invalidSource('The file is damaged or cut short; upload it again from the original.');
const tooLarge = () =>
  invalidSource(
    `The file unpacks to more than a document can hold (at most ${MAX_MEMBERS} parts and ${MAX_BYTES / 1024 / 1024} MB); split it, or save it as plain text.`,
  );

/** Throws `invalid_source` for an archive that is damaged or beyond the bounds. */
export function openZip(bytes: Uint8Array): ZipArchive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const directoryBytes = view.getUint32(end + 12, true);
  const directoryAt = view.getUint32(end + 16, true);
  const hasLocator = end >= 20 && view.getUint32(end - 20, true) === ZIP64_LOCATOR;
  if (hasLocator || count === 0xffff || directoryBytes === 0xffffffff || directoryAt === 0xffffffff)
    throw tooLarge();
  const isSplit = view.getUint16(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count;
  if (isSplit || directoryAt + directoryBytes > end) throw damaged();
  if (count > MAX_MEMBERS) throw tooLarge();

  const members = new Map<string, Member>();
  let at = directoryAt;
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (at + DIRECTORY_BYTES > end || view.getUint32(at, true) !== DIRECTORY) throw damaged();
    const nameBytes = view.getUint16(at + 28, true);
    const next =
      at + DIRECTORY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw damaged();
    const member = readMember(view, bytes, at, directoryAt);
    total += member.size;
    if (total > MAX_BYTES) throw tooLarge();
    if (members.has(member.name)) throw damaged();
    members.set(member.name, member);
    at = next;
  }
  forbidOverlap([...members.values()]);

  return {
    names: [...members.keys()],
    read(name, mostBytes) {
      const member = members.get(name);
      if (member === undefined) return undefined;
      if (member.size > mostBytes) throw tooLarge();
      const content = inflate(bytes.subarray(member.start, member.start + member.packed), member);
      if (member.checksum !== 0 && crc32(content) !== member.checksum) throw damaged();
      if (isArchive(content)) throw invalidSource('The file holds another archive where its text should be.');
      return content;
    },
  };
}

/** The end record lies before a comment of at most 65,535 bytes; it counts only if that comment ends the file. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - 0xffff);
  for (let at = view.byteLength - END_BYTES; at >= first; at--)
    if (
      view.getUint32(at, true) === END &&
      at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength
    )
      return at;
  throw damaged();
}

function readMember(view: DataView, bytes: Uint8Array, at: number, directoryAt: number): Member {
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const checksum = view.getUint32(at + 16, true);
  const packed = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const nameBytes = view.getUint16(at + 28, true);
  const localAt = view.getUint32(at + 42, true);
  if (packed === 0xffffffff || size === 0xffffffff || localAt === 0xffffffff) throw tooLarge();
  if ((flags & 1) === 1) throw invalidSource('The file is locked by a password; save it without one.');
  if (method !== STORED && method !== DEFLATED) throw damaged();
  if (method === STORED && packed !== size) throw damaged();
  if (size >= RATIO_FROM_BYTES && size > packed * MAX_RATIO) throw tooLarge();
  if (localAt + LOCAL_BYTES > directoryAt || view.getUint32(localAt, true) !== LOCAL) throw damaged();
  const start =
    localAt + LOCAL_BYTES + view.getUint16(localAt + 26, true) + view.getUint16(localAt + 28, true);
  if (start + packed > directoryAt) throw damaged();
  const name = bytes.subarray(at + DIRECTORY_BYTES, at + DIRECTORY_BYTES + nameBytes);
  return { name: new TextDecoder().decode(name), method, start, packed, size, checksum };
}

/** Members that share their bytes are how a few kilobytes become terabytes. */
function forbidOverlap(members: readonly Member[]): void {
  let taken = 0;
  for (const { start, packed } of members.toSorted((a, b) => a.start - b.start || a.packed - b.packed)) {
    if (start - LOCAL_BYTES < taken) throw damaged();
    taken = start + packed;
  }
}

function inflate(packed: Uint8Array, { method, size }: Member): Uint8Array {
  if (method === STORED) return packed;
  let content: Uint8Array;
  try {
    // Stops at the declared size: a member that lies about it costs no more than it admits.
    content = inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch {
    throw damaged();
  }
  if (content.length !== size) throw damaged();
  return content;
}

const ARCHIVES = ['PK\x03\x04', '\x1f\x8b', '7z\xbc\xaf', 'Rar!\x1a', 'BZh9', '\xfd7zXZ'];

const isArchive = (bytes: Uint8Array): boolean => {
  const start = String.fromCharCode(...bytes.subarray(0, 6));
  return ARCHIVES.some((mark) => start.startsWith(mark));
};
