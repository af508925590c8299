// Waiting frames, as bytes in blocks: seconds of speech are some hundred frames, and as objects each of them would be
// marked and moved by the garbage collector several times before it is sent. Frames are copied in, and come out as views of
// blocks that all stores of the process reuse: while it waits a block becomes old, and only a major collection would free it.
//
//   block   │ gone │ head … │ … last │ free │
//   bytes   └──────┴────────┴────────┘ begins[i] … begins[i + 1]

import type { FrameHeader, SoundFrame } from './bodies/sound-frame.ts';
import type { AudioFrame } from './stage.ts';

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
const MAX_SPARE_BLOCKS = 2048;

/** Emptied blocks, wiped: code that still reads one by mistake gets silence or noise, never another caller's words. */
const spareBlocks: Block[] = [];

function openBlock(bytes: number): Block {
  const spare = bytes > BLOCK_BYTES ? undefined : spareBlocks.pop();
  if (spare !== undefined) return spare;
  return { bytes: new Uint8Array(Math.max(bytes, BLOCK_BYTES)), notes: [], begins: [], end: 0, head: 0 };
}
function giveBack(block: Block): void {
  if (block.bytes.length !== BLOCK_BYTES || spareBlocks.length === MAX_SPARE_BLOCKS) return;
  block.bytes.fill(0);
  block.notes.length = 0;
  block.begins.length = 0;
  block.end = 0;
  block.head = 0;
  spareBlocks.push(block);
}

/** A class, not closures: three for each turn, called for each frame. */
export class FrameStore<Note, Frame> {
  private blocks: Block[] = [];
  private count = 0;
  /** Blocks of which nothing waits any more, kept for what came last, and how many frames they have. */
  private passed: Block[] = [];
  private passedFrames = 0;
  private kept = 0;
  /** The last block to become empty: what was taken from it may still be read. */
  private emptied: Block | undefined;
  private readonly toFrame: (bytes: Uint8Array, note: Note) => Frame;

  /** `toFrame` makes of a frame's bytes and its note what is given out. */
  constructor(toFrame: (bytes: Uint8Array, note: Note) => Frame) {
    this.toFrame = toFrame;
  }

