// What the instance of a resumable session writes of it into its journal: the client's messages as they take effect, in at
// most four writes a second, the end of a turn at once, and with them what was said meanwhile. What was written is acknowledged
// to the client.

import type { Clock } from '../../base/clock.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';
import type { ClientCommand } from '../../dialects/native-messages.ts';
import { knownNext } from './return-plan.ts';
import {
  addToJournal,
  beginJournal,
  isAboutCalls,
  isKeptCommand,
  isKeptEvent,
  type JournalAddition,
  type JournalEntry,
  type JournalOpening,
  type JournalState,
  pruneJournal,
} from './session-journal.ts';

/** The journal of one session in the place that outlives its instance, held by this instance. */
export type JournalHold = {
  /**
   * `entry`: one `JournalEntry` as JSON; `anew`: it stands for all before it. Lets the journal live for `forMs` more once its
   * instance is silent; without an entry that is all it does.
   * `lost`: another instance has taken the session over, or it has ended; `missing`: there is nothing to add to. Rejects when
   * the place does not answer: it may be written then or not.
   */
  write(
    entry: string | undefined,
    how: 'added' | 'anew',
    forMs: number,
  ): Promise<'written' | 'lost' | 'missing'>;
  /** Any instance may claim it now, this one living or not. Rejects as `write`. */
  release(): Promise<void>;
  /** The session has ended, or is journaled no more. Never throws. */
  drop(): void;
};

export type ClaimedJournal = { readonly state: JournalState; readonly hold: JournalHold };

export type SessionJournal = {
  /** Of a session of this instance that begins. */
  open(session: string): JournalHold;
  /** Whether there is one. Rejects as `claim`. */
  has(session: string): Promise<boolean>;
  /**
   * Takes a session over whose instance is gone, at most once for all who try; undefined: there is none. Rejects with `busy`
   * when it cannot be told, or another instance has just done so; and with what `check` throws: it is left as it is then.
   */
  claim(session: string, check: (state: JournalState) => void): Promise<ClaimedJournal | undefined>;
};

export type JournalMetrics = {
  journalWritten(bytes: number): void;
  /** A session has more to remember than a journal takes: it ends with its instance. */
  journalLeft(): void;
};

export type JournalWriterOptions = {
  readonly hold: JournalHold;
  /** What is known: of a new session its opening, of one that was taken over all that is left. */
  readonly begins: JournalOpening | JournalState;
  readonly clock: Clock;
  /** How long a session waits for its client, ms. */
  readonly forMs: number;
  readonly metrics: JournalMetrics;
  /** How far the session is, whenever something is written. */
  readonly look: () => Pick<JournalAddition, 'told' | 'token' | 'heard'> & {
    /** Messages up to this have been received. */
    readonly provenN: number;
  };
  /** Another instance has the session. */
  readonly onLost: () => void;
};

/** What the client says makes four writes a second. */
const EVERY_MS = 250;
/** However many turns end. */
const MIN_GAP_MS = 50;
/** A call is not asked how far it is when it goes on elsewhere. */
const POSITION_MS = 1000;
const RETRY_MS = 1000;
/** A client that comes back is not kept waiting for a place that does not answer. */
const SETTLE_MS = 1000;
/** The life of the journal is extended at least so often, as a part of the time that a session waits. */
const BEATS = 3;
/** Beyond this a session is not journaled any more, characters of JSON. */
const MAX_CHARS = 1024 * 1024;
/** What was added to a whole state before all is written anew: many entries are long in reading. */
const MIN_ADDED_CHARS = 16 * 1024;
const MAX_ADDED = 256;
/** Who has not come round for so long was stopped, and another instance may have its sessions. */
const MAX_PAUSE_MS = 3000;

/** What another instance would say or do again if it were not written. */
const AT_ONCE: ReadonlySet<string> = new Set(['ended', 'attached', 'detached']);

const isSame = (known: NonNullable<ReturnType<typeof knownNext>>, event: ServerEvent): boolean => {
  if (known.type === 'mark')
    return event.type === 'mark' && event.turn === known.turn && event.name === known.name;
  return event.type === 'heard' && event.turn === known.turn;
};

