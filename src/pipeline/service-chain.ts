// One text of a turn, said by the first of its services that speaks. A service that fails before its first speech is followed by the next at
// once, with the same text in that one's own requests; one that is late is joined by the next, and who speaks first is heard. What was
// heard decides, not what was answered: until then a body waits behind its gate (speech-gate.ts). The service that spoke is asked first for what
// follows.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { SwitchReason } from '../speech/upstream-names.ts';
import { shapedRequests } from '../text/request-shape.ts';
import type { RequestShape, RequestText } from '../text/request-text.ts';
import type { QueuedNotice, SpeechBody, SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { SpeechWork } from '../upstream/speech-work.ts';
import type { HandOver } from './hand-over.ts';
import { lettersOf, type RequestVoice, sayRequest } from './say-request.ts';
import type { TurnAudio } from './speak.ts';
import { SpeechGate } from './speech-gate.ts';
import { type ServedLink, type ServedTurn, voiceOf } from './speech-services.ts';
import type { RecoveryPolicy, RequestReport, RestInHand } from './whole-body/whole-body.ts';

/** Why another service speaks than the one that was to. */

/** The services of a turn, for one run of it. */
export type TurnChain = {
  readonly served: ServedTurn;
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
    inHand: RestInHand & { readonly neededMs: number },
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

/** First speech of a service of which nothing is known, ms; and what is kept in hand beyond it. */
const UNKNOWN_FIRST_SPEECH_MS = 600;
const RESERVE_MS = 250;

/** No service whose first speech comes later is waited for, ms from when the request was sent. */
const MAX_FIRST_SPEECH_MS = 10_000;
/** What is needed later than this is not in a hurry. */
const HURRY_MS = 1_500;
/** The answer to a second request of the only service that is left. */
const LAST_ANSWER_MS = 10_000;
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
  let last = before;
  let rest: readonly RequestText[] = [text];
  /** Services that broke off in this text: none goes on in it twice. */
  const broken: Broken = new Map();
  for (let next = rest[0]; next !== undefined; next = rest[0]) {
    const said: Said = await new ServiceRace(turn, chain, next, last, broken, signal).run();
    last = said.text;
    rest = [...said.rest, ...rest.slice(1)];
  }
  return last;
}

/** `counts`: against the service. */
type Failure = { readonly reason: SwitchReason; readonly counts: boolean };
type Broken = Map<ServedLink, SwitchReason>;

/** What a failure before the first speech means for the service; undefined: it is told to the caller. */
export function failureOf({ code, isLimit }: AppError): Failure | undefined {
  switch (code) {
    case 'upstream_unauthorized':
      return { reason: 'access', counts: true };
    case 'upstream_rate_limited':
    case 'rate_limited':
    case 'busy':
      return { reason: 'quota', counts: false };
    case 'upstream_unreachable':
      return { reason: 'unreachable', counts: true };
    case 'upstream_timeout':
      return { reason: 'timeout', counts: true };
    case 'upstream_bad_audio':
      return { reason: 'no-speech', counts: true };
    case 'upstream_broken':
      return { reason: 'broken', counts: true };
    case 'upstream_rejected':
      return isLimit ? { reason: 'limit', counts: false } : undefined;
    default:
      return undefined;
  }
}

/** One service that is asked for the text. */
type Runner = {
  readonly link: ServedLink;
  readonly pieces: readonly RequestText[];
  readonly gate: SpeechGate;
  readonly stop: AbortController;
  /** Why it was asked: the one before it failed, or was only late. */
  readonly why: 'next' | 'rival';
  sentAtMs: number | undefined;
  body: SpeechBody | undefined;
  /** Wants to follow how its body ends, once it is heard. */
  follows: boolean;
  lateTimes: number;
  /** Audio of it has gone into the spool. */
  hasAudio: boolean;
  /** There was speech behind its gate. */
  isHeard: boolean;
  timers: (() => void)[];
  /** Its speech was asked for once more. */
  hasResumed: boolean;
  /** What of its text is left for another service. */
  handedOver: readonly RequestText[] | undefined;
};

type End = { resolve(said: Said): void; reject(error: unknown): void };

class ServiceRace {
  private readonly turn: Turn;
  private readonly chain: TurnChain;
  private readonly text: RequestText;
  private readonly before: RequestText | undefined;
  private readonly broken: Broken;
  private readonly signal: AbortSignal;
  private readonly work: SpeechWork;
  private readonly waiting: ServedLink[];
  private readonly letters: number;
  private readonly failures = new Map<ServedLink, Failure & { readonly error: AppError }>();
  private runners: Runner[] = [];
  private winner: Runner | undefined;
  private end: End | undefined;

  constructor(
    turn: Turn,
    chain: TurnChain,
    text: RequestText,
    before: RequestText | undefined,
    broken: Broken,
    signal: AbortSignal,
  ) {
    this.turn = turn;
    this.chain = chain;
    this.text = text;
    this.before = before;
    this.broken = broken;
    this.signal = signal;
    this.work = turn.toWork();
    this.waiting = chain.served.inOrder().filter((link) => !broken.has(link));
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

  private askNext(why: Runner['why']): void {
    const link = this.waiting.shift();
    if (link === undefined) return;
    const { recoveryPolicy } = this.chain.voiceAt(link);
    const runner: Runner = {
      link,
      pieces:
        link.apology === undefined
          ? requestsOf(this.text, link.upstream.shape, this.turn.saidLength)
          : [apologyOf(link.apology)],
      gate: new SpeechGate({
        decoders: recoveryPolicy.decoders,
        opensAt: this.letters === 0 ? 'any-sound' : 'speech',
        onSpeech: () => this.heard(runner),
      }),
      stop: new AbortController(),
      why,
      sentAtMs: undefined,
      body: undefined,
      follows: false,
      lateTimes: 0,
      hasAudio: false,
      isHeard: false,
      timers: [],
      hasResumed: false,
      handedOver: undefined,
    };
    this.runners.push(runner);
    link.watch?.asked();
    this.openLast();
    void this.say(runner);
  }
  /** The last that is left is heard as it comes, whatever comes. */
  private openLast(): void {
    const [only, ...others] = this.runners;
    if (only !== undefined && others.length === 0 && this.waiting.length === 0) this.win(only);
  }
  private async say(runner: Runner): Promise<void> {
    const { link, pieces, stop } = runner;
    try {
      const voice = this.chain.voiceAt(link);
      await sayRequest(this.gated(runner, voice), pieces[0]!, this.work, stop.signal);
      this.said(runner);
    } catch (error) {
      this.failed(runner, error);
    }
  }

  private gated(runner: Runner, voice: RequestVoice): RequestVoice {
    const { report, recoveryPolicy } = voice;
    const isHeard = () => this.winner === runner;
    const { endings } = recoveryPolicy;
    const policy: RecoveryPolicy = {
      ...recoveryPolicy,
      asksAgain: () => (isHeard() ? this.resumes(runner) : undefined),
      handOver: (inHand) => (isHeard() ? this.handOver(runner, inHand) : undefined),
      ...(endings === undefined
        ? {}
        : {
            endings: {
              follow() {
                if (isHeard()) endings.follow();
                else runner.follows = true;
              },
              ending: async (...how) => (isHeard() ? endings.ending(...how) : undefined),
              cutAt: (ending) => isHeard() && endings.cutAt(ending),
            },
          }),
    };
    return {
      ...voice,
      spool: runner.gate,
      upstream: this.askedOnce(runner, voice.upstream),
      recoveryPolicy: policy,
      report: {
        queued: (notice) => {
          report.queued(notice);
          this.queued(runner, notice);
        },
        sent: () => {
          report.sent();
          this.sent(runner);
        },
        answered(body) {
          if (isHeard()) report.answered(body);
          else runner.body = body;
        },
        resumed: (kind) => isHeard() && report.resumed(kind),
        arrived: (knownMs, state) => {
          if (!isHeard()) return;
          if (knownMs > 0) runner.hasAudio = true;
          report.arrived(knownMs, state);
        },
      },
    };
  }
  /** Until it is heard, another service is the second try. */
  private askedOnce(runner: Runner, upstream: SpeechUpstream): SpeechUpstream {
    return {
      ...upstream,
      open: (request, options) =>
        upstream.open(request, this.winner === runner ? options : { ...options, elsewhere: true }),
    };
  }

  private queued(runner: Runner, { etaMs }: QueuedNotice): void {
    if (this.winner !== undefined || this.waiting.length === 0 || this.runners.at(-1) !== runner) return;
    const patienceMs = Math.max(this.askAfterMs(runner), this.work.deadlineMs - this.clock().now());
    if (etaMs <= patienceMs) return;
    this.failures.set(runner.link, { ...FULL, error: fullError() });
    // What asks for it runs inside the line of that service.
    this.clock().soon(() => {
      if (this.winner === undefined && this.runners.at(-1) === runner) this.askNext('next');
    });
  }
  private sent(runner: Runner): void {
    if (runner.sentAtMs !== undefined) return;
    const clock = this.clock();
    runner.sentAtMs = clock.now();
    if (this.winner !== undefined) return;
    runner.timers.push(clock.after(MAX_FIRST_SPEECH_MS, () => runner.stop.abort(silentFor())));
    this.watchLate(runner);
  }
  private watchLate(runner: Runner): void {
    runner.timers.push(this.clock().after(this.askAfterMs(runner), () => this.late(runner)));
  }
  private late(runner: Runner): void {
    if (this.winner !== undefined || this.waiting.length === 0 || this.runners.at(-1) !== runner) return;
    const isUrgent = this.work.deadlineMs - this.clock().now() < HURRY_MS;
    const { watch } = runner.link;
    // Twice as late is no guess any more.
    const may = isUrgent && (runner.lateTimes > 0 || watch?.mayAskNext(voiceOf(runner.link)) !== false);
    if (isUrgent) runner.lateTimes += 1;
    if (may) this.askNext('rival');
    else this.watchLate(runner);
  }

  /** There is speech behind its gate. */
  private heard(runner: Runner): void {
    if (this.winner !== undefined || this.signal.aborted) return;
    const nowMs = this.clock().now();
    runner.isHeard = true;
    // What was kept of earlier speech says nothing of the service.
    if (runner.sentAtMs !== undefined)
      runner.link.watch?.spoke(voiceOf(runner.link), nowMs - runner.sentAtMs);
    for (const other of this.runners) {
      if (other === runner) continue;
      const silentMs = nowMs - (other.sentAtMs ?? nowMs);
      // It has had its time; one that was asked later has not.
      if (silentMs >= this.askAfterMs(other)) other.link.watch?.late(voiceOf(other.link), silentMs);
      if (other.why === 'rival') runner.link.watch?.rival('lost');
    }
    const first = this.runners.find((other) => other !== runner);
    if (runner.why === 'rival') first?.link.watch?.rival('won');
    this.win(runner);
  }
  private win(runner: Runner): void {
    if (this.winner !== undefined) return;
    const { turn, chain } = this;
    this.winner = runner;
    this.stopAll(runner);
    for (const cancel of runner.timers) cancel();
    const before = chain.served.now();
    chain.served.moveTo(runner.link);
    const reason = this.failures.get(before)?.reason ?? this.broken.get(before) ?? 'late';
    chain.speaks(runner.link, before === runner.link ? undefined : { of: before, reason });
    const text = runner.pieces[0]!;
    const pauseMs = this.before === undefined ? 0 : (turn.pauseBetween?.(this.before, text) ?? 0);
    turn.report.asked(text, pauseMs);
    chain.waits('over');
    if (pauseMs > 0) turn.spool.add({ kind: 'pause', ms: pauseMs });
    if (runner.body !== undefined) turn.report.answered(runner.body);
    const { endings } = chain.voiceAt(runner.link).recoveryPolicy;
    runner.gate.open(turn.spool, () => {
      if (runner.follows) endings?.follow();
    });
  }
  private said(runner: Runner): void {
    if (this.winner !== runner) return;
    const { link, sentAtMs, isHeard } = runner;
    if (!isHeard && sentAtMs !== undefined) link.watch?.spoke(voiceOf(link), undefined);
    const [text, ...rest] = runner.pieces;
    // After an apology nothing more is said.
    if (link.apology !== undefined) this.giveUp(undefined);
    else this.settle((end) => end.resolve({ text: text!, rest }));
  }
  private failed(runner: Runner, thrown: unknown): void {
    this.runners = this.runners.filter((other) => other !== runner);
    for (const cancel of runner.timers) cancel();
    runner.gate.close();
    if (this.end === undefined || this.signal.aborted) return;
    if (this.winner !== undefined && this.winner !== runner) return;
    const { watch } = runner.link;
    const failure = thrown instanceof AppError ? failureOf(thrown) : undefined;
    if (failure?.counts === true) watch?.failed(voiceOf(runner.link), (thrown as AppError).code);
    const { handedOver } = runner;
    if (handedOver !== undefined && failure !== undefined) {
      this.broken.set(runner.link, failure.reason);
      return this.settle((end) => end.resolve({ text: undefined, rest: handedOver }));
    }
    if (this.winner === runner || failure === undefined) return this.giveUp(thrown);
    this.failures.set(runner.link, { ...failure, error: thrown as AppError });
    if (runner.why === 'rival') this.runners[0]?.link.watch?.rival('failed');
    if (this.runners.length > 0) return this.openLast();
    if (this.waiting.length > 0) this.askNext('next');
    else this.giveUp(thrown);
  }
  /** The service that goes on where this one breaks off; undefined: there is none. */
  private successor(runner: Runner): ServedLink | undefined {
    const others = this.chain.served.inOrder();
    return others.find(
      (link) => link !== runner.link && !this.broken.has(link) && link.apology === undefined,
    );
  }
  /** It may say the same once more, if it is as quick as usual; then another one goes on. */
  private resumes(runner: Runner): { readonly answerMs: number } | undefined {
    if (this.successor(runner) === undefined) return { answerMs: LAST_ANSWER_MS };
    if (runner.hasResumed) return undefined;
    runner.hasResumed = true;
    return { answerMs: this.askAfterMs(runner) };
  }
  private handOver(runner: Runner, inHand: RestInHand): HandOver | undefined {
    const next = this.successor(runner);
    if (next === undefined || runner.link.apology !== undefined || !runner.hasAudio) return undefined;
    const firstMs = next.watch?.usualMs(voiceOf(next)) ?? UNKNOWN_FIRST_SPEECH_MS;
    const [said, ...others] = runner.pieces;
    const handed = this.chain.handOver(said!, { ...inHand, neededMs: firstMs + RESERVE_MS });
    if (handed === undefined) return undefined;
    runner.handedOver = handed.rest === undefined ? others : [handed.rest, ...others];
    return handed.cut;
  }
  /** With what the first of them failed with: that is the one which was asked for. */
  private giveUp(thrown: unknown): void {
    const first = [...this.failures.values()][0]?.error;
    const isTold = thrown !== undefined && !(thrown instanceof AppError && failureOf(thrown) !== undefined);
    const isBroken = this.winner?.hasAudio === true && this.winner.link.apology === undefined;
    this.settle((end) => end.reject(isTold || isBroken ? thrown : (first ?? thrown)));
  }
  private settle(tell: (end: End) => void): void {
    const { end } = this;
    if (end === undefined) return;
    this.end = undefined;
    this.stopAll(undefined);
    tell(end);
  }
  private stopAll(but: Runner | undefined): void {
    for (const runner of this.runners) {
      if (runner === but) continue;
      for (const cancel of runner.timers) cancel();
      runner.stop.abort(this.signal.aborted ? this.signal.reason : BEATEN);
      runner.gate.close();
    }
    this.runners = but === undefined ? [] : this.runners.filter((runner) => runner === but);
  }
  private askAfterMs({ link }: Runner): number {
    return link.watch?.askAfterMs(voiceOf(link)) ?? MAX_FIRST_SPEECH_MS;
  }
  private clock(): Clock {
    return this.chain.voiceAt(this.chain.served.now()).recoveryPolicy.clock;
  }
}

/** It has no words of the caller's text. */
const apologyOf = (text: string): RequestText => ({ text, parts: [] });

const FULL: Failure = { reason: 'quota', counts: false };
const fullError = () =>
  new AppError('busy', 'The speech service has no room for this request in time; try again later.');
