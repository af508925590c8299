// What a session that outlives its connection has said and sent and cannot prove that its client received: messages by
// their number, audio by its place in the turn, in the order in which they left. A ping proves what lies before it once it is
// answered; what is proven is forgotten. Coming back, a client says what it has, and gets the rest.

import type { AppError } from '../../base/app-error.ts';
import { fieldError } from '../../base/check-fields.ts';
import type { ResumeClaim } from '../../dialects/dialect.ts';

/** Audio that has just been sent: of which turn, and how long it is heard. */
export type SentAudio = { readonly turn: string; readonly durationMs: number };

type KeptMessage = {
  readonly is: 'message';
  readonly n: number;
  readonly text: string;
  /** Of audio as text. */
  readonly turn: string | undefined;
  readonly ms: number;
  readonly bytes: number;
  lost: boolean;
};
/** Frames of one length, one behind the other in memory that they share with those before and after them. */
type KeptAudio = {
  readonly is: 'audio';
  readonly turn: string;
  /** Place of its first byte in the turn. */
  from: number;
  readonly frameBytes: number;
  readonly block: Buffer;
  begin: number;
  end: number;
  ms: number;
  lost: boolean;
};
type Kept = KeptMessage | KeptAudio;

const BLOCK_BYTES = 4096;
/** Beyond the bound no more is sent, and the frame that reached it has gone: longer than any frame. */
const SPARE_BYTES = 16 * 1024;
/** An entry beside its text or bytes. */
const ENTRY_BYTES = 96;
/** Proven entries are let go in large pieces, and at the end. */
const MAX_GONE = 256;

export type Missed = {
  /** False when some of what was asked for is no longer there. */
  readonly exact: boolean;
  readonly messages: readonly (string | Uint8Array)[];
  /** Audio among them, ms. */
  readonly ms: number;
};

export class Unproven {
  private readonly maxBytes: number;
  private kept: Kept[] = [];
  /** Entries of `kept` that are proven. */
  private gone = 0;
  /** Entries that were taken out of `kept` before. */
  private before = 0;
  private sentMessages = 0;
  private provenMessages = 0;
  /** The turn whose audio was sent last, and how much of it. */
  private turn = '';
  private turnBytes = 0;
  private block: Buffer | undefined;
  private blockEnd = 0;
  private sealed = true;
  private keptBytes = 0;
  /** How many entries lie before each ping that is not answered yet. */
  private pings: { readonly ping: number; readonly entries: number }[] = [];

  /** `from`: what the client says it has of what another instance has sent. */
  constructor(maxBytes: number, from?: ResumeClaim) {
    this.maxBytes = maxBytes;
    if (from === undefined) return;
    this.sentMessages = from.after;
    this.provenMessages = from.after;
    this.turn = from.turn ?? '';
    this.turnBytes = from.received;
  }

  /** The number of the last message, and of the last one that is proven. */
  sent(): number {
    return this.sentMessages;
  }
  proven(): number {
    return this.provenMessages;
  }

  bytes(): number {
    return this.keptBytes;
  }
  /** Nothing that can wait is to be sent. */
  isFull(): boolean {
    return this.keptBytes > this.maxBytes - SPARE_BYTES;
  }
  isHalfFull(): boolean {
    return 2 * this.keptBytes > this.maxBytes;
  }
  isEmpty(): boolean {
    return this.kept.length === this.gone;
  }
  /** A JSON message is about to be sent: answers it with its number. `audio`: what it carries. */
  message(text: string, audio?: SentAudio): string {
    this.sentMessages += 1;
    const numbered = `${text.slice(0, -1)},"n":${this.sentMessages}}`;
    const bytes = Buffer.byteLength(numbered) + ENTRY_BYTES;
    const ms = audio?.durationMs ?? 0;
    this.sealed = true;
    this.add(
      { is: 'message', n: this.sentMessages, text: numbered, turn: audio?.turn, ms, bytes, lost: false },
      bytes,
    );
    return numbered;
  }
  /** Bytes of a binary frame are about to be sent; they are copied. */
  audio({ turn, durationMs }: SentAudio, bytes: Uint8Array): void {
    if (turn !== this.turn) {
      this.turn = turn;
      this.turnBytes = 0;
    }
    const last = this.kept.at(-1);
    const block = this.blockFor(bytes.length);
    block.set(bytes, this.blockEnd);
    const begin = this.blockEnd;
    this.blockEnd += bytes.length;
    if (!this.sealed && last?.is === 'audio' && this.goesOn(last, turn, block, begin, bytes.length)) {
      last.end += bytes.length;
      last.ms += durationMs;
      this.grow(bytes.length);
    } else {
      const { length: frameBytes } = bytes;
      const end = begin + frameBytes;
      this.add(
        {
          is: 'audio',
          turn,
          from: this.turnBytes,
          frameBytes,
          block,
          begin,
          end,
          ms: durationMs,
          lost: false,
        },
        frameBytes + ENTRY_BYTES,
      );
      this.sealed = false;
    }
    this.turnBytes += bytes.length;
  }
  /** A ping of this number is being sent. */
  pinged(ping: number): void {
    this.sealed = true;
    this.pings.push({ ping, entries: this.before + this.kept.length });
  }
  /** It is answered: what lies before it has been received. */
  proved(ping: number): void {
    let entries = 0;
    while (this.pings.length > 0 && this.pings[0]!.ping <= ping) entries = this.pings.shift()!.entries;
    while (this.before + this.gone < entries) this.dropFirst();
    if (this.gone === this.kept.length || this.gone >= MAX_GONE) {
      this.kept = this.kept.slice(this.gone);
      this.before += this.gone;
      this.gone = 0;
    }
  }
  /** What is wrong with a claim: it is of more than was sent. */
  refusal({ after, turn, received }: ResumeClaim): AppError | undefined {
    if (after > this.sentMessages)
      return fieldError({
        field: 'after',
        allowed: `must be at most ${this.sentMessages}, the number of the last message`,
        given: after,
      });
    if (turn !== undefined && turn === this.turn && received > this.turnBytes)
      return fieldError({
        field: 'received',
        allowed: `must be at most ${this.turnBytes}, what was sent of this turn`,
        given: received,
      });
    return undefined;
  }
  /**
   * The client is back on a new connection and says what it has. Answers with what it lacks, in order, which is kept on until
   * it is proven.
   */
  missed({ after, turn, received }: ResumeClaim): Missed {
    const kept = this.kept.slice(this.gone);
    // All that lies before a message that was received was received with it.
    const got = kept.findLastIndex((each) => each.is === 'message' && each.n <= after) + 1;
    let exact = after >= this.provenMessages;
    let expected = received;
    const left: Kept[] = [];
    for (const [at, each] of kept.entries()) {
      if (each.is === 'message' ? at < got : each.turn !== turn && at < got) continue;
      if (each.is === 'audio' && each.turn === turn) {
        const has = Math.min(each.end - each.begin, Math.max(0, received - each.from));
        if (each.begin + has === each.end) continue;
        cutOff(each, has);
        if (each.from > expected) exact = false;
        expected = each.from + (each.end - each.begin);
      }
      if (each.lost) exact = false;
      else left.push(each);
    }
    if (turn !== undefined && turn === this.turn && expected < this.turnBytes) exact = false;
    this.keepOnly(left);
    if (!exact) this.countAnew(turn, received);
    return {
      exact,
      messages: left.flatMap<string | Uint8Array>((each) =>
        each.is === 'message' ? each.text : framesOf(each),
      ),
      ms: left.reduce((sum, { ms }) => sum + ms, 0),
    };
  }
  close(): void {
    this.keepOnly([]);
    this.block = undefined;
  }

