// The long buffer of a turn: whole frames, MP3 or what else the service sends, between the upstream's speed and playback speed. A minute of
// speech costs about half a megabyte here, so the scarce upstream slot is freed as fast as the upstream can
// send. When it is full, the body is not read: TCP holds the upstream back.

import { frameMs, type SoundFrame } from '../audio/bodies/sound-frame.ts';
import { addSoundFrame, createSoundFrameStore } from '../audio/frame-store.ts';
import type { TranscoderItem } from '../audio/transcoder.ts';
import { SingleWaiter } from '../base/single-waiter.ts';

/** Everything asked for before so many flushes is in front of this. */
export type FlushItem = { readonly kind: 'flush'; readonly count: number };
/** Silence between the speech of two requests. */
export type SpoolItem = TranscoderItem | FlushItem;
type NotFrame = Exclude<SpoolItem, { readonly kind: 'frame' }>;

/** Observes what comes into a spool, and what is removed again at its end. */
export type SpoolTap = {
  add(item: SpoolItem): void;
  takeBack(frames: number): void;
};

export type BodySpoolOptions = {
  /** May change while the spool lives; one chunk may go beyond it. */
  readonly capacityBytes: () => number;
  /** There is always room for this much, whatever the capacity; default 0. */
  readonly leastBytes?: number;
  readonly tap?: SpoolTap | undefined;
  /** Nothing more is wanted for now, whatever room there is; `refill` is called when that is over. Default: never. */
  readonly isHeldBack?: () => boolean;
};

/** What the speech of one request is put into. */
export type RequestSpool = Pick<
  BodySpool,
  'add' | 'isFull' | 'room' | 'lastFrames' | 'takeBack' | 'keepRecent' | 'recentFrames'
>;

type SpoolState =
  | { readonly kind: 'open' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown };
const OPEN: SpoolState = { kind: 'open' };
const ENDED: SpoolState = { kind: 'ended' };

/** One for each turn, visited for each frame that comes and goes. */
export class BodySpool {
  private readonly options: BodySpoolOptions;
  private readonly leastBytes: number;
  /** What waits, in order; a run of frames stands here as its count only, their bytes are in `frames`. */
  private items: (NotFrame | number)[] = [];
  private head = 0;
  private readonly frames = createSoundFrameStore();
  private keptBytes = 0;
  /** The same, but what is no MP3 counts as much as MP3 of its length would. */
  private chargedBytes = 0;
  private keptMs = 0;
  private state = OPEN;
  private readonly taker = new SingleWaiter();
  private readonly filler = new SingleWaiter();

  constructor(options: BodySpoolOptions) {
    this.options = options;
    this.leastBytes = options.leastBytes ?? 0;
  }

