// One turn that is being spoken to a listener, as the line of turns asks it: what is due now, and when to ask again. Its
// parts are wired in turn-parts.ts; what happens to it is carried out in turn-life.ts. It says every message of its turn,
// and after `ended` not one audio byte.

import type { AudioFrame } from '../../audio/stage.ts';
import { coalesceMs, type Pace } from '../../playout/pacer.ts';
import type { TurnAudience } from '../observers/turn-playback.ts';
import type { TurnOutlet } from '../session-outlet.ts';
import { type SessionRuntime, toTurnError } from '../session-runtime.ts';
import { settingsBytes, type TurnSettings } from '../turn-settings.ts';
import type { ReportedBy } from './heard-ledger.ts';
import { PREFETCH_MS, READ_AHEAD_MS } from './script-stretch.ts';
import type { SendGate } from './send-gate.ts';
import type { StretchTimes } from './stretch-times.ts';
import type { Turn } from './turn.ts';
import type { TurnCaptions } from './turn-captions.ts';
import type { TurnFlushes } from './turn-flushes.ts';
import type { MarkOutcome, TurnHearing } from './turn-hearing.ts';
import { TurnLife } from './turn-life.ts';
import type { TurnLine } from './turn-line.ts';
import { creditTimeout, pauseTimeout, ROUNDING_MS, wholeMs } from './turn-messages.ts';
import { wireTurn } from './turn-parts.ts';
import type { TurnPlayout } from './turn-playout.ts';
import type { TurnProgress } from './turn-progress.ts';
import type { TurnScript, WholeText } from './turn-script.ts';
import type { TurnSpeech } from './turn-speech.ts';
import type { Speaker } from './turn-work.ts';

export type LiveTurnOptions = {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly whole: WholeText | undefined;
  readonly runtime: SessionRuntime;
  readonly speaker: Speaker;
  /** Turns of the client that had not ended when this one was named. */
  readonly turnsBefore: number;
  /** When they will have been heard. */
  readonly freeAtMs: number;
  /** Compressed audio that this turn may keep, given what its neighbours keep. */
  readonly spoolCapacityBytes: (chargedBytes: number) => number;
  readonly outlet: TurnOutlet;
  readonly audience: TurnAudience;
  /** In which it stands: it says there that it has something to send. */
  readonly line: Pick<TurnLine, 'runNow' | 'runSoon' | 'markFrontDue'>;
};

/** It has said its `ended`, whether it has been heard or not. */
export const isEnded = (turn: LiveTurn): boolean =>
  turn.phase() === 'draining' || turn.phase() === 'finished';

/** What is left to hear may shrink by so much at once, when a decoder drops what an encoder put in front. */
const SHRINK_MS = 500;
/** Held-back text is looked at so often at least. */
const MAX_SLEEP_MS = 1000;

/** A class, not closures: one object per turn keeps cache misses low (decision 0041). */
export class LiveTurn implements SendGate {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly script: TurnScript;
  private readonly options: LiveTurnOptions;
  private readonly life: TurnLife;
  private readonly speech: TurnSpeech;
  private readonly captions: TurnCaptions;
  private readonly pace: Pace;
  private readonly outlet: TurnOutlet;
  private readonly playout: TurnPlayout;
  private readonly hearing: TurnHearing;
  private readonly flushes: TurnFlushes;
  private readonly progress: TurnProgress;
  private readonly times: StretchTimes;
  private readonly settingsBytes: number;

  constructor(options: LiveTurnOptions) {
    const parts = wireTurn(options, () => this.life);
    this.id = options.id;
    this.settings = options.settings;
    this.script = parts.script;
    this.options = options;
    this.life = new TurnLife(parts);
    this.speech = parts.speech;
    this.captions = parts.captions;
    this.pace = parts.pace;
    this.outlet = options.outlet;
    this.playout = parts.playout;
    this.hearing = parts.hearing;
    this.flushes = parts.flushes;
    this.progress = parts.progress;
    this.times = parts.times;
    this.settingsBytes = settingsBytes(options.settings);
  }

