// Frames that wait, as bytes in blocks: seconds of speech are some hundred frames, and as objects each of them would be
// marked and moved by the collector several times before its turn comes. Frames are copied in, and come out as views of
// blocks that are used again and again, by all stores of the process: as long as it waits a block grows old, and only a long
// collection would free it.
//
//   block   │ gone │ head … │ … last │ free │
//   bytes   └──────┴────────┴────────┘ begins[i] … begins[i + 1]

export type FrameStore<Note, Frame> = {
  /** Copies the bytes behind all others: what they are a view of may be freed. */
  add(bytes: Uint8Array, note: Note): void;
  frames(): number;
  /** Of the one that has waited longest. */
  firstNote(): Note | undefined;
  /** Of the one that came last. */
  lastNote(): Note | undefined;
  /** The one that has waited longest, which waits no more; its bytes are good until the next call. */
  takeFirst(): Frame | undefined;
  /** Gives up the one that has waited longest. */
  dropFirst(): void;
  /** Gives up the one that came last, and answers with it; its bytes are good until the next call. */
  takeLast(): Frame | undefined;
  /** Copies of frames `from` to `until`, counted from the one that has waited longest. */
  range(from: number, until: number): Frame[];
  /** Gives up all. */
  clear(): void;
};

/** The frames of a block, one after another in `bytes`; those before `head` wait no more. */
type Block = {
  readonly bytes: Uint8Array;
  readonly notes: unknown[];
  readonly begins: number[];
  end: number;
  head: number;
};

/** A quarter of a second at 64 kbit/s; a longer frame has a block of its own. */
const BLOCK_BYTES = 2048;
/** As many as some hundred turns have in use; more are left to the collector. */
const MOST_SPARE_BLOCKS = 2048;

/** Emptied ones, wiped: what somebody still saw in one by mistake would be a noise, and no other caller's words. */
const spareBlocks: Block[] = [];

function openBlock(bytes: number): Block {
  const spare = bytes > BLOCK_BYTES ? undefined : spareBlocks.pop();
  if (spare !== undefined) return spare;
  return { bytes: new Uint8Array(Math.max(bytes, BLOCK_BYTES)), notes: [], begins: [], end: 0, head: 0 };
}
function giveBack(block: Block): void {
  if (block.bytes.length !== BLOCK_BYTES || spareBlocks.length === MOST_SPARE_BLOCKS) return;
  block.bytes.fill(0);
  block.notes.length = 0;
  block.begins.length = 0;
  block.end = 0;
  block.head = 0;
  spareBlocks.push(block);
}

/** A class, and not a function full of closures: three for each turn, asked for each frame, each then in one place of the heap. */
class BlockStore<Note, Frame> implements FrameStore<Note, Frame> {
  private blocks: Block[] = [];
  private count = 0;
  /** The last block to become empty: what was taken from it may still be read. */
  private emptied: Block | undefined;
  private readonly toFrame: (bytes: Uint8Array, note: Note) => Frame;

  constructor(toFrame: (bytes: Uint8Array, note: Note) => Frame) {
    this.toFrame = toFrame;
  }

  add(bytes: Uint8Array, note: Note): void {
    if (this.emptied !== undefined) this.giveBackEmptied();
    const block = this.roomFor(bytes.length);
    block.bytes.set(bytes, block.end);
    block.notes.push(note);
    block.begins.push(block.end);
    block.end += bytes.length;
    this.count += 1;
  }
  frames(): number {
    return this.count;
  }
  firstNote(): Note | undefined {
    const block = this.blocks[0];
    return block?.notes[block.head] as Note | undefined;
  }
  lastNote(): Note | undefined {
    return this.blocks.at(-1)?.notes.at(-1) as Note | undefined;
  }
  takeFirst(): Frame | undefined {
    const block = this.blocks[0];
    if (block === undefined) return undefined;
    const frame = this.frameAt(block, block.head);
    this.dropFirst();
    return frame;
  }
  dropFirst(): void {
    const block = this.blocks[0];
    if (block === undefined) return;
    block.head += 1;
    this.count -= 1;
    if (block.head < block.notes.length) return;
    this.blocks.shift();
    this.empty(block);
  }
  takeLast(): Frame | undefined {
    const block = this.blocks.at(-1);
    if (block === undefined) return undefined;
    const frame = this.frameAt(block, block.notes.length - 1);
    block.notes.pop();
    block.end = block.begins.pop()!;
    this.count -= 1;
    if (block.head === block.notes.length) {
      this.blocks.pop();
      this.empty(block);
    }
    return frame;
  }
  range(from: number, until: number): Frame[] {
    const found: Frame[] = [];
    let first = 0;
    for (const block of this.blocks) {
      const waiting = block.notes.length - block.head;
      for (let i = Math.max(from - first, 0); i < Math.min(until - first, waiting); i += 1)
        found.push(this.toFrame(viewOf(block, block.head + i).slice(), block.notes[block.head + i] as Note));
      first += waiting;
    }
    return found;
  }
  clear(): void {
    this.giveBackEmptied();
    this.blocks.forEach(giveBack);
    this.blocks = [];
    this.count = 0;
  }

  private roomFor(bytes: number): Block {
    const last = this.blocks[this.blocks.length - 1];
    if (last !== undefined && last.end + bytes <= last.bytes.length) return last;
    const block = openBlock(bytes);
    this.blocks.push(block);
    return block;
  }
  private frameAt(block: Block, at: number): Frame {
    return this.toFrame(viewOf(block, at), block.notes[at] as Note);
  }
  private giveBackEmptied(): void {
    if (this.emptied !== undefined) giveBack(this.emptied);
    this.emptied = undefined;
  }
  private empty(block: Block): void {
    this.giveBackEmptied();
    this.emptied = block;
  }
}

const viewOf = ({ bytes, begins, end }: Block, at: number): Uint8Array =>
  bytes.subarray(begins[at], begins[at + 1] ?? end);

/** `toFrame` makes of a frame's bytes and its note what is given out. */
export const createFrameStore = <Note, Frame>(
  toFrame: (bytes: Uint8Array, note: Note) => Frame,
): FrameStore<Note, Frame> => new BlockStore(toFrame);
