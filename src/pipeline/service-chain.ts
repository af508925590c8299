// One text of a turn, said by the first of its services that speaks. One that fails before its first speech is followed by the
// next at once, with the same text in that one's own requests; one that is late is joined by the next, and who speaks first is
// heard: until then a body waits behind its gate (speech-gate.ts). The service that spoke is asked first for what follows.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { SwitchReason } from '../speech/upstream-names.ts';
import { shapedRequests } from '../text/request-shape.ts';
import type { RequestShape, RequestText } from '../text/request-text.ts';
import { failureOf, type ServiceFailure } from '../upstream/health/service-failure.ts';
import type { QueuedNotice } from '../upstream/speech-upstream.ts';
import type { SpeechWork } from '../upstream/speech-work.ts';
import { ChainRunner } from './chain-runner.ts';
import { apologyOf, ChainSuccession, noRoom } from './chain-succession.ts';
import type { HandOver } from './hand-over.ts';
import { lettersOf, type RequestVoice, sayRequest } from './say-request.ts';
import type { TurnAudio } from './speak.ts';
import { type ServedLink, type ServedTurn, voiceOf } from './speech-services.ts';
import type { RequestReport, RestInHand } from './whole-body/whole-body.ts';

/** The services of a turn, for one run of it. */
export type TurnChain = {
  readonly served: ServedTurn;
  readonly clock: Clock;
  /** What requests are said with at one of them. */
  voiceAt(link: ServedLink): RequestVoice;
  /** A text is about to be said, or has been given up, and nobody speaks it yet. */
  waits(state: 'waiting' | 'over'): void;
  /**
   * The speech of `text` breaks off, which is the last that was asked for, and another service goes on: where it is cut. Its
   * words from there on are taken off the timeline.
   */
  handOver(
    text: RequestText,
    inHand: RestInHand & { readonly neededMs: number; readonly spokenMs: number | undefined },
  ): { readonly cut: HandOver; readonly rest: RequestText | undefined } | undefined;
  /** `link` speaks from here on; before anything of it is given to the spool. */
  speaks(
    link: ServedLink,
    instead: { readonly of: ServedLink; readonly reason: SwitchReason } | undefined,
  ): void;
};

type Turn = Pick<TurnAudio, 'spool' | 'saidLength' | 'pauseBetween' | 'toWork'> & {
  readonly report: Pick<TurnAudio['report'], 'asked' | keyof RequestReport>;
};

/** What was said of a text, undefined where another service goes on in it; and what of it is left. */
type Said = { readonly text: RequestText | undefined; readonly rest: readonly RequestText[] };

/** No service whose first speech comes later is waited for, ms from when the request was sent. */
const MAX_FIRST_SPEECH_MS = 10_000;
/** What is needed later than this is not in a hurry. */
const HURRY_MS = 1_500;
const BEATEN = new AppError('internal', 'Another service has spoken first.');

const silentFor = () => new AppError('upstream_timeout', 'The speech service sent no speech for too long.');

export const requestsOf = (
  text: RequestText,
  shape: RequestShape | undefined,
  saidLength: TurnAudio['saidLength'],
): readonly RequestText[] => (shape === undefined ? [text] : shapedRequests(text, shape, saidLength));

/** Says all of `text`, behind `before`; returns what was said last. Rejects as `relayWholeBody` does, when no service can say it. */
export async function sayByChain(
  turn: Turn,
  chain: TurnChain,
  text: RequestText,
  before: RequestText | undefined,
  signal: AbortSignal,
): Promise<RequestText | undefined> {
  const succession = new ChainSuccession(chain);
  let last = before;
  let rest: readonly RequestText[] = [text];
  for (let next = rest[0]; next !== undefined; next = rest[0]) {
    const said: Said = await new ServiceRace(turn, chain, next, last, succession, signal).run();
    last = said.text;
    rest = [...said.rest, ...rest.slice(1)];
  }
  return last;
}

type End = { resolve(said: Said): void; reject(error: unknown): void };

class ServiceRace {
  private readonly turn: Turn;
  private readonly chain: TurnChain;
  private readonly text: RequestText;
  private readonly before: RequestText | undefined;
  private readonly succession: ChainSuccession;
  private readonly signal: AbortSignal;
  private readonly work: SpeechWork;
  private readonly clock: Clock;
  private readonly waiting: ServedLink[];
  private readonly letters: number;
  private readonly failures = new Map<ServedLink, ServiceFailure & { readonly error: AppError }>();
  private runners: ChainRunner[] = [];
  private winner: ChainRunner | undefined;
  private end: End | undefined;

  constructor(
    turn: Turn,
    chain: TurnChain,
    text: RequestText,
    before: RequestText | undefined,
    succession: ChainSuccession,
    signal: AbortSignal,
  ) {
    this.turn = turn;
    this.chain = chain;
    this.text = text;
    this.before = before;
    this.succession = succession;
    this.signal = signal;
    this.work = turn.toWork();
    this.clock = chain.clock;
    this.waiting = succession.left();
    this.letters = lettersOf(text);
  }