/** One for each resumable session. */
export class JournalWriter {
  private readonly options: JournalWriterOptions;
  private state: JournalState;
  private taken: number;
  private commands: JournalAddition['commands'][number][] = [];
  private said: [number, ServerEvent][] = [];
  private written: number;
  private phase: 'on' | 'releasing' | 'off' | 'closed' = 'on';
  private writing: Promise<void> = Promise.resolve();
  private how: 'added' | 'anew' = 'anew';
  private isWriting = false;
  private dueMs = Number.POSITIVE_INFINITY;
  private disarm = () => {};
  private lastMs = Number.NEGATIVE_INFINITY;
  private retryAtMs = Number.NEGATIVE_INFINITY;
  private beatMs: number;
  private lookedMs: number;
  private wholeChars = 0;
  private addedChars = 0;
  private added = 0;
  /** As `settled` answers. */
  private whose: 'settled' | 'lost' | 'released' = 'settled';
  private whenSettled: (() => void)[] = [];

  constructor(options: JournalWriterOptions) {
    this.options = options;
    this.state = 'opening' in options.begins ? options.begins : beginJournal(options.begins);
    this.taken = this.state.taken;
    this.written = this.state.taken;
    this.beatMs = options.clock.now();
    this.lookedMs = this.beatMs;
    this.writeIn(0);
  }

  /** Message `n` of the client takes effect; `command`: what it says, where that is one. */
  took(n: number, command: ClientCommand | undefined): void {
    this.taken = Math.max(this.taken, n);
    if (this.phase !== 'on') return;
    if (command !== undefined && isKeptCommand(command))
      this.commands.push(isAboutCalls(command) ? [n, command, this.options.look().told] : [n, command]);
    this.writeIn(this.nextMs());
  }
  /** Message `n` of the session. */
  tell(n: number, event: ServerEvent): void {
    if (this.phase !== 'on') return;
    const dueMs = this.dueOf(event);
    if (isKeptEvent(event)) this.said.push([n, event]);
    if (dueMs !== undefined) this.writeIn(dueMs);
  }
  /** How many of the client's messages may be acknowledged. */
  acknowledged(): number {
    return this.phase === 'on' ? this.written : this.taken;
  }
  /**
   * Resolves when all that was taken by now is written, is not written any more, or cannot be soon. `lost`: another instance has the
   * session, which one that stood still for a while learns only by asking; `released`: another one may have it soon.
   */
  async settled(): Promise<'settled' | 'lost' | 'released'> {
    const became = this.phase === 'on' ? await this.beat(this.options.clock.now()) : undefined;
    if (this.phase === 'on' && became !== 'unknown' && this.written < this.taken) await this.untilWritten();
    return this.whose;
  }
  private async untilWritten(): Promise<void> {
    await new Promise<void>((resolve) => {
      const disarm = this.options.clock.after(SETTLE_MS, resolve);
      this.whenSettled.push(() => {
        disarm();
        resolve();
      });
    });
  }
  /** About once a second. */
  sweep(nowMs: number): void {
    if (this.phase !== 'on') return;
    const pausedMs = nowMs - this.lookedMs;
    this.lookedMs = nowMs;
    const isOverdue = nowMs - this.beatMs >= this.options.forMs / BEATS;
    if (isOverdue || pausedMs >= MAX_PAUSE_MS) return void this.beat(nowMs);
    const { heard } = this.options.look();
    if (heard === undefined) return;
    const isInCall = this.state.leg !== undefined;
    const { repeatedBytes } = heard;
    const isRepeated = repeatedBytes !== undefined && repeatedBytes !== this.state.heard?.repeatedBytes;
    if (isRepeated || (isInCall && nowMs - this.lastMs >= POSITION_MS)) this.writeIn(0);
  }
  isOn(): boolean {
    return this.phase === 'on';
  }
  /** Writes all there is and lets another instance go on from it; what comes later is not written. Never rejects. */
  async release(): Promise<void> {
    if (this.phase !== 'on') return;
    const { hold, forMs } = this.options;
    this.disarm();
    this.phase = 'releasing';
    this.whose = 'released';
    await this.writing;
    if (!this.isReleasing()) return;
    // Whether what was being written is there is not known, so nothing is added to it.
    this.how = 'anew';
    const entry = JSON.stringify(this.next());
    const became = await hold.write(entry, 'anew', forMs).catch(() => 'unknown' as const);
    // Without it the journal is free when this instance is gone.
    if (became === 'written') await hold.release().catch(() => {});
    this.leave('closed');
  }
  /** The session has ended. */
  close(): void {
    if (this.phase === 'on') this.options.hold.drop();
    this.leave('closed');
  }

