// What a listener has received of a turn from an instance that is gone: that sound is made again and not sent, and the turn
// goes on behind it. Until it has been made, this is what is known of how far the listener is.

import type { HadOfTurn } from '../session-runtime.ts';

export type HadSoundOptions = {
  readonly had: HadOfTurn;
  /** Of sound that is nothing but samples; undefined in a container, whose bytes tell no time. */
  readonly bytesPerMs: number | undefined;
  /** Whether its listener plays what comes as it comes; otherwise only what was known to be heard is. */
  readonly isPlayedAtOnce: boolean;
  /** The turn cannot be longer, ms, whatever its client claims to have received. */
  readonly longestMs: () => number;
  /** Where the word begins that is heard at media position `ms`. */
  readonly wordAt: (ms: number) => number;
  /** What a stream that goes on at a word begins with, where the whole one begins with `first`. */
  readonly head: (first: Uint8Array) => Uint8Array;
  /** What follows is sent; the listener has had the first `ms`. */
  readonly onPassed: (ms: number) => void;
};

export class HadSound {
  private readonly options: HadSoundOptions;
  /** Bytes that the listener has received; undefined where it is known as a time, as in a call. */
  private readonly bytes: number | undefined;
  /** Where what is made again begins in the turn: the place that had been sought last. */
  private fromMs = 0;
  private hasLeapt = false;
  private passedBytes = 0;
  private first: Uint8Array | undefined;

  constructor(options: HadSoundOptions) {
    const { from } = options.had;
    this.options = options;
    this.bytes = 'wordAtMs' in from ? undefined : 'exactly' in from ? from.exactly : from.wordAtBytes;
  }

  /** Media position up to which the listener has received the turn, ms. In a container: has heard it, as far as was noted. */
  receivedMs(): number {
    const { had, bytesPerMs, longestMs } = this.options;
    if (this.bytes === undefined || bytesPerMs === undefined) return had.heardMs;
    return Math.min(this.bytes / bytesPerMs, longestMs());
  }
  heardMs(): number {
    const { had, isPlayedAtOnce } = this.options;
    return isPlayedAtOnce ? this.receivedMs() : Math.min(had.heardMs, this.receivedMs());
  }
  /**
   * Another place of the text is spoken next. Tells the media position from which it comes, undefined where that is not known,
   * and whether the listener has received nothing of it.
   */
  leap(paragraph: number): { readonly atMs: number | undefined; readonly isPassed: boolean } {
    const { had, bytesPerMs } = this.options;
    const { sought } = had;
    // The first time it may be what the earlier instance was told, and has answered.
    const isAgain = !this.hasLeapt && sought?.paragraph === paragraph;
    this.hasLeapt = true;
    // The bytes of a container tell no time: nothing of the place is left out.
    if (this.bytes !== undefined && bytesPerMs === undefined) return { atMs: undefined, isPassed: true };
    const receivedMs = this.receivedMs();
    if (!isAgain) this.fromMs = receivedMs;
    // A client counts what it receives; how far a call was, was noted some time before.
    else this.fromMs = this.bytes === undefined ? sought.atMs : Math.min(sought.atMs, receivedMs);
    return { atMs: this.fromMs, isPassed: this.fromMs >= receivedMs };
  }
  /** A frame has been made again that ends at media position `untilMs`; answers whether that is all that has been received. */
  pass(bytes: Uint8Array, untilMs: number): boolean {
    this.passedBytes += bytes.length;
    this.first ??= new Uint8Array(bytes);
    const { from } = this.options.had;
    return 'wordAtMs' in from ? untilMs >= from.wordAtMs : this.missingBytes() <= 0;
  }
  /** Bytes of the last frame that the listener has not received; undefined where the turn goes on at a word. */
  restBytes(): number | undefined {
    return 'exactly' in this.options.had.from ? -this.missingBytes() : undefined;
  }
  /** As in `HadOfTurn`, when the turn goes on at a word, for which `sentBytes` are sent again, a new head among them. */
  repeatedBytes(sentBytes: number): number {
    return this.options.had.repeatedBytes + (this.bytes === undefined ? 0 : this.missingBytes() + sentBytes);
  }
  wordAt(ms: number): number {
    return this.options.wordAt(ms);
  }
  /** Begins what goes on at a word. */
  head(): Uint8Array {
    return this.first === undefined ? new Uint8Array() : this.options.head(this.first);
  }
  passed(ms: number): void {
    this.options.onPassed(ms);
  }

  private missingBytes(): number {
    const before = this.fromMs * (this.options.bytesPerMs ?? 0);
    return (this.bytes ?? 0) - Math.round(before) - this.passedBytes;
  }
}
