// The long buffer of a turn: whole MP3 frames between the upstream's speed and playback speed. A minute of
// speech costs about half a megabyte here, so the scarce upstream slot is freed as fast as the upstream can
// send. When it is full, the body is not read: TCP holds the upstream back.

import { createMp3FrameParser, type Mp3Frame } from '../audio/mp3-frame-parser.ts';
import type { Mp3StreamTag } from '../audio/mp3-stream-tag.ts';
import { streamSamples } from '../audio/mp3-to-pcm.ts';
import type { TranscoderItem } from '../audio/transcoder.ts';
import { AppError } from '../base/app-error.ts';

/** Everything asked for before so many flushes is in front of this. */
export type FlushItem = { readonly kind: 'flush'; readonly count: number };
export type SpoolItem = TranscoderItem | FlushItem;

/** Audio of one request that has arrived, in ms of its own time. */
export type SpoolProgress = (knownMs: number, state: 'arriving' | 'complete') => void;

export type Mp3Spool = {
  /**
   * Reads one upstream body to its end, waiting while the spool is full.
   * Throws `upstream_bad_audio` when the first 8 KiB hold no MP3 frame, and whatever the body throws.
   */
  fill(chunks: AsyncIterable<Uint8Array>, onProgress: SpoolProgress, signal: AbortSignal): Promise<void>;
  mark(item: FlushItem): void;
  take(): SpoolItem | undefined;
  /** Resolves when `take` has something, or nothing will come; rejects with what `fail` was given. */
  more(signal: AbortSignal): Promise<void>;
  /** Nothing further will come. */
  end(): void;
  /** Nothing further will come, because of `error`; what is there can still be taken. */
  fail(error: unknown): void;
  readonly isEnded: boolean;
  readonly bytes: number;
  /** Milliseconds of audio that wait here. */
  readonly waitingMs: number;
};

const MOST_JUNK_BYTES = 8 * 1024;

type Waiter = { resolve(): void; reject(reason: unknown): void };

const wait = (signal: AbortSignal, keep: (waiter: Waiter) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    const settled =
      <T>(settle: (value: T) => void) =>
      (value: T) => {
        signal.removeEventListener('abort', abort);
        settle(value);
      };
    keep({ resolve: settled(() => resolve()) as () => void, reject: settled(reject) });
  });

export type Mp3SpoolOptions = {
  /** May change while the spool lives; one chunk may go beyond it. */
  readonly capacityBytes: () => number;
  /** True for MP3 that goes out as it is: the encoder's delay and padding are then part of what is heard. */
  readonly passesThrough: (sampleRate: number) => boolean;
};

export function createMp3Spool({ capacityBytes, passesThrough }: Mp3SpoolOptions): Mp3Spool {
  let items: SpoolItem[] = [];
  let head = 0;
  let bytes = 0;
  let waitingMs = 0;
  let state: { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: unknown } = { kind: 'open' };
  let taker: Waiter | undefined;
  let filler: Waiter | undefined;

  const wakeTaker = () => {
    const waiting = taker;
    taker = undefined;
    if (state.kind === 'failed' && head === items.length) waiting?.reject(state.error);
    else waiting?.resolve();
  };
  const add = (item: SpoolItem) => {
    items.push(item);
    if (item.kind === 'frame') {
      bytes += item.frame.bytes.length;
      waitingMs += frameMs(item.frame);
    }
    wakeTaker();
  };

  return {
    async fill(chunks, onProgress, signal) {
      add({ kind: 'begin' });
      let frames = 0;
      let junkBytes = 0;
      let tag: Mp3StreamTag | undefined;
      let last: Mp3Frame | undefined;
      const parser = createMp3FrameParser({
        onFrame(frame) {
          frames += 1;
          last = frame;
          add({ kind: 'frame', frame });
        },
        onTag(found) {
          tag = found;
          add({ kind: 'tag', tag: found });
        },
      });
      const knownMs = () => {
        if (last === undefined) return 0;
        const { sampleRate, samplesPerFrame } = last.header;
        const samples = passesThrough(sampleRate)
          ? frames * samplesPerFrame
          : streamSamples(tag, frames, samplesPerFrame);
        return (samples * 1000) / sampleRate;
      };
      const refuseJunk = (atEnd: 'at-end' | 'on-the-way') => {
        if (frames > 0 || (atEnd === 'on-the-way' && junkBytes <= MOST_JUNK_BYTES)) return;
        throw new AppError(
          'upstream_bad_audio',
          'The speech service answered with something that is not MP3 audio.',
        );
      };
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        if (frames === 0) junkBytes += chunk.length;
        parser.push(chunk);
        refuseJunk('on-the-way');
        onProgress(knownMs(), 'arriving');
        while (bytes >= capacityBytes()) {
          await wait(signal, (waiter) => {
            filler = waiter;
          });
        }
      }
      parser.flush();
      refuseJunk('at-end');
      onProgress(knownMs(), 'complete');
      add({ kind: 'end' });
    },
    mark: add,
    take() {
      const item = items[head];
      if (item === undefined) return undefined;
      head += 1;
      if (item.kind === 'frame') {
        bytes -= item.frame.bytes.length;
        waitingMs -= frameMs(item.frame);
      }
      // What is left of sums of fractions is not audio.
      if (bytes === 0) waitingMs = 0;
      if (head === items.length || head >= 256) {
        items = items.slice(head);
        head = 0;
      }
      if (bytes < capacityBytes()) {
        const waiting = filler;
        filler = undefined;
        waiting?.resolve();
      }
      return item;
    },
    more(signal) {
      if (head < items.length || state.kind === 'ended') return Promise.resolve();
      if (state.kind === 'failed') return Promise.reject(state.error as Error);
      return wait(signal, (waiter) => {
        taker = waiter;
      });
    },
    end() {
      if (state.kind === 'open') state = { kind: 'ended' };
      wakeTaker();
    },
    fail(error) {
      if (state.kind === 'open') state = { kind: 'failed', error };
      wakeTaker();
    },
    get isEnded() {
      return state.kind === 'ended' && head === items.length;
    },
    get bytes() {
      return bytes;
    },
    get waitingMs() {
      return waitingMs;
    },
  };
}

const frameMs = (frame: Mp3Frame): number => (frame.header.samplesPerFrame * 1000) / frame.header.sampleRate;
