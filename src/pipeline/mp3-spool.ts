// The long buffer of a turn: whole MP3 frames between the upstream's speed and playback speed. A minute of
// speech costs about half a megabyte here, so the scarce upstream slot is freed as fast as the upstream can
// send. When it is full, the body is not read: TCP holds the upstream back.

import type { Mp3Frame } from '../audio/mp3-frame-parser.ts';
import { addMp3Frame, createMp3FrameStore } from '../audio/mp3-frame-store.ts';
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
  readonly add: (item: SpoolItem) => void;
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

export function createMp3Spool({ capacityBytes, leastBytes = 0, tap }: Mp3SpoolOptions): Mp3Spool {
  /** What waits, in its order: of frames in a row only how many, for they are kept as bytes. */
  let items: (NotFrame | number)[] = [];
  let head = 0;
  const frames = createMp3FrameStore();
  let bytes = 0;
  let waitingMs = 0;
  let state: { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: unknown } = { kind: 'open' };
  const taker = createLoneWaiter();
  const filler = createLoneWaiter();

  const hasRoom = () => bytes < leastBytes || bytes < capacityBytes();
  const wakeTaker = () => {
    if (state.kind === 'failed' && head === items.length) taker.fail(state.error);
    else taker.release();
  };
  const add = (item: SpoolItem) => {
    tap?.add(item);
    if (item.kind !== 'frame') items.push(item);
    else {
      addMp3Frame(frames, item.frame);
      const last = items.length > head ? items.at(-1) : undefined;
      if (typeof last === 'number') items[items.length - 1] = last + 1;
      else items.push(1);
    }
    bytes += bytesOf(item);
    waitingMs += itemMs(item);
    wakeTaker();
  };
  const refill = () => {
    if (filler.isWaiting() && hasRoom()) filler.release();
  };
  const uncount = (item: SpoolItem) => {
    bytes -= bytesOf(item);
    // What is left of sums of fractions is not audio; a pause that still waits is followed by some.
    waitingMs = bytes === 0 ? 0 : waitingMs - itemMs(item);
  };

  const lastFrames = (): number => {
    const last = items.length > head ? items.at(-1) : undefined;
    return typeof last === 'number' ? last : 0;
  };
  const passHead = () => {
    head += 1;
    if (head < items.length && head < 64) return;
    items = items.slice(head);
    head = 0;
  };

  return {
    add,
    room(signal) {
      if (hasRoom()) return Promise.resolve();
      return filler.wait(signal);
    },
    isFull: () => !hasRoom(),
    wantsRefill: () => filler.isWaiting() && hasRoom(),
    refill,
    lastFrames,
    takeBack(count) {
      tap?.takeBack(count);
      const left = lastFrames() - count;
      for (let i = 0; i < count; i += 1) uncount({ kind: 'frame', frame: frames.takeLast()! });
      if (left > 0) items[items.length - 1] = left;
      else if (count > 0) items.pop();
    },
    keepRecent: (count) => frames.keepRecent(count),
    recentFrames: (count) => frames.recent(count),
    hasNext: () => head < items.length,
    take() {
      const next = items[head];
      if (next === undefined) return undefined;
      const item: SpoolItem = typeof next === 'number' ? { kind: 'frame', frame: frames.takeFirst()! } : next;
      if (typeof next === 'number' && next > 1) items[head] = next - 1;
      else passHead();
      uncount(item);
      refill();
      return item;
    },
    more(signal) {
      if (head < items.length || state.kind === 'ended') return Promise.resolve();
      if (state.kind === 'failed') return Promise.reject(state.error as Error);
      return taker.wait(signal);
    },
    end() {
      if (state.kind === 'open') state = { kind: 'ended' };
      wakeTaker();
    },
    fail(error) {
      if (state.kind === 'open') state = { kind: 'failed', error };
      wakeTaker();
    },
    isEnded: () => state.kind === 'ended' && head === items.length,
    bytes: () => bytes,
    waitingMs: () => waitingMs,
  };
}

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
