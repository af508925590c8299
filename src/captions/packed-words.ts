// The words of a turn as typed arrays (one per field), and their texts in one string for each request: a third of the memory
// that one object per word takes. A long text has a hundred thousand words, which are kept until its turn is over.

import type { SpokenWord } from '../speech/spoken-word.ts';

const FIRST_ROOM = 16;
/** A word's numbers: its place, its line, where its text begins, its weight, its pause, its speaker, its request, its times. */
const NUMBERS_BYTES = 4 * 5 + 8 + 4 + 1 + 8 * 2;

type Table = Uint32Array | Uint8Array | Float32Array | Float64Array;

/** Room for a quarter more than before: what is left over is small beside what is there. */
function grown<Of extends Table>(table: Of, room: number): Of {
  const Kind = table.constructor as new (length: number) => Of;
  const next = new Kind(room);
  next.set(table as never);
  return next;
}

export class PackedWords {
  private count = 0;
  private room = 0;
  private starts = new Uint32Array(0);
  private ends = new Uint32Array(0);
  private lines = new Uint32Array(0);
  private textsAt = new Uint32Array(0);
  private requests = new Uint32Array(0);
  private weights = new Float64Array(0);
  private pauses = new Float32Array(0);
  private speakers = new Uint8Array(0);
  /** Texts of the words of each request, joined. */
  private readonly texts: string[] = [];
  private textBytes = 0;
  /** Where each word is in the audio, ms of the turn; the end is NaN where nothing tells it. */
  startsMs = new Float64Array(0);
  endsMs = new Float64Array(0);

  /** Words of the next request, in order. */
  add(words: readonly SpokenWord[]): void {
    const request = this.texts.length;
    this.makeRoom(this.count + words.length);
    const texts: string[] = [];
    let textAt = 0;
    for (const { text, line, speaker, charStart, charEnd, weight, pause } of words) {
      const w = this.count;
      this.starts[w] = charStart;
      this.ends[w] = charEnd;
      this.lines[w] = line;
      this.textsAt[w] = textAt;
      this.requests[w] = request;
      this.weights[w] = weight;
      this.pauses[w] = pause;
      this.speakers[w] = speaker ?? 0;
      this.endsMs[w] = Number.NaN;
      this.count += 1;
      texts.push(text);
      textAt += text.length;
    }
    this.texts.push(texts.join(''));
    this.textBytes += 2 * textAt;
  }
  length(): number {
    return this.count;
  }
  /** Only the first `count` words stay; those that go are of the last request. */
  cutTo(count: number): void {
    const request = this.requests[count]!;
    const text = this.texts[request]!;
    this.texts[request] = text.slice(0, this.textsAt[count]);
    this.textBytes -= 2 * (text.length - this.texts[request]!.length);
    this.count = count;
  }
  at(w: number): SpokenWord {
    const speaker = this.speakers[w]!;
    return {
      text: this.textOf(w),
      line: this.lines[w]!,
      speaker: speaker === 0 ? undefined : (speaker as 1 | 2),
      charStart: this.starts[w]!,
      charEnd: this.ends[w]!,
      weight: this.weights[w]!,
      pause: this.pauses[w]!,
    };
  }
  /** The index of the request that word `w` belongs to; undefined: there is no such word. */
  requestOf(w: number): number | undefined {
    return w < this.count ? this.requests[w] : undefined;
  }
  weightOf(w: number): number {
    return this.weights[w]!;
  }
  pauseOf(w: number): number {
    return this.pauses[w]!;
  }
  /** Its weight and the pause behind it. */
  spanOf(w: number): number {
    return this.weights[w]! + this.pauses[w]!;
  }
  /** It ends behind code point `codePoint` of line `line`. */
  isBehind(w: number, line: number, codePoint: number): boolean {
    return this.lines[w]! > line || (this.lines[w] === line && this.ends[w]! > codePoint);
  }
  bytes(): number {
    return this.room * NUMBERS_BYTES + this.textBytes;
  }

  private textOf(w: number): string {
    const request = this.requests[w]!;
    const isLast = w + 1 === this.count || this.requests[w + 1] !== request;
    return this.texts[request]!.slice(this.textsAt[w], isLast ? undefined : this.textsAt[w + 1]);
  }
  private makeRoom(needed: number): void {
    if (needed <= this.room) return;
    const room = Math.max(FIRST_ROOM, needed, this.room + (this.room >> 2));
    this.room = room;
    this.starts = grown(this.starts, room);
    this.ends = grown(this.ends, room);
    this.lines = grown(this.lines, room);
    this.textsAt = grown(this.textsAt, room);
    this.requests = grown(this.requests, room);
    this.weights = grown(this.weights, room);
    this.pauses = grown(this.pauses, room);
    this.speakers = grown(this.speakers, room);
    this.startsMs = grown(this.startsMs, room);
    this.endsMs = grown(this.endsMs, room);
  }
}
