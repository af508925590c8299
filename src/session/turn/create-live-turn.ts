// One turn that is being spoken to a listener, as the line of turns asks it: what is due now, and when to ask again. Its
// parts are joined in join-turn.ts; what happens to it is carried out in turn-life.ts. It says every message of its turn,
// and after `ended` not one audio byte.

import { toTurnError } from '../session-runtime.ts';
import { settingsBytes, type TurnSettings } from '../turn-settings.ts';
import type { ReportedBy } from './heard-ledger.ts';
import { joinTurn } from './join-turn.ts';
import type { LiveTurn, LiveTurnOptions } from './live-turn.ts';
import { PREFETCH_MS, READ_AHEAD_MS } from './script-stretch.ts';
import type { StretchTimes } from './stretch-times.ts';
import type { Turn } from './turn.ts';
import { creditTimeout, pauseTimeout } from './turn-faults.ts';
import type { TurnFlushes } from './turn-flushes.ts';
import type { TurnHearing } from './turn-hearing.ts';
import type { TurnLife } from './turn-life.ts';
import type { MarkOutcome } from './turn-marks.ts';
import type { TurnPlayout } from './turn-playout.ts';
import type { TurnProgress } from './turn-progress.ts';
import type { TurnScript } from './turn-script.ts';
import { ROUNDING_MS, type TurnSending } from './turn-sending.ts';
import type { TurnSpeech } from './turn-speech.ts';

/** What is left to hear may shrink by so much at once, when a decoder drops what an encoder put in front. */
const SHRINK_MS = 500;
/** Held-back text is looked at so often at least. */
const LONGEST_SLEEP_MS = 1000;

/** Of hundreds of turns none is in the cache when its time comes. */
class SpokenTurn implements LiveTurn {
  readonly id: string;
  readonly settings: TurnSettings;
  readonly script: TurnScript;
  private readonly options: LiveTurnOptions;
  private readonly life: TurnLife;
  private readonly speech: TurnSpeech;
  private readonly sending: TurnSending;
  private readonly playout: TurnPlayout;
  private readonly hearing: TurnHearing;
  private readonly flushes: TurnFlushes;
  private readonly progress: TurnProgress;
  private readonly times: StretchTimes;
  private readonly settingsBytes: number;

  constructor(options: LiveTurnOptions) {
    const joined = joinTurn(options);
    this.id = options.id;
    this.settings = options.settings;
    this.script = joined.script;
    this.options = options;
    this.life = joined.life;
    this.speech = joined.speech;
    this.sending = joined.sending;
    this.playout = joined.playout;
    this.hearing = joined.hearing;
    this.flushes = joined.flushes;
    this.progress = joined.progress;
    this.times = joined.times;
    this.settingsBytes = settingsBytes(options.settings);
  }