  private blockFor(bytes: number): Buffer {
    if (this.block === undefined || this.blockEnd + bytes > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes));
      this.blockEnd = 0;
    }
    return this.block;
  }
  private goesOn(last: KeptAudio, turn: string, block: Buffer, begin: number, bytes: number): boolean {
    return (
      last.turn === turn &&
      last.block === block &&
      last.end === begin &&
      last.frameBytes === bytes &&
      !last.lost
    );
  }
  private add(entry: Kept, bytes: number): void {
    this.kept.push(entry);
    if (entry.is === 'message' && entry.ms === 0) this.keptBytes += bytes;
    else this.grow(bytes);
  }
  private grow(bytes: number): void {
    this.keptBytes += bytes;
    if (this.keptBytes > this.maxBytes) this.lose();
  }
  /** What nobody can hold back, as the sound of a call that its client listens along to, is let go when there is no room for it. */
  private lose(): void {
    for (let at = this.gone; at < this.kept.length && 2 * this.keptBytes > this.maxBytes; at += 1) {
      const each = this.kept[at]!;
      if (each.ms === 0 || each.lost) continue;
      const lost: Kept =
        each.is === 'message'
          ? { ...each, text: '', bytes: ENTRY_BYTES, lost: true }
          : { ...each, block: NO_BLOCK, lost: true };
      this.kept[at] = lost;
      this.keptBytes += bytesOf(lost) - bytesOf(each);
    }
    this.sealed = true;
  }
  private dropFirst(): void {
    const each = this.kept[this.gone]!;
    this.keptBytes -= bytesOf(each);
    if (each.is === 'message') this.provenMessages = each.n;
    this.gone += 1;
  }
  private keepOnly(left: Kept[]): void {
    this.before += this.kept.length - left.length;
    this.kept = left;
    this.gone = 0;
    this.keptBytes = left.reduce((sum, each) => sum + bytesOf(each), 0);
    this.pings = [];
    this.sealed = true;
  }
  /** Behind a hole the client counts what it gets, and so is it counted here. */
  private countAnew(turn: string | undefined, received: number): void {
    let at = received;
    for (const each of this.kept) {
      if (each.is !== 'audio' || each.turn !== turn) continue;
      each.from = at;
      at += each.end - each.begin;
    }
    if (turn !== undefined && turn === this.turn) this.turnBytes = at;
  }
}

const NO_BLOCK = Buffer.alloc(0);

const bytesOf = (each: Kept): number => {
  if (each.is === 'message') return each.bytes;
  return each.lost ? ENTRY_BYTES : each.end - each.begin + ENTRY_BYTES;
};

/** The first `bytes` of it have been received. */
function cutOff(audio: KeptAudio, bytes: number): void {
  const all = audio.end - audio.begin;
  if (bytes === 0 || all === 0) return;
  audio.ms *= (all - bytes) / all;
  audio.from += bytes;
  audio.begin += bytes;
}

/** As it was sent; the first one is what is left of it. */
function framesOf({ block, begin, end, frameBytes }: KeptAudio): readonly Uint8Array[] {
  const first = (end - begin) % frameBytes || frameBytes;
  const frames: Uint8Array[] = [];
  for (let at = begin, to = begin + first; at < end; at = to, to += frameBytes)
    frames.push(block.subarray(at, to));
  return frames;
}