  /** Copies the bytes behind all others: what they are a view of may be freed. */
  add(bytes: Uint8Array, note: Note): void {
    if (this.emptied !== undefined) this.giveBackEmptied();
    if (this.passed.length > 0) this.forgetPassed();
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
  /** Of the one that has waited longest. */
  firstNote(): Note | undefined {
    const block = this.blocks[0];
    return block?.notes[block.head] as Note | undefined;
  }
  /** Of the one that came last. */
  lastNote(): Note | undefined {
    return this.count === 0 ? undefined : (this.blocks.at(-1)?.notes.at(-1) as Note);
  }
  /** The one that has waited longest, which waits no more; its bytes are good until the next call. */
  takeFirst(): Frame | undefined {
    const block = this.blocks[0];
    if (block === undefined || this.count === 0) return undefined;
    const frame = this.frameAt(block, block.head);
    this.dropFirst();
    return frame;
  }
  /** Gives up the one that has waited longest. */
  dropFirst(): void {
    const block = this.blocks[0];
    if (block === undefined || this.count === 0) return;
    block.head += 1;
    this.count -= 1;
    if (block.head < block.notes.length) return;
    if (this.kept > 0) this.passFirst();
    else this.empty(this.blocks.shift()!);
  }
  /** Gives up the one that came last, and answers with it; its bytes are good until the next call. */
  takeLast(): Frame | undefined {
    const block = this.blocks.at(-1);
    if (block === undefined || this.count === 0) return undefined;
    const frame = this.frameAt(block, block.notes.length - 1);
    block.notes.pop();
    block.end = block.begins.pop()!;
    this.count -= 1;
    if (block.head === block.notes.length && (block.head === 0 || this.kept === 0))
      this.empty(this.blocks.pop()!);
    return frame;
  }
  /** Copies of frames `from` to `until`, counted from the one that has waited longest. */
  range(from: number, until: number): Frame[] {
    const found: Frame[] = [];
    let first = 0;
    for (const block of this.blocks) {
      const waiting = block.notes.length - block.head;
      for (let i = Math.max(from - first, 0); i < Math.min(until - first, waiting); i += 1)
        found.push(this.copyOf(block, block.head + i));
      first += waiting;
    }
    return found;
  }
  /** From now on at least so many of the last frames are kept for `recent`, though they wait no more; at first none. */
  keepRecent(frames: number): void {
    this.kept = frames;
    if (frames === 0 && this.count === 0) for (const block of this.blocks.splice(0)) this.empty(block);
    this.forgetPassed();
  }
  /** Copies of the last so many, waiting or not, but for those of `takeLast`; undefined when some are no longer kept. */
  recent(frames: number): Frame[] | undefined {
    const found: Frame[] = [];
    const all = [...this.passed, ...this.blocks];
    for (let block = all.pop(); block !== undefined && found.length < frames; block = all.pop())
      for (let at = block.notes.length - 1; at >= 0 && found.length < frames; at -= 1)
        found.push(this.copyOf(block, at));
    return found.length < frames ? undefined : found.reverse();
  }
  /** Gives up all. */
  clear(): void {
    this.giveBackEmptied();
    this.passed.forEach(giveBack);
    this.blocks.forEach(giveBack);
    this.passed = [];
    this.passedFrames = 0;
    this.blocks = [];
    this.count = 0;
  }

  private roomFor(bytes: number): Block {
    const last = this.blocks[this.blocks.length - 1];
    if (last !== undefined && last.end + bytes <= last.bytes.length) return last;
    const block = openBlock(bytes);
    this.blocks.push(block);
    if (this.kept > 0) this.passFirst();
    return block;
  }
  private frameAt(block: Block, at: number): Frame {
    return this.toFrame(viewOf(block, at), block.notes[at] as Note);
  }
  private copyOf(block: Block, at: number): Frame {
    return this.toFrame(viewOf(block, at).slice(), block.notes[at] as Note);
  }
  /** A block that is kept stays for frames to come as long as it has room. */
  private passFirst(): void {
    const block = this.blocks[0]!;
    if (this.blocks.length === 1 || block.head < block.notes.length) return;
    this.blocks.shift();
    this.passed.push(block);
    this.passedFrames += block.notes.length;
  }
  /** What was taken before is no longer read: this is the next call. */
  private forgetPassed(): void {
    const here = this.count + (this.blocks[0]?.head ?? 0);
    for (let first = this.passed[0]; first !== undefined; first = this.passed[0]) {
      if (this.passedFrames - first.notes.length + here < this.kept) return;
      this.passed.shift();
      this.passedFrames -= first.notes.length;
      giveBack(first);
    }
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

const toAudioFrame = (bytes: Uint8Array, samples: number): AudioFrame => ({ bytes, samples });

/** Of encoded frames, each noted with its samples. */
export const createAudioFrameStore = (): FrameStore<number, AudioFrame> => new FrameStore(toAudioFrame);

/** What was lost before a frame is noted with it; that is hardly ever anything. */
type SoundNote = FrameHeader | { readonly header: FrameHeader; readonly afterGap: true };

type SoundFrameStore = FrameStore<SoundNote, SoundFrame>;

const toSoundFrame = (bytes: Uint8Array, note: SoundNote): SoundFrame =>
  'afterGap' in note ? { bytes, ...note } : { bytes, header: note };

export const createSoundFrameStore = (): SoundFrameStore => new FrameStore(toSoundFrame);

/** Copies the frame behind all others: what it is a view of may be freed. */
export function addSoundFrame(store: SoundFrameStore, { bytes, header, afterGap }: SoundFrame): void {
  store.add(bytes, afterGap === true ? { header, afterGap } : header);
}
