// MP3 frames that wait, as bytes in blocks: seconds of speech are some hundred frames, and as objects each of them would be
// marked and moved by the collector several times before its turn comes. Frames are copied in, and come out as views of
// blocks that are used again and again: as long as it waits a block grows old, and only a long collection would free it.

import { type Mp3Frame, ownFrame } from './mp3-frame-parser.ts';
import type { Mp3Header } from './mp3-header.ts';

export type Mp3FrameStore = {
  /** Copies the frame behind all others: what it is a view of may be freed. */
  add(frame: Mp3Frame): void;
  frames(): number;
  /** The one that has waited longest, which waits no more; whoever wants its bytes beyond the next `add` copies them. */
  takeFirst(): Mp3Frame | undefined;
  /** Gives up the one that has waited longest. */
  dropFirst(): void;
  /** Gives up the one that came last, and answers with it; it is to be looked at before the next `add`. */
  takeLast(): Mp3Frame | undefined;
  /** Copies of frames `from` to `until`, counted from the one that has waited longest. */
  range(from: number, until: number): Mp3Frame[];
};

/** The frames of a block, one after another in `bytes`; those before `head` wait no more. */
type Block = {
  readonly bytes: Uint8Array;
  readonly headers: Mp3Header[];
  readonly begins: number[];
  end: number;
  head: number;
  /** Indices of frames before which bytes were lost; there are hardly ever any. */
  gaps: Set<number> | undefined;
};

/** Half a second at 64 kbit/s; a longer frame has a block of its own. */
const BLOCK_BYTES = 4096;
/** Of the first one, for short phrases are many. */
const FIRST_BLOCK_BYTES = 1024;

const openBlock = (bytes: number): Block => ({
  bytes: new Uint8Array(bytes),
  headers: [],
  begins: [],
  end: 0,
  head: 0,
  gaps: undefined,
});

const frameAt = ({ bytes, headers, begins, end, gaps }: Block, at: number): Mp3Frame => {
  const frame = { bytes: bytes.subarray(begins[at], begins[at + 1] ?? end), header: headers[at]! };
  return gaps?.has(at) === true ? { ...frame, afterGap: true } : frame;
};

export function createMp3FrameStore(): Mp3FrameStore {
  let blocks: Block[] = [];
  let count = 0;
  /** An emptied block; the next one that is needed. */
  let spare: Block | undefined;

  const spareFor = (bytes: number): Block | undefined => {
    if (spare === undefined || bytes > spare.bytes.length) return undefined;
    const block = spare;
    spare = undefined;
    return block;
  };
  const roomFor = (bytes: number): Block => {
    const last = blocks.at(-1);
    if (last !== undefined && last.end + bytes <= last.bytes.length) return last;
    const block =
      spareFor(bytes) ?? openBlock(Math.max(bytes, last === undefined ? FIRST_BLOCK_BYTES : BLOCK_BYTES));
    blocks.push(block);
    return block;
  };
  const emptied = (block: Block) => {
    if (block.bytes.length !== BLOCK_BYTES) return;
    block.headers.length = 0;
    block.begins.length = 0;
    block.end = 0;
    block.head = 0;
    block.gaps = undefined;
    spare = block;
  };
  const dropFirst = () => {
    const block = blocks[0];
    if (block === undefined) return;
    block.head += 1;
    count -= 1;
    if (block.head < block.headers.length) return;
    blocks = blocks.slice(1);
    emptied(block);
  };

  return {
    add({ bytes, header, afterGap }) {
      const block = roomFor(bytes.length);
      block.bytes.set(bytes, block.end);
      if (afterGap) {
        block.gaps ??= new Set();
        block.gaps.add(block.headers.length);
      }
      block.headers.push(header);
      block.begins.push(block.end);
      block.end += bytes.length;
      count += 1;
    },
    frames: () => count,
    takeFirst() {
      const block = blocks[0];
      if (block === undefined) return undefined;
      const frame = frameAt(block, block.head);
      dropFirst();
      return frame;
    },
    dropFirst,
    takeLast() {
      const block = blocks.at(-1);
      if (block === undefined) return undefined;
      const last = block.headers.length - 1;
      const frame = frameAt(block, last);
      block.gaps?.delete(last);
      block.headers.pop();
      block.end = block.begins.pop()!;
      count -= 1;
      if (block.head === block.headers.length) {
        blocks = blocks.slice(0, -1);
        emptied(block);
      }
      return frame;
    },
    range(from, until) {
      const found: Mp3Frame[] = [];
      let first = 0;
      for (const block of blocks) {
        const waiting = block.headers.length - block.head;
        for (let at = Math.max(from - first, 0); at < Math.min(until - first, waiting); at += 1)
          found.push(ownFrame(frameAt(block, block.head + at)));
        first += waiting;
      }
      return found;
    },
  };
}
