// What a listener has had of a turn in an earlier life: that sound is made again and not sent, and the turn is heard from
// behind it on.

import type { HadOfTurn } from '../session-runtime.ts';

export type HadSoundOptions = Pick<HadOfTurn, 'from' | 'heardMs'> & {
  /** Of sound that is nothing but samples; undefined in a container. */
  readonly bytesPerMs: number | undefined;
  /** Where the word begins that is heard at media position `ms`. */
  readonly wordAt: (ms: number) => number;
  /** What a stream that goes on at a word begins with, where the whole one begins with `first`. */
  readonly head: (first: Uint8Array) => Uint8Array;
  /** What follows is sent; the listener has had the first `ms`. */
  readonly onPassed: (ms: number) => void;
};

export class HadSound {
  readonly wordAt: HadSoundOptions['wordAt'];
  readonly onPassed: HadSoundOptions['onPassed'];
  private readonly options: HadSoundOptions;
  private passedBytes = 0;
  private first: Uint8Array | undefined;

  constructor(options: HadSoundOptions) {
    this.wordAt = options.wordAt;
    this.onPassed = options.onPassed;
    this.options = options;
  }

  /** How much the listener has had at least, ms. */
  leastMs(): number {
    const { heardMs, bytesPerMs } = this.options;
    const bytes = this.bytes();
    return bytes === undefined || bytesPerMs === undefined ? heardMs : Math.max(heardMs, bytes / bytesPerMs);
  }
  /** A frame goes by that ends at `untilMs`; answers whether the listener has had no more than that. */
  pass(bytes: Uint8Array, untilMs: number): boolean {
    this.passedBytes += bytes.length;
    this.first ??= new Uint8Array(bytes);
    const had = this.bytes();
    return had === undefined
      ? untilMs >= (this.options.from as { wordAtMs: number }).wordAtMs
      : this.passedBytes >= had;
  }
  /** Bytes of the last frame that the listener has not had; undefined where the turn goes on at a word. */
  restBytes(): number | undefined {
    const { from } = this.options;
    return 'exactly' in from ? this.passedBytes - from.exactly : undefined;
  }
  /** As `HadSoundOptions.head`, behind what has been passed. */
  head(): Uint8Array {
    return this.options.head(this.first!);
  }

  private bytes(): number | undefined {
    const { from } = this.options;
    if ('exactly' in from) return from.exactly;
    return 'wordAtBytes' in from ? from.wordAtBytes : undefined;
  }
}
