// Turns that are for a leg which has not come: what is said of them is kept in the order in which it came, and carried out
// when the leg is there. Its owner bounds how long they wait.

import type { ClientCommand } from '../dialects/native-messages.ts';

/** `told`: its client knows that the text has ended. */
type Awaited = { characters: number; textBytes: number; text: 'open' | 'ended' | 'told' };

export type KeptEntry =
  | { readonly is: 'open'; readonly turn: string; readonly open: () => void }
  /** Of one turn, in pieces that came one behind the other. */
  | { readonly is: 'text'; readonly turn: string; text: string; readonly speaker: 1 | 2 | undefined }
  | { readonly is: 'command'; readonly turn: string | undefined; readonly command: ClientCommand };

/** What an entry takes besides its text, bytes. */
const ENTRY_BYTES = 200;
/** All of them are carried out at once. */
const MAX_ENTRIES = 1000;

export class AwaitedTurns {
  readonly #turns = new Map<string, Awaited>();
  #kept: KeptEntry[] = [];

  get size(): number {
    return this.#turns.size;
  }

  has(turn: string): boolean {
    return this.#turns.has(turn);
  }

  /** No further entry is taken. */
  isFull(): boolean {
    return this.#kept.length >= MAX_ENTRIES;
  }

  /** `whole`: its text has ended with this. */
  name(turn: string, text: 'whole' | 'open', characters: number, textBytes: number, open: () => void): void {
    this.#turns.set(turn, { characters, textBytes, text: text === 'whole' ? 'ended' : 'open' });
    this.#kept.push({ is: 'open', turn, open });
  }

  append(turn: string, text: string, speaker: 1 | 2 | undefined, textBytes: number): void {
    const awaited = this.#turns.get(turn)!;
    awaited.characters += text.length;
    awaited.textBytes += textBytes;
    const last = this.#kept.at(-1);
    if (last?.is === 'text' && last.turn === turn && last.speaker === speaker) last.text += text;
    else this.#kept.push({ is: 'text', turn, text, speaker });
  }

  /** Without a turn: it is carried out whatever becomes of the turns. */
  keep(turn: string | undefined, command: ClientCommand): void {
    this.#kept.push({ is: 'command', turn, command });
  }

  /** Its text ends with what has come, or its client has been told that it has. */
  endText(turn: string, as: 'ended' | 'told'): void {
    this.#turns.get(turn)!.text = as;
  }

  textOf(turn: string): Readonly<Awaited> | undefined {
    return this.#turns.get(turn);
  }

  /** Memory that all of it takes. */
  bytes(): number {
    let sum = this.#kept.length * ENTRY_BYTES;
    for (const { textBytes } of this.#turns.values()) sum += textBytes;
    return sum;
  }

  /** What is to be carried out now; nothing waits any more. */
  release(): readonly KeptEntry[] {
    const kept = this.#kept;
    this.#turns.clear();
    this.#kept = [];
    return kept;
  }

  /** Forgets `turn`, or all; tells which there were, and what was kept of them. */
  drop(turn?: string): { readonly turns: readonly string[]; readonly entries: readonly KeptEntry[] } {
    const turns = turn === undefined ? [...this.#turns.keys()] : [turn];
    const isDropped = (entry: KeptEntry) => turn === undefined || entry.turn === turn;
    const entries = this.#kept.filter(isDropped);
    for (const id of turns) this.#turns.delete(id);
    this.#kept = this.#kept.filter((entry) => !isDropped(entry));
    return { turns, entries };
  }
}