  phase(): Turn['phase'] {
    return this.life.phase();
  }
  lateMarks(): MarkOutcome {
    return this.hearing.lateMarks();
  }
  begin(): void {
    this.speech.begin();
  }
  sendDue(nowMs: number, freeAtMs: number): void {
    if (this.life.phase() === 'waiting') this.start(nowMs, freeAtMs);
    if (this.life.phase() === 'playing') this.sending.send(nowMs);
    this.flushes.pass(this.playout.sentMs() + ROUNDING_MS);
    if (this.life.phase() !== 'playing') return;
    const { speech } = this;
    if (nowMs >= this.hearing.creditEndsMs()) this.life.happen({ type: 'fail', error: creditTimeout() });
    else if (speech.isOver() && speech.frames.nextSamples() === undefined) {
      this.life.happen({ type: 'audio-sent', error: speech.failure() });
    }
  }
  nextSendMs(nowMs: number): number {
    if (this.life.isStill()) return Number.POSITIVE_INFINITY;
    if (this.life.phase() === 'playing') return Math.min(this.playout.dueMs(), this.hearing.creditEndsMs());
    // A few frames in hand or room in the socket are not long in coming; the first frame may be.
    return this.speech.frames.nextSamples() === undefined ? Number.POSITIVE_INFINITY : nowMs;
  }
  settle(nowMs: number): void {
    this.passMarks(nowMs);
    this.progress.look(nowMs);
    if (this.life.isStill() && nowMs >= this.life.pauseEndsMs())
      this.life.happen({ type: 'fail', error: pauseTimeout(this.options.runtime.limits.pauseTimeoutMs) });
    if (this.life.phase() === 'draining' && nowMs >= this.hearing.overMs())
      this.life.happen({ type: 'heard' });
  }
  nextSettleMs(nowMs: number): number {
    if (this.hearing.marksPending() > 0 && this.life.isInTheEar()) return nowMs; // their places in the audio move
    if (this.life.phase() === 'finished') return nowMs; // the line lets it go then
    const changesMs = this.life.phase() === 'draining' ? this.hearing.overMs() : this.life.pauseEndsMs();
    return Math.min(changesMs, this.progress.dueMs());
  }
  nextRequestMs(nowMs: number): number {
    const { script } = this;
    if (!script.stretch().requests.hasText() || this.speech.isAsking()) return Number.POSITIVE_INFINITY;
    if (this.life.isStill()) return nowMs + LONGEST_SLEEP_MS;
    const aheadMs = script.input() === 'ended' ? READ_AHEAD_MS : PREFETCH_MS;
    return nowMs + Math.max(0, Math.min(this.life.spareMs() - aheadMs - SHRINK_MS, LONGEST_SLEEP_MS));
  }
  pause(playedMs: number | undefined): void {
    if (playedMs !== undefined && !this.life.isStill()) this.playout.pause(playedMs);
    this.life.happen({ type: 'pause' });
  }
  resume(): void {
    this.life.happen({ type: 'resume' });
  }
  seek(paragraph: number, playedMs: number | undefined): void {
    this.script.checkParagraph(paragraph);
    this.life.seek(paragraph, playedMs);
  }
  isStill(): boolean {
    return this.life.isStill();
  }
  cancel(playedMs: number | undefined): void {
    const nowMs = this.options.runtime.clock.now();
    if (playedMs !== undefined) this.hearing.report(playedMs, nowMs, 'client');
    this.passMarks(nowMs);
    this.life.cancel();
  }
  fail(fault: unknown): void {
    this.life.happen({ type: 'fail', error: toTurnError(this.options.runtime.log, fault) });
  }
  abandon(): void {
    this.speech.stop();
  }
  played(ms: number, by: ReportedBy): void {
    this.hearing.report(ms, this.options.runtime.clock.now(), by);
    this.options.outlet.onReady();
  }
  heardMs(nowMs: number): number {
    return this.playout.startedAtMs() === undefined ? 0 : this.hearing.heard(nowMs).playedMs;
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
  heardUntilMs(): number | undefined {
    return this.playout.startedAtMs() === undefined ? undefined : this.playout.heardUntilMs();
  }
  unheardMs(nowMs: number): number {
    return Math.min(this.playout.sentMs(), this.life.untilHeardMs(nowMs));
  }
  pullForward(ms: number): void {
    this.playout.pullForward(ms);
  }
  remainingMs(): number {
    return this.life.remainingMs();
  }
  bufferedBytes(): number {
    return this.speech.bufferedBytes();
  }
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

  private start(nowMs: number, freeAtMs: number): void {
    this.speech.comeFirst();
    if (!this.sending.start(freeAtMs, nowMs)) return;
    this.life.happen({ type: 'audio-ready' });
    this.progress.begin(nowMs);
  }
  private passMarks(nowMs: number): void {
    if (this.life.isInTheEar()) this.hearing.passMarks(nowMs);
  }
}

export const createLiveTurn = (options: LiveTurnOptions): LiveTurn => new SpokenTurn(options);
