// Turns that are for a leg which has not come: what is said of them is kept in the order in which it came, and carried out
// when the leg is there. Its owner bounds how many there are and how long they wait.

type Awaited = { characters: number; text: 'open' | 'ended' };

export class AwaitedTurns {
  readonly #turns = new Map<string, Awaited>();
  #kept: { readonly turn: string; readonly textBytes: number; readonly task: () => void }[] = [];

  get size(): number {
    return this.#turns.size;
  }

  has(turn: string): boolean {
    return this.#turns.has(turn);
  }

  /** `whole`: its text has ended with this. */
  name(turn: string, text: 'whole' | 'open'): void {
    this.#turns.set(turn, { characters: 0, text: text === 'whole' ? 'ended' : 'open' });
  }

  /** `task` is carried out when the leg is there; it brings so much text. */
  keep(turn: string, task: () => void, characters = 0, textBytes = 0): void {
    const awaited = this.#turns.get(turn);
    if (awaited !== undefined) awaited.characters += characters;
    this.#kept.push({ turn, textBytes, task });
  }

  endText(turn: string): void {
    const awaited = this.#turns.get(turn);
    if (awaited !== undefined) awaited.text = 'ended';
  }

  textOf(turn: string): Readonly<Awaited> | undefined {
    return this.#turns.get(turn);
  }

  /** Memory that their texts take, bytes. */
  textBytes(): number {
    return this.#kept.reduce((sum, { textBytes }) => sum + textBytes, 0);
  }

  /** What is to be carried out now; nothing waits any more. */
  release(): readonly (() => void)[] {
    const tasks = this.#kept.map(({ task }) => task);
    this.#turns.clear();
    this.#kept = [];
    return tasks;
  }

  /** Forgets `turn`, or all; tells which there were. */
  drop(turn?: string): readonly string[] {
    const dropped = turn === undefined ? [...this.#turns.keys()] : [turn];
    for (const id of dropped) this.#turns.delete(id);
    this.#kept = this.#kept.filter((kept) => this.#turns.has(kept.turn));
    return dropped;
  }
}