  /** Always takes the item; the reader of a body asks `isFull` before it reads on. */
  add(item: SpoolItem): void {
    this.options.tap?.add(item);
    if (item.kind !== 'frame') this.items.push(item);
    else {
      addSoundFrame(this.frames, item.frame);
      const frames = this.lastFrames();
      if (frames > 0) this.items[this.items.length - 1] = frames + 1;
      else this.items.push(1);
    }
    this.keptBytes += bytesOf(item);
    this.chargedBytes += chargedBytesOf(item);
    this.keptMs += itemMs(item);
    this.wakeTaker();
  }
  isFull(): boolean {
    return !this.hasRoom();
  }
  /** Resolves when there is room; one waiter at a time. Room that comes from a grown capacity is announced by `refill`. */
  room(signal: AbortSignal): Promise<void> {
    if (this.hasRoom()) return Promise.resolve();
    return this.filler.wait(signal);
  }
  /** There is room, and the waiter has not been told. */
  wantsRefill(): boolean {
    return this.filler.isWaiting() && this.hasRoom();
  }
  /** Releases the waiter, if there is room. */
  refill(): void {
    if (this.wantsRefill()) this.filler.release();
  }
  /** Number of frames at the end, without another item between them, that have not been taken. */
  lastFrames(): number {
    const last = this.hasNext() ? this.items.at(-1) : undefined;
    return typeof last === 'number' ? last : 0;
  }
  /** Drops `count` of them. */
  takeBack(count: number): void {
    this.options.tap?.takeBack(count);
    const left = this.lastFrames() - count;
    for (let i = 0; i < count; i += 1) this.uncount({ kind: 'frame', frame: this.frames.takeLast()! });
    if (left > 0) this.items[this.items.length - 1] = left;
    else if (count > 0) this.items.pop();
  }
  /**
   * From now on the last `count` frames are kept for `recentFrames` after they have been taken: where a body breaks, they
   * show how it sounded there.
   */
  keepRecent(count: number): void {
    this.frames.keepRecent(count);
  }
  /** Copies of the last `count` frames that came and were not taken back; undefined when some are no longer kept. */
  recentFrames(count: number): SoundFrame[] | undefined {
    return this.frames.recent(count);
  }
  /** `take` has something. */
  hasNext(): boolean {
    return this.head < this.items.length;
  }
  /** The bytes of a frame are good until the next call. */
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
  /** Resolves when `take` has something, or nothing will come; rejects with what `fail` was given. */
  more(signal: AbortSignal): Promise<void> {
    if (this.hasNext() || this.state.kind === 'ended') return Promise.resolve();
    if (this.state.kind === 'failed') return Promise.reject(this.state.error as Error);
    return this.taker.wait(signal);
  }
  /** Nothing further will come. */
  end(): void {
    if (this.state.kind === 'open') this.state = ENDED;
    this.wakeTaker();
  }
  /** Nothing further will come, because of `error`; what is there can still be taken. */
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
  /** As the capacity counts them. */
  charged(): number {
    return this.chargedBytes;
  }
  /** Milliseconds of audio that wait here. */
  waitingMs(): number {
    return this.keptMs;
  }

  private hasRoom(): boolean {
    if (this.options.isHeldBack?.() === true) return false;
    if (this.chargedBytes < this.leastBytes) return true;
    const capacity = this.options.capacityBytes();
    return this.chargedBytes < capacity && this.keptBytes < MAX_TIMES_CAPACITY * capacity;
  }
  private wakeTaker(): void {
    if (this.state.kind === 'failed' && !this.hasNext()) this.taker.fail(this.state.error);
    else this.taker.release();
  }
  private uncount(item: SpoolItem): void {
    this.keptBytes -= bytesOf(item);
    this.chargedBytes -= chargedBytesOf(item);
    // Rounding residue is not audio; a pause that still waits is followed by some.
    this.keptMs = this.keptBytes === 0 ? 0 : this.keptMs - itemMs(item);
  }
  private passHead(): void {
    this.head += 1;
    if (this.hasNext() && this.head < 64) return;
    this.items = this.items.slice(this.head);
    this.head = 0;
  }
}

const bytesOf = (item: SpoolItem): number => {
  if (item.kind === 'frame') return item.frame.bytes.length;
  return item.kind === 'bridge' ? item.bridge.samples.byteLength : 0;
};
/** Bytes of a millisecond of MP3 at 64 kbit/s, and of µ-law at 8 kHz. */
const MP3_BYTES_A_MS = 8;
/** PCM at 24 kHz is six times as long as MP3: a little less than its time is what it may take. */
const MAX_TIMES_CAPACITY = 5;
/** So PCM frees the service's connection about as early as MP3 would. Whole numbers: they are added and taken off. */
const chargedBytesOf = (item: SpoolItem): number => {
  const bytes = bytesOf(item);
  if (item.kind !== 'frame' || item.frame.header.code === undefined) return bytes;
  return Math.min(bytes, Math.ceil(itemMs(item) * MP3_BYTES_A_MS));
};
/** How much audio an item is, ms. */
export const itemMs = (item: SpoolItem): number => {
  if (item.kind === 'bridge') return (item.bridge.samples.length * 1000) / item.bridge.sampleRate;
  if (item.kind === 'pause') return item.ms;
  if (item.kind !== 'frame') return 0;
  return frameMs(item.frame.header);
};