  /** In how many ms what is said has to be written; undefined: with what comes next. */
  private dueOf(event: ServerEvent): number | undefined {
    const { type } = event;
    const isInCall = this.state.leg !== undefined;
    if (AT_ONCE.has(type) || (isInCall && (type === 'started' || type === 'heard'))) return 0;
    const known = isInCall ? undefined : knownNext(this.toldSoFar());
    if (known === undefined) return type === 'heard' ? this.nextMs() : undefined;
    // Whatever else is said would be counted as that.
    return isSame(known, event) ? undefined : 0;
  }
  /** What is written, and what was said since; without what the client has said since, which nobody else knows. */
  private toldSoFar(): JournalState {
    const { taken, told, token, heard } = this.state;
    return addToJournal(this.state, { taken, told, token, heard, commands: [], said: this.said });
  }
  /** Until the client may be written for again. */
  private nextMs(): number {
    return EVERY_MS - (this.options.clock.now() - this.lastMs);
  }
  private isReleasing(): boolean {
    return this.phase === 'releasing';
  }
  private leave(phase: 'off' | 'closed'): void {
    this.phase = phase;
    this.disarm();
    this.commands = [];
    this.said = [];
    this.settle();
  }
  private settle(): void {
    for (const resolve of this.whenSettled.splice(0)) resolve();
  }
  private writeIn(ms: number): void {
    const { clock } = this.options;
    const dueMs = Math.max(clock.now() + Math.max(0, ms), this.lastMs + MIN_GAP_MS, this.retryAtMs);
    if (this.isWriting) this.dueMs = Math.min(this.dueMs, dueMs);
    if (this.isWriting || dueMs >= this.dueMs) return;
    this.dueMs = dueMs;
    this.disarm();
    this.disarm = clock.after(dueMs - clock.now(), () => {
      this.writing = this.write();
    });
  }
  private next(): JournalEntry {
    const { provenN, ...seen } = this.options.look();
    const { commands, said } = this;
    const addition: JournalAddition = { taken: this.taken, ...seen, commands, said };
    this.commands = [];
    this.said = [];
    this.state = addToJournal(this.state, addition);
    const isLong = this.added >= MAX_ADDED || this.addedChars > MIN_ADDED_CHARS + this.wholeChars;
    if (isLong) this.how = 'anew';
    if (this.how === 'added') return { add: addition };
    this.state = pruneJournal(this.state, provenN);
    return { state: this.state };
  }
  private async write(): Promise<void> {
    const { hold, clock, forMs, metrics } = this.options;
    if (this.phase !== 'on') return;
    const { taken } = this;
    const entry = JSON.stringify(this.next());
    const { how } = this;
    const chars = entry.length;
    if (chars > MAX_CHARS) {
      metrics.journalLeft();
      hold.drop();
      return this.leave('off');
    }
    this.dueMs = Number.POSITIVE_INFINITY;
    this.isWriting = true;
    this.lastMs = clock.now();
    const became = await hold.write(entry, how, forMs).catch(() => 'unknown' as const);
    this.isWriting = false;
    if (!this.isOn()) return;
    if (became === 'lost') return this.lost();
    if (became === 'written') {
      metrics.journalWritten(chars);
      this.beatMs = clock.now();
      this.written = taken;
      if (how === 'anew') [this.wholeChars, this.addedChars, this.added] = [chars, 0, 0];
      else [this.addedChars, this.added] = [this.addedChars + chars, this.added + 1];
      this.how = 'added';
      if (this.written >= this.taken) this.settle();
    } else this.how = 'anew';
    if (became === 'unknown') this.retryAtMs = clock.now() + RETRY_MS;
    const dueMs = became === 'unknown' ? this.retryAtMs : this.dueMs;
    this.dueMs = Number.POSITIVE_INFINITY;
    if (became === 'missing') this.writeIn(0);
    else if (Number.isFinite(dueMs)) this.writeIn(dueMs - clock.now());
  }
  private async beat(nowMs: number): Promise<Awaited<ReturnType<JournalHold['write']>> | 'unknown'> {
    const { hold, forMs } = this.options;
    this.beatMs = nowMs;
    const became = await hold.write(undefined, 'added', forMs).catch(() => 'unknown' as const);
    if (this.phase !== 'on') return became;
    if (became === 'lost') this.lost();
    if (became === 'missing' && !this.isWriting) {
      this.how = 'anew';
      this.writeIn(0);
    }
    return became;
  }
  private lost(): void {
    this.whose = 'lost';
    this.leave('closed');
    this.options.onLost();
  }
}