  run(): Promise<Said> {
    return new Promise((resolve, reject) => {
      const { signal, chain } = this;
      const stop = () => this.settle((end) => end.reject(signal.reason));
      const over = () => {
        signal.removeEventListener('abort', stop);
        chain.waits('over');
      };
      this.end = {
        resolve(said) {
          over();
          resolve(said);
        },
        reject(error) {
          over();
          reject(error as Error);
        },
      };
      if (signal.aborted) return this.end.reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      chain.waits('waiting');
      this.askNext('next');
    });
  }

  private askNext(why: ChainRunner['why']): void {
    const link = this.waiting.shift();
    if (link === undefined) return;
    const { recoveryPolicy } = this.chain.voiceAt(link);
    const runner = new ChainRunner({
      link,
      pieces:
        link.apology === undefined
          ? requestsOf(this.text, link.upstream.shape, this.turn.saidLength)
          : [apologyOf(link.apology)],
      gate: {
        decoders: recoveryPolicy.decoders,
        opensAt: this.letters === 0 ? 'any-sound' : 'speech',
        mayLose: () => this.succession.hasNext(runner),
        onSpeech: () => this.heard(runner),
      },
      why,
      clock: this.clock,
      onQueued: (notice) => this.queued(runner, notice),
      onSent: () => this.sent(runner),
      resumes: () => this.succession.resumes(runner, this.askAfterMs(runner)),
      handOver: (inHand) => this.succession.handOver(runner, inHand),
    });
    this.runners.push(runner);
    link.watch?.asked();
    this.openLast();
    this.watchLine(runner);
    void this.say(runner);
  }
  /** The last that is left is heard as it comes, whatever comes. */
  private openLast(): void {
    const [only, ...others] = this.runners;
    if (only !== undefined && others.length === 0 && this.waiting.length === 0) this.win(only);
  }
  private async say(runner: ChainRunner): Promise<void> {
    const { link, pieces, signal } = runner;
    try {
      const voice = this.chain.voiceAt(link);
      await sayRequest(runner.gated(voice), pieces[0]!, this.work, signal);
      this.said(runner);
    } catch (error) {
      this.failed(runner, error);
    }
  }

  private queued(runner: ChainRunner, { etaMs }: QueuedNotice): void {
    const patienceMs = Math.max(this.askAfterMs(runner), this.work.deadlineMs - this.clock.now());
    if (etaMs > patienceMs) this.full(runner);
  }
  /** What is foretold of a line may be wrong. */
  private watchLine(runner: ChainRunner): void {
    runner.after(this.askAfterMs(runner), () => {
      if (runner.sentAtMs !== undefined) return;
      if (this.work.deadlineMs <= this.clock.now()) this.full(runner);
      else this.watchLine(runner);
    });
  }
  /** The next one is asked where the request still stands in its line. */
  private full(runner: ChainRunner): void {
    if (!this.mayBeJoined(runner) || runner.sentAtMs !== undefined) return;
    this.failures.set(runner.link, noRoom());
    this.succession.failedAt(runner.link);
    // What asks for it runs inside the line of that service.
    this.clock.soon(() => {
      if (this.winner === undefined && this.runners.at(-1) === runner) this.askNext('next');
    });
  }
  private sent(runner: ChainRunner): void {
    if (runner.sentAtMs !== undefined) return;
    runner.sentAtMs = this.clock.now();
    if (this.winner !== undefined) return;
    runner.after(MAX_FIRST_SPEECH_MS, () => runner.stop(silentFor()));
    this.watchLate(runner);
  }
  private watchLate(runner: ChainRunner): void {
    runner.after(this.askAfterMs(runner), () => this.late(runner));
  }
  /** It was asked last, and the next would say the text: an apology is not said beside one that may still speak. */
  private mayBeJoined(runner: ChainRunner): boolean {
    const isLast = this.winner === undefined && this.runners.at(-1) === runner;
    return isLast && this.waiting.length > 0 && this.waiting[0]!.apology === undefined;
  }
  private late(runner: ChainRunner): void {
    if (!this.mayBeJoined(runner)) return;
    const isUrgent = this.work.deadlineMs - this.clock.now() < HURRY_MS;
    const { watch } = runner.link;
    // Twice as late is no guess any more.
    const may = isUrgent && (runner.lateTimes > 0 || watch?.mayAskNext(voiceOf(runner.link)) !== false);
    if (isUrgent) runner.lateTimes += 1;
    if (may) this.askNext('rival');
    else this.watchLate(runner);
  }