  phase(): Turn['phase'] {
    return this.life.phase();
  }
  /** How marks fare that come when the turn is finished. */
  lateMarks(): MarkOutcome {
    return this.hearing.lateMarks();
  }
  /** Lets synthesis begin; further calls do nothing. */
  begin(): void {
    this.speech.begin();
  }
  /** Sends what is due; a turn that has not begun to play is heard from `freeAtMs` on. */
  sendDue(nowMs: number, freeAtMs: number): void {
    if (this.life.phase() === 'waiting') this.start(nowMs, freeAtMs);
    if (this.life.phase() === 'playing') this.playout.send(nowMs, this);
    this.flushes.pass(this.playout.sentMs() + ROUNDING_MS);
    if (this.life.phase() !== 'playing') return;
    const { speech } = this;
    if (nowMs >= this.hearing.creditEndsMs()) this.life.happen({ type: 'fail', error: creditTimeout() });
    else if (speech.isOver() && speech.frames.nextSamples() === undefined) {
      const error = speech.failure();
      // Of another speech there may be less than its listener has had.
      if (error === undefined) this.playout.endHad();
      this.life.happen({ type: 'audio-sent', error });
    }
  }
  /**
   * When time alone will let `sendDue` do more, as of its last run: `nowMs` when it is worth a look at every tick,
   * infinite when something must happen first.
   */
  nextSendMs(nowMs: number): number {
    if (this.life.isPaused()) return Number.POSITIVE_INFINITY;
    if (this.life.phase() === 'playing') return Math.min(this.playout.dueMs(), this.hearing.creditEndsMs());
    // A few frames in hand or room in the socket are not long in coming; the first frame may be.
    return this.speech.frames.nextSamples() === undefined ? Number.POSITIVE_INFINITY : nowMs;
  }
  /** Answers marks that have been passed, and ends a turn that has been heard. */
  settle(nowMs: number): void {
    this.passMarks(nowMs);
    if (!this.playout.isMadeAgain()) this.progress.look(nowMs);
    if (this.life.isPaused() && nowMs >= this.life.pauseEndsMs())
      this.life.happen({ type: 'fail', error: pauseTimeout(this.options.runtime.limits.pauseTimeoutMs) });
    if (this.life.phase() === 'draining' && nowMs >= this.hearing.overMs())
      this.life.happen({ type: 'heard' });
  }
  /** As `nextSendMs`, for `settle`. */
  nextSettleMs(nowMs: number): number {
    if (this.hearing.marksPending() > 0 && this.life.isAudible()) return nowMs; // their places in the audio move
    if (this.life.phase() === 'finished') return nowMs; // the line lets it go then
    const changesMs = this.life.phase() === 'draining' ? this.hearing.overMs() : this.life.pauseEndsMs();
    return Math.min(changesMs, this.progress.dueMs());
  }
  /** When text that is held back, because enough is left to hear, is to be looked at again. */
  nextRequestMs(nowMs: number): number {
    const { script } = this;
    if (!script.stretch().requests.hasText() || this.speech.isAsking()) return Number.POSITIVE_INFINITY;
    if (this.life.isPaused()) return nowMs + MAX_SLEEP_MS;
    const aheadMs = script.input() === 'ended' ? READ_AHEAD_MS : PREFETCH_MS;
    return nowMs + Math.max(0, Math.min(this.life.spareMs() - aheadMs - SHRINK_MS, MAX_SLEEP_MS));
  }
  /** Nothing more is sent until `resume`; `playedMs` is where the listener stopped, as reported by the client. */
  pause(playedMs: number | undefined): void {
    if (playedMs !== undefined && !this.life.isPaused()) this.playout.pause(playedMs);
    this.life.happen({ type: 'pause', nowMs: this.options.runtime.clock.now() });
  }
  resume(): void {
    this.life.happen({ type: 'resume' });
  }
  /**
   * Goes on from another paragraph. With `playedMs` the listener has dropped what had not been played. Throws
   * `invalid_request` when there is no such paragraph.
   */
  seek(paragraph: number, playedMs: number | undefined): void {
    this.script.checkParagraph(paragraph);
    this.life.happen({ type: 'seek', to: { paragraph, playedMs } });
  }
  /** It is paused, before its first audio or in it. */
  isPaused(): boolean {
    return this.life.isPaused();
  }
  cancel(playedMs: number | undefined): void {
    const nowMs = this.options.runtime.clock.now();
    if (playedMs !== undefined) this.hearing.report(playedMs, nowMs, 'client');
    this.passMarks(nowMs);
    this.life.happen({ type: 'cancel' });
  }
  /** Something broke inside: the turn ends, its neighbours go on. */
  fail(fault: unknown): void {
    const { runtime, speaker, id: turn } = this.options;
    const error = toTurnError(runtime.log, fault, { session: speaker.session, turn });
    this.life.happen({ type: 'fail', error });
  }
  /** Stops without a word: the client is gone, or it broke inside. Counted, unless it had ended before. */
  abandon(as: 'left' | 'failed'): void {
    const phase = this.life.phase();
    if (phase !== 'draining' && phase !== 'finished')
      this.options.runtime.metrics.turnEnded(as, this.playout.sentMs(), this.script.totalCodePoints());
    this.speech.stop();
  }
  played(ms: number, by: ReportedBy): void {
    this.hearing.report(ms, this.options.runtime.clock.now(), by);
    this.options.line.runNow();
  }
  /** What has been heard of it, ms; 0 before its first audio. */
  heardMs(nowMs: number): number {
    return this.playout.startedAtMs() === undefined ? 0 : this.hearing.heard(nowMs).playedMs;
  }
  /** As in `HadOfTurn`. */
  repeatedBytes(): number {
    return this.playout.repeatedBytes();
  }
  flush(): void {
    this.flushes.ask();
    this.script.flush();
  }
  mark(name: string): void {
    const endOfText = this.script.endOfText();
    this.hearing.mark(name, () => {
      const endMs = endOfText();
      if (endMs === undefined || endMs === 'never') return endMs;
      return Math.min(this.times.toSent(endMs), this.speech.reachableMs());
    });
  }
  /** Its listener has had some of it, from here or from an instance that is gone. */
  isBegun(): boolean {
    return this.life.isBegun();
  }
  /** When the listener will have heard all that was sent; undefined before the first audio. */
  heardUntilMs(): number | undefined {
    return this.playout.startedAtMs() === undefined ? undefined : this.playout.heardUntilMs();
  }
  /** Audio that has been sent and will be heard from `nowMs` on, what comes before it not counted. */
  unheardMs(nowMs: number): number {
    return Math.min(this.playout.sentMs(), this.life.untilHeardMs(nowMs));
  }
  /** The listener dropped `ms` of earlier audio: this turn is heard that much sooner. */
  pullForward(ms: number): void {
    this.playout.pullForward(ms);
  }
  /** Nobody is connected who could hear it: its listener's time stands still. */
  hold(nowMs: number): void {
    this.playout.hold(nowMs);
  }
  /** As `TurnPlayout.goOn`. */
  goOn(nowMs: number, stalledMs: number): void {
    this.playout.goOn(nowMs, stalledMs);
  }
  /** Audio that has arrived and has not been heard, ms. */
  remainingMs(): number {
    return this.life.remainingMs();
  }
  /** Compressed and encoded audio that is kept. */
  bufferedBytes(): number {
    return this.speech.bufferedBytes();
  }
  /** The same as the spool's capacity counts it: sound that is no MP3 as MP3 of its length. */
  chargedBytes(): number {
    return this.speech.chargedBytes();
  }
  /** Memory that its text takes, and what has been made of it; `full`: when all its words are known. */
  textBytes(when: 'now' | 'full'): number {
    const script = when === 'now' ? this.script.bytes() : this.script.fullBytes();
    return script + this.settingsBytes;
  }
  wantsRefill(): boolean {
    return this.speech.wantsRefill();
  }
  refill(): void {
    this.speech.refill();
  }

