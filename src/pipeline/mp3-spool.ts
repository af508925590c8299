// The long buffer of a turn: whole MP3 frames between the upstream's speed and playback speed. A minute of
// speech costs about half a megabyte here, so the scarce upstream slot is freed as fast as the upstream can
// send. When it is full, the body is not read: TCP holds the upstream back.

import type { Mp3Frame } from '../audio/mp3/mp3-frame-parser.ts';
import { addMp3Frame, createMp3FrameStore } from '../audio/mp3/mp3-frame-store.ts';
import type { TranscoderItem } from '../audio/transcoder.ts';
import { createLoneWaiter } from '../base/lone-waiter.ts';

/** Everything asked for before so many flushes is in front of this. */
export type FlushItem = { readonly kind: 'flush'; readonly count: number };
/** Silence between the speech of two requests. */
export type PauseItem = { readonly kind: 'pause'; readonly ms: number };
export type SpoolItem = TranscoderItem | FlushItem | PauseItem;
type NotFrame = Exclude<SpoolItem, { readonly kind: 'frame' }>;

export type Mp3Spool = {
  /** Always takes the item; whoever reads a body asks `isFull` before it reads on. */
  add(item: SpoolItem): void;
  isFull(): boolean;
  /** Resolves when there is room; one waiter at a time. Room that comes of a grown capacity is told by `refill`. */
  room(signal: AbortSignal): Promise<void>;
  /** There is room, and somebody who waits for it has not been told. */
  wantsRefill(): boolean;
  /** Lets him go on, if there is room. */
  refill(): void;
  /** Frames at the end, nothing else among them, that have not been taken. */
  lastFrames(): number;
  /** Drops so many of them. */
  takeBack(count: number): void;
  /**
   * From now on the last so many frames are kept for `recentFrames`, though they have been taken: where a body breaks, they
   * tell how it sounded there.
   */
  keepRecent(frames: number): void;
  /** Copies of the last so many that came and were not taken back; undefined when some are no longer kept. */
  recentFrames(count: number): Mp3Frame[] | undefined;
  /** `take` has something. */
  hasNext(): boolean;
  /** The bytes of a frame are good until the next call. */
  take(): SpoolItem | undefined;
  /** Resolves when `take` has something, or nothing will come; rejects with what `fail` was given. */
  more(signal: AbortSignal): Promise<void>;
  /** Nothing further will come. */
  end(): void;
  /** Nothing further will come, because of `error`; what is there can still be taken. */
  fail(error: unknown): void;
  isEnded(): boolean;
  bytes(): number;
  /** Milliseconds of audio that wait here. */
  waitingMs(): number;
};

/** Hears of everything that comes into a spool, and of what is given up again at its end. */
export type SpoolTap = {
  add(item: SpoolItem): void;
  takeBack(frames: number): void;
};

export type Mp3SpoolOptions = {
  /** May change while the spool lives; one chunk may go beyond it. */
  readonly capacityBytes: () => number;
  /** Room for so much there is always, and the capacity is not asked for it; default 0. */
  readonly leastBytes?: number;
  readonly tap?: SpoolTap | undefined;
};

type SpoolState =
  | { readonly kind: 'open' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown };
const OPEN: SpoolState = { kind: 'open' };
const ENDED: SpoolState = { kind: 'ended' };

/** One for each turn, visited for each frame that comes and goes. */
class FrameSpool implements Mp3Spool {
  private readonly options: Mp3SpoolOptions;
  private readonly leastBytes: number;
  /** What waits, in its order: of frames in a row only how many, for they are kept as bytes. */
  private items: (NotFrame | number)[] = [];
  private head = 0;
  private readonly frames = createMp3FrameStore();
  private keptBytes = 0;
  private keptMs = 0;
  private state = OPEN;
  private readonly taker = createLoneWaiter();
  private readonly filler = createLoneWaiter();

  constructor(options: Mp3SpoolOptions) {
    this.options = options;
    this.leastBytes = options.leastBytes ?? 0;
  }