  /** There is speech behind its gate. */
  private heard(runner: ChainRunner): void {
    if (this.winner !== undefined || this.signal.aborted) return;
    const nowMs = this.clock.now();
    runner.isHeard = true;
    // What was kept of earlier speech says nothing of the service.
    if (runner.sentAtMs !== undefined)
      runner.link.watch?.spoke(voiceOf(runner.link), nowMs - runner.sentAtMs);
    for (const other of this.runners) {
      if (other === runner) continue;
      const silentMs = nowMs - (other.sentAtMs ?? nowMs);
      // It has had its time; one that was asked later has not.
      if (silentMs >= this.askAfterMs(other)) this.succession.lateAt(other.link, silentMs);
      if (other.why === 'rival') runner.link.watch?.rival('lost');
    }
    const first = this.runners.find((other) => other !== runner);
    if (runner.why === 'rival') first?.link.watch?.rival('won');
    this.win(runner);
  }
  private win(runner: ChainRunner): void {
    if (this.winner !== undefined) return;
    const { turn, chain } = this;
    this.winner = runner;
    this.stopAll(runner);
    runner.win();
    const before = chain.served.now();
    chain.served.moveTo(runner.link);
    const reason = this.failures.get(before)?.reason ?? this.succession.reasonOf(before) ?? 'late';
    chain.speaks(runner.link, before === runner.link ? undefined : { of: before, reason });
    const text = runner.pieces[0]!;
    const pauseMs = this.before === undefined ? 0 : (turn.pauseBetween?.(this.before, text) ?? 0);
    turn.report.asked(text, pauseMs);
    chain.waits('over');
    if (pauseMs > 0) turn.spool.add({ kind: 'pause', ms: pauseMs });
    if (runner.body !== undefined) turn.report.answered(runner.body);
    const { endings, remainingMs } = chain.voiceAt(runner.link).recoveryPolicy;
    endings?.told(runner.body?.words);
    const onBegun = () => {
      if (runner.follows()) endings?.follow();
    };
    const match = this.letters === 0 ? undefined : chain.served.level.matchFor(runner.link, text);
    const then = this.succession.hasNext(runner) ? 'follow' : 'leave';
    runner.open({ target: turn.spool, onBegun, then, match }, remainingMs());
  }
  private said(runner: ChainRunner): void {
    if (this.winner !== runner) return;
    const { link, sentAtMs, isHeard } = runner;
    this.learnLevel(runner);
    if (!isHeard && sentAtMs !== undefined) link.watch?.spoke(voiceOf(link), undefined);
    const [text, ...rest] = runner.pieces;
    // After an apology nothing more is said.
    if (link.apology !== undefined) this.giveUp(undefined);
    else this.settle((end) => end.resolve({ text: text!, rest }));
  }
  private failed(runner: ChainRunner, thrown: unknown): void {
    const [isOldest, isNewest] = [this.runners[0] === runner, this.runners.at(-1) === runner];
    this.runners = this.runners.filter((other) => other !== runner);
    runner.close();
    if (this.end === undefined || this.signal.aborted) return;
    if (this.winner !== undefined && this.winner !== runner) return;
    if (this.winner === runner) this.learnLevel(runner);
    const failure = failureOf(thrown);
    // For a text without letters nothing is a good answer.
    const isAnswer = this.letters === 0 && failure?.reason === 'no-speech';
    if (failure?.counts === true && !isAnswer)
      runner.link.watch?.failed(voiceOf(runner.link), (thrown as AppError).code);
    const { handedOver } = runner;
    if (handedOver !== undefined && failure !== undefined) {
      this.succession.brokeOff(runner.link, failure.reason);
      return this.settle((end) => end.resolve({ text: undefined, rest: handedOver }));
    }
    if (this.winner === runner || (failure === undefined && isOldest)) return this.giveUp(thrown);
    // A text that is refused goes to no further service; one that was asked before may still say it.
    if (failure === undefined) this.waiting.length = 0;
    this.failures.set(runner.link, { reason: 'limit', counts: false, ...failure, error: thrown as AppError });
    this.succession.failedAt(runner.link);
    if (runner.why === 'rival') this.runners[0]?.link.watch?.rival('failed');
    // Behind an older one another has been asked already, which has its own time.
    if (isNewest && this.waiting.length > 0) this.askNext('next');
    else if (this.runners.length > 0) this.openLast();
    else this.giveUp(thrown);
  }
  /** With a refusal of the text, else with what the first of them failed with: that is the one which was asked for. */
  private giveUp(thrown: unknown): void {
    const errors: readonly unknown[] = [...this.failures.values()].map(({ error }) => error);
    const told = [thrown, ...errors].find((each) => each !== undefined && failureOf(each) === undefined);
    const isBroken = this.winner?.hasAudio === true && this.winner.link.apology === undefined;
    this.settle((end) => end.reject(isBroken ? thrown : (told ?? errors[0] ?? thrown ?? silentFor())));
  }
  private learnLevel({ gate, link, pieces }: ChainRunner): void {
    this.chain.served.level.said(link, pieces[0]!, gate.level());
  }
  private settle(tell: (end: End) => void): void {
    const { end } = this;
    if (end === undefined) return;
    this.end = undefined;
    this.stopAll(undefined);
    tell(end);
  }
  private stopAll(but: ChainRunner | undefined): void {
    for (const runner of this.runners) {
      if (runner === but) continue;
      runner.stop(this.signal.aborted ? (this.signal.reason as Error) : BEATEN);
    }
    this.runners = but === undefined ? [] : this.runners.filter((runner) => runner === but);
  }
  private askAfterMs({ link }: ChainRunner): number {
    return link.watch?.askAfterMs(voiceOf(link)) ?? MAX_FIRST_SPEECH_MS;
  }
}