  onFrame(frame: AudioFrame, seq: number, atMs: number, durationMs: number): void {
    this.captions.say(atMs + durationMs + ROUNDING_MS);
    const encoding = this.settings.audio;
    this.outlet.sendAudio({ turn: this.id, encoding, seq, atMs, durationMs, bytes: frame.bytes });
  }
  onUnderrun(atMs: number, gapMs: number): void {
    this.options.runtime.metrics.underrun(gapMs);
    this.outlet.say({ type: 'underrun', turn: this.id, atMs: wholeMs(atMs), gapMs: wholeMs(gapMs) });
  }
  creditMs(): number {
    return this.hearing.creditMs();
  }
  isCongested(): boolean {
    return this.outlet.isCongested();
  }
  emptyBecause(): 'upstream' | 'text' {
    const { script, speech } = this;
    const lacksText = script.input() === 'open' && !script.stretch().requests.hasText() && !speech.isAsking();
    return lacksText ? 'text' : 'upstream';
  }
  waitsForQuota(): boolean {
    return this.speech.waitsForQuota();
  }
  coalesceMs(): number {
    return coalesceMs(this.pace, this.options.runtime.playout.playing());
  }

  private start(nowMs: number, freeAtMs: number): void {
    this.speech.comeFirst();
    const inHand = { sampleRate: this.speech.sampleRate(), waitingMs: this.speech.waitingMs() };
    if (!this.playout.start(freeAtMs, nowMs, inHand, this)) return;
    this.life.happen({ type: 'audio-ready' });
    this.progress.begin(nowMs);
  }
  private passMarks(nowMs: number): void {
    if (this.life.isAudible()) this.hearing.passMarks(nowMs);
  }
}
