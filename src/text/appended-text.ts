// The text of a turn that arrives in tokens, kept in a few flat pieces: a string that grows by one token at a time is a tree
// (rope) in V8, which takes a dozen times the memory and is flattened as a whole whenever a character of it is read.

/** What is gathered before it becomes a piece of its own, UTF-16 units. */
const PIECE_UNITS = 4096;
/** What a string takes besides its characters, and its place in a list. */
export const STRING_BYTES = 32;

const WIDE = /[\u0100-\uffff]/;
/** What a string takes in memory: one byte a character where all are of Latin-1, else two. */
export const stringBytes = (text: string): number => STRING_BYTES + text.length * (WIDE.test(text) ? 2 : 1);

export class AppendedText {
  private pieces: string[] = [];
  /** Where each piece begins. */
  private starts: number[] = [];
  private pieceBytes = 0;
  private tail: string[] = [];
  private tailUnits = 0;
  private tailAt = 0;
  private joined: string | undefined;

  append(text: string): void {
    this.joined = undefined;
    if (text === '') return;
    this.tail.push(text);
    this.tailUnits += text.length;
    if (this.tailUnits >= PIECE_UNITS) this.closePiece();
  }
  length(): number {
    return this.tailAt + this.tailUnits;
  }
  /** Units `from` to `to`. */
  slice(from: number, to: number): string {
    if (from >= this.tailAt) return this.tailText().slice(from - this.tailAt, to - this.tailAt);
    let piece = this.pieceAt(from);
    let text = '';
    for (let at = from; at < to && piece < this.pieces.length; piece += 1) {
      const start = this.starts[piece]!;
      const part = this.pieces[piece]!.slice(at - start, to - start);
      text += part;
      at += part.length;
    }
    return to > this.tailAt ? text + this.tailText().slice(0, to - this.tailAt) : text;
  }
  /** All of it, made flat once. */
  text(): string {
    if (this.joined === undefined) {
      this.joined = [...this.pieces, ...this.tail].join('');
      // One piece from now on, so that it is not kept twice.
      [this.pieces, this.starts] = [[this.joined], [0]];
      [this.tail, this.tailUnits, this.tailAt] = [[], 0, this.joined.length];
      this.pieceBytes = stringBytes(this.joined);
    }
    return this.joined;
  }
  /** Memory that it takes. */
  bytes(): number {
    return this.pieceBytes + this.tailUnits * 2 + this.tail.length * STRING_BYTES;
  }

  private closePiece(): void {
    const piece = this.tailText();
    this.pieces.push(piece);
    this.starts.push(this.tailAt);
    this.pieceBytes += stringBytes(piece);
    this.tailAt += piece.length;
    [this.tail, this.tailUnits] = [[], 0];
  }
  /** The tokens that have come last, as one flat string. */
  private tailText(): string {
    if (this.tail.length > 1) this.tail = [this.tail.join('')];
    return this.tail[0] ?? '';
  }
  /** The last piece that begins at or before `unit`. */
  private pieceAt(unit: number): number {
    let [from, to] = [0, this.starts.length];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if (this.starts[middle]! <= unit) from = middle;
      else to = middle;
    }
    return from;
  }
}