  add(item: SpoolItem): void {
    this.options.tap?.add(item);
    if (item.kind !== 'frame') this.items.push(item);
    else {
      addMp3Frame(this.frames, item.frame);
      const frames = this.lastFrames();
      if (frames > 0) this.items[this.items.length - 1] = frames + 1;
      else this.items.push(1);
    }
    this.keptBytes += bytesOf(item);
    this.keptMs += itemMs(item);
    this.wakeTaker();
  }
  isFull(): boolean {
    return !this.hasRoom();
  }
  room(signal: AbortSignal): Promise<void> {
    if (this.hasRoom()) return Promise.resolve();
    return this.filler.wait(signal);
  }
  wantsRefill(): boolean {
    return this.filler.isWaiting() && this.hasRoom();
  }
  refill(): void {
    if (this.wantsRefill()) this.filler.release();
  }
  lastFrames(): number {
    const last = this.hasNext() ? this.items.at(-1) : undefined;
    return typeof last === 'number' ? last : 0;
  }
  takeBack(count: number): void {
    this.options.tap?.takeBack(count);
    const left = this.lastFrames() - count;
    for (let i = 0; i < count; i += 1) this.uncount({ kind: 'frame', frame: this.frames.takeLast()! });
    if (left > 0) this.items[this.items.length - 1] = left;
    else if (count > 0) this.items.pop();
  }
  keepRecent(count: number): void {
    this.frames.keepRecent(count);
  }
  recentFrames(count: number): Mp3Frame[] | undefined {
    return this.frames.recent(count);
  }
  hasNext(): boolean {
    return this.head < this.items.length;
  }
  take(): SpoolItem | undefined {
    const next = this.items[this.head];
    if (next === undefined) return undefined;
    const item: SpoolItem =
      typeof next === 'number' ? { kind: 'frame', frame: this.frames.takeFirst()! } : next;
    if (typeof next === 'number' && next > 1) this.items[this.head] = next - 1;
    else this.passHead();
    this.uncount(item);
    this.refill();
    return item;
  }
  more(signal: AbortSignal): Promise<void> {
    if (this.hasNext() || this.state.kind === 'ended') return Promise.resolve();
    if (this.state.kind === 'failed') return Promise.reject(this.state.error as Error);
    return this.taker.wait(signal);
  }
  end(): void {
    if (this.state.kind === 'open') this.state = ENDED;
    this.wakeTaker();
  }
  fail(error: unknown): void {
    if (this.state.kind === 'open') this.state = { kind: 'failed', error };
    this.wakeTaker();
  }
  isEnded(): boolean {
    return this.state.kind === 'ended' && !this.hasNext();
  }
  bytes(): number {
    return this.keptBytes;
  }
  waitingMs(): number {
    return this.keptMs;
  }

  private hasRoom(): boolean {
    return this.keptBytes < this.leastBytes || this.keptBytes < this.options.capacityBytes();
  }
  private wakeTaker(): void {
    if (this.state.kind === 'failed' && !this.hasNext()) this.taker.fail(this.state.error);
    else this.taker.release();
  }
  private uncount(item: SpoolItem): void {
    this.keptBytes -= bytesOf(item);
    // What is left of sums of fractions is not audio; a pause that still waits is followed by some.
    this.keptMs = this.keptBytes === 0 ? 0 : this.keptMs - itemMs(item);
  }
  private passHead(): void {
    this.head += 1;
    if (this.hasNext() && this.head < 64) return;
    this.items = this.items.slice(this.head);
    this.head = 0;
  }
}

export const createMp3Spool = (options: Mp3SpoolOptions): Mp3Spool => new FrameSpool(options);

const bytesOf = (item: SpoolItem): number => {
  if (item.kind === 'frame') return item.frame.bytes.length;
  return item.kind === 'bridge' ? item.bridge.samples.byteLength : 0;
};
/** How much audio an item is, ms. */
export const itemMs = (item: SpoolItem): number => {
  if (item.kind === 'bridge') return (item.bridge.samples.length * 1000) / item.bridge.sampleRate;
  if (item.kind === 'pause') return item.ms;
  if (item.kind !== 'frame') return 0;
  const { samplesPerFrame, sampleRate } = item.frame.header;
  return (samplesPerFrame * 1000) / sampleRate;
};
