// A text that grows piece by piece while its end is inspected. A string that is both appended to and inspected is copied
// as a whole each time; here only the end is.

const TAIL_CHARS = 80;
/** Of what is not joined yet; joining costs once for each character. */
const MAX_OPEN_CHARS = 4_096;

export class GrowingText {
  readonly #pieces: string[] = [];
  #open = '';

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.#open === '';
  }

  /** At most the last 80 characters. */
  tail(): string {
    return this.#open.slice(-TAIL_CHARS);
  }

  add(text: string): void {
    this.#open += text;
    if (this.#open.length < MAX_OPEN_CHARS) return;
    this.#pieces.push(this.#open.slice(0, -TAIL_CHARS));
    this.#open = this.#open.slice(-TAIL_CHARS);
  }

  /** At most the last 4,096 characters. */
  peek(): string {
    return this.#open;
  }

  /** Takes the last character away, if there is one. */
  dropLast(): void {
    this.#open = this.#open.slice(0, -1);
  }

  take(): string {
    const text = this.#pieces.join('') + this.#open;
    this.#pieces.length = 0;
    this.#open = '';
    return text;
  }
}
