// The playout queues of a session whose protocol has contexts: turns of one queue are heard one after another, queues side
// by side, each at its own pace. To the playout clock they are one player, which serves the queue that was named last before
// the others: what nobody waits for any more must not fill the socket, or the memory, in front of what was asked for last.

import type { Player, PlayoutClock } from '../playout/playout-clock.ts';
import { type AdmissionControl, SessionPlace } from './admission-control.ts';
import type { SessionAudience } from './observers/session-audience.ts';
import { PlayoutQueue, type PlayoutQueueOptions } from './playout-queue.ts';
import type { LiveTurn } from './turn/live-turn.ts';
import type { SessionLine } from './turn/turn-line.ts';

/** Queues that speak at the same time: the contexts that ElevenLabs lets one socket have. */
export const MAX_SPEAKING_QUEUES = 5;

export type PlayoutQueuesOptions = Omit<
  PlayoutQueueOptions,
  'place' | 'audience' | 'playout' | 'spoolCapacityBytes'
> & {
  readonly playout: PlayoutClock;
  readonly admission: Pick<AdmissionControl, 'refusal' | 'take'>;
  readonly audience: Pick<SessionAudience, 'began' | 'wantsRecording' | 'followOnly'>;
  /** Compressed audio that all of them may keep. */
  readonly spoolBytes: number;
};

/** Of protocols with contexts only, so that no other session pays for it. */
export class PlayoutQueues implements SessionLine, Player {
  private readonly options: PlayoutQueuesOptions;
  /** The one that was named last comes last. */
  private queues: { readonly name: string; readonly queue: PlayoutQueue }[] = [];
  private madeQueues = 0;
  /** What the lines have of the playout clock. */
  private readonly playout: Pick<PlayoutClock, 'join' | 'leave' | 'markDue'>;

  constructor(options: PlayoutQueuesOptions) {
    this.options = options;
    this.playout = {
      join: () => options.playout.join(this),
      leave: () => {
        if (this.unheard() === 0) options.playout.leave(this);
      },
      markDue: (_line, when) => options.playout.markDue(this, when),
    };
  }

  /**
   * The queue of this name, which counts as named last from now on. Beyond `MAX_SPEAKING_QUEUES` a turn waits behind those
   * of the queue that was named last.
   */
  queueFor(name: string): PlayoutQueue {
    const known = this.queues.find((one) => one.name === name);
    if (known === undefined && this.speaking().length >= MAX_SPEAKING_QUEUES) return this.speaking().at(-1)!;
    const one = known ?? { name, queue: this.makeQueue() };
    // A queue that is heard to its end is forgotten when another one is named.
    const others = this.queues.filter((other) => other !== one && other.queue.line.unheard() > 0);
    this.queues = [...others, one];
    return one.queue;
  }

  find(id: string): LiveTurn | undefined {
    for (const { queue } of this.queues) {
      const turn = queue.line.find(id);
      if (turn !== undefined) return turn;
    }
    return undefined;
  }
  all(): readonly LiveTurn[] {
    return this.queues.flatMap(({ queue }) => queue.line.all());
  }
  audible(): LiveTurn | undefined {
    for (const { queue } of this.queues) {
      const turn = queue.line.audible();
      if (turn !== undefined) return turn;
    }
    return undefined;
  }
  unended(): readonly LiveTurn[] {
    return this.queues.flatMap(({ queue }) => queue.line.unended());
  }
  unheard(): number {
    return this.sum((queue) => queue.line.unheard());
  }
  touch(id: string): void {
    for (const { queue } of this.queues) queue.line.touch(id);
  }
  runNow(): void {
    for (const queue of this.lastNamedFirst()) queue.line.runNow();
  }
  markDirty(): void {
    for (const { queue } of this.queues) queue.line.markDirty();
  }
  cancel(id: string | undefined, playedMs: number | undefined): void {
    for (const queue of this.lastNamedFirst())
      if (id === undefined || queue.line.find(id) !== undefined) queue.line.cancel(id, playedMs);
  }
  bufferedBytes(): number {
    return this.sum((queue) => queue.line.bufferedBytes());
  }
  private chargedBytes(): number {
    return this.sum((queue) => queue.line.chargedBytes());
  }
  textBytes(when: 'now' | 'full'): number {
    return this.sum((queue) => queue.line.textBytes(when));
  }
  close(): void {
    for (const { queue } of this.queues) queue.close();
    this.queues = [];
    this.options.playout.leave(this);
  }

  dueMs(): number {
    return this.queues.reduce(
      (dueMs, { queue }) => Math.min(dueMs, queue.line.dueMs()),
      Number.POSITIVE_INFINITY,
    );
  }
  sendDue(nowMs: number): void {
    for (const { line } of this.lastNamedFirst()) if (line.dueMs() <= nowMs) line.sendDue(nowMs);
  }
  wantsRefill(): boolean {
    return this.queues.some(({ queue }) => queue.line.wantsRefill());
  }
  refill(): void {
    for (const { line } of this.lastNamedFirst()) if (line.wantsRefill()) line.refill();
  }

  /** A list of its own: what is served may name another queue. */
  private lastNamedFirst(): readonly PlayoutQueue[] {
    return this.queues.map(({ queue }) => queue).reverse();
  }
  private speaking(): readonly PlayoutQueue[] {
    return this.queues.flatMap(({ queue }) => (queue.isSpeaking() ? [queue] : []));
  }
  private sum(of: (queue: PlayoutQueue) => number): number {
    return this.queues.reduce((sum, { queue }) => sum + of(queue), 0);
  }
  private makeQueue(): PlayoutQueue {
    const { options } = this;
    const { speaker, audience, admission } = options;
    this.madeQueues += 1;
    const queue = new PlayoutQueue({
      ...options,
      playout: this.playout,
      // Requests of one queue take no room from another's: the interrupted answer may have all that a session gets.
      speaker: { ...speaker, session: `${speaker.session}/${this.madeQueues}` },
      place: new SessionPlace({
        refusal: (asker, weight) => (this.ridesAlong() ? undefined : admission.refusal(asker, weight)),
        take: (weight) => admission.take(weight),
      }),
      audience: {
        wantsRecording: (settings) => audience.wantsRecording(settings),
        // A listener is given the new context in place of the old one, and so are those who look on.
        began: (playback, started) => {
          audience.followOnly((id) => queue.line.find(id) !== undefined);
          audience.began(playback, started);
        },
      },
      spoolCapacityBytes: (ownBytes) => this.spoolCapacityBytes(ownBytes),
    });
    return queue;
  }
  /**
   * The answer to an interruption is not refused for the speech that it interrupts: a queue may speak beside one other
   * without asking. It takes its place all the same, so that it is counted.
   */
  private ridesAlong(): boolean {
    return this.speaking().length === 1;
  }
  /** What others keep leaves each queue its share: one that is stuck in front of a full socket starves none. */
  private spoolCapacityBytes(ownBytes: number): number {
    const { spoolBytes } = this.options;
    return Math.max(spoolBytes / MAX_SPEAKING_QUEUES, spoolBytes - (this.chargedBytes() - ownBytes));
  }
}
