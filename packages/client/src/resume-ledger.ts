// What a session that outlives its connections has to remember (docs/protocol.md, "Coming back"): what came, and which of its
// own messages the gateway has not acknowledged. Pure: no clock, no socket.

/** Of a connection that was lost: with any other code one of both sides has ended the session. */
const LOST: ReadonlySet<number> = new Set([1001, 1006, 1011, 1012, 1013, 1014, 4508]);
/** Messages that wait for their acknowledgement, which comes within a second while there is a connection. */
export const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** Both are halved by chance, so that not all clients of a gateway come back at one moment. */
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5000;

/** Whether a session can go on after its connection was closed. The gateway that stops says so, and keeps none. */
export const isLost = (closeCode: number, reason: string): boolean =>
  LOST.has(closeCode) && reason !== 'shutting_down';

/** Before connection number `attempt`, from 0. `random`: 0…1. */
export const reconnectDelayMs = (attempt: number, random: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + random / 2);

type Numbered = { readonly type: string; readonly turn?: string | undefined; readonly n?: number };
type Waiting = { readonly text: string; readonly bytes: number };

export class ResumeLedger {
  /** Number of the last message that came. */
  private after = 0;
  /** The turn whose audio comes, and how much of it has. */
  private turn: string | undefined;
  private received = 0;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private taken = 0;
  /** Turns that were asked for and have not ended. */
  private readonly open = new Set<string>();

  /** False where there is no room: nothing is remembered then. */
  add(command: { readonly type: string; readonly turn?: string | undefined }, text: string): boolean {
    // Close enough: a character of UTF-16 is at most three bytes.
    const bytes = text.length * 3;
    if (this.waitingBytes + bytes > MAX_WAITING_BYTES) return false;
    this.waiting.push({ text, bytes });
    this.waitingBytes += bytes;
    if ((command.type === 'speak' || command.type === 'append') && command.turn !== undefined)
      this.open.add(command.turn);
    return true;
  }
  /** The gateway has taken `n` messages; those before are forgotten. */
  acknowledge(n: number): void {
    while (this.taken < n && this.waiting.length > 0) {
      this.taken += 1;
      this.waitingBytes -= this.waiting.shift()!.bytes;
    }
  }
  /** To be sent again on a new connection, in order. */
  unacknowledged(): readonly string[] {
    return this.waiting.map(({ text }) => text);
  }
  /** A message has come. False: it came before. */
  message({ type, turn, n }: Numbered): boolean {
    if (n !== undefined) {
      if (n <= this.after) return false;
      this.after = n;
    }
    if (type === 'started') {
      this.turn = turn;
      this.received = 0;
    }
    if (type === 'ended' && turn !== undefined) {
      this.open.delete(turn);
      if (turn === this.turn) this.turn = undefined;
    }
    return true;
  }
  audio(bytes: number): void {
    this.received += bytes;
  }
  /** Something has to come from the gateway, or it has gone. */
  isExpecting(): boolean {
    return this.waiting.length > 0 || this.open.size > 0 || this.turn !== undefined;
  }
  /** What is said of it on the way back. */
  claim(): Readonly<Record<string, string>> {
    return {
      after: String(this.after),
      ...(this.turn !== undefined && { turn: this.turn, received: String(this.received) }),
    };
  }
}
