// The listener's side of one turn: what has been heard, by reports or by the clock, the marks that have been passed, the
// credit that is given, and when nothing is left to hear. Times only; the live turn says what comes of them.

import { AppError } from '../../base/app-error.ts';
import type { TurnSettings } from '../turn-settings.ts';
import { HeardLedger, type ReportedBy } from './heard-ledger.ts';
import type { TurnPlayout } from './turn-playout.ts';

export type MarkOutcome = 'played' | 'cleared';

/**
 * Says where the text before a mark has been spoken; undefined while that is unknown, 'never' when its listener has
 * sought past it.
 */
export type MarkPlace = () => number | 'never' | undefined;

/** One a second for four minutes ahead; nobody waits for more. */
const MAX_MARKS = 256;

type AnswerMark = (name: string, outcome: MarkOutcome) => void;

export class TurnMarks {
  private readonly answer: AnswerMark;
  private waiting: { readonly name: string; readonly endMs: MarkPlace }[] = [];

  constructor(answer: AnswerMark) {
    this.answer = answer;
  }

  /** Throws `marks_full`. */
  add(name: string, endMs: MarkPlace): void {
    if (this.waiting.length >= MAX_MARKS) {
      throw new AppError(
        'marks_full',
        `${MAX_MARKS} marks of this turn wait already; send more when some have come back.`,
        {
          retryAfterMs: 1000,
        },
      );
    }
    this.waiting.push({ name, endMs });
  }
  /** Answers, in order, the marks that have been passed at `playedMs`. */
  pass(playedMs: number): void {
    while (this.waiting.length > 0) {
      const endMs = this.waiting[0]!.endMs();
      if (endMs === undefined || (endMs !== 'never' && endMs > playedMs)) return;
      this.answer(this.waiting.shift()!.name, endMs === 'never' ? 'cleared' : 'played');
    }
  }
  settleAll(outcome: MarkOutcome): void {
    const all = this.waiting;
    this.waiting = [];
    for (const mark of all) this.answer(mark.name, outcome);
  }
  pending(): number {
    return this.waiting.length;
  }
}

export type TurnHearingOptions = {
  readonly settings: Pick<TurnSettings, 'flow' | 'leadMs'>;
  readonly playout: Pick<TurnPlayout, 'position' | 'holder' | 'goingSinceMs' | 'skip'>;
  readonly creditTimeoutMs: number;
  /** Whether a leg will tell what it has played. */
  readonly reports: 'marks' | 'none';
  readonly onMark: (name: string, outcome: MarkOutcome) => void;
};

/** How long after the clock says so a listener who reports may still report the rest. */
const REPORT_GRACE_MS = 2000;
/** The same for the marks of a leg. */
const MARK_GRACE_MS = 1000;

/** One for each turn, asked for each frame. */
export class TurnHearing {
  private readonly options: TurnHearingOptions;
  private readonly isCredit: boolean;
  private readonly ledger = new HeardLedger();
  private readonly marks: TurnMarks;
  private late: MarkOutcome = 'cleared';
  /** What the listener had received from an instance that is gone needs no credit any more. */
  private receivedMs = 0;

  constructor(options: TurnHearingOptions) {
    this.options = options;
    this.isCredit = options.settings.flow === 'credit';
    this.marks = new TurnMarks(options.onMark);
  }

  /** What the listener or the phone leg reports as played, cumulative ms. */
  report(playedMs: number, nowMs: number, by: ReportedBy): void {
    this.ledger.report(playedMs, this.options.playout.position(nowMs), by);
  }
  heard(nowMs: number): ReturnType<HeardLedger['heard']> {
    return this.ledger.heard(this.options.playout.position(nowMs));
  }
  /** It goes on behind what the listener had received, and had reported up to `reportedMs`. */
  goOnBehind(receivedMs: number, reportedMs: number, nowMs: number): void {
    this.receivedMs = receivedMs;
    this.report(reportedMs, nowMs, 'client');
  }
  /** After a pause: no time has passed since the far side last told how far it is. */
  goOn(nowMs: number): void {
    const position = this.options.playout.position(nowMs);
    const { playedMs, playedBy } = this.ledger.heard(position);
    if (playedBy === 'mark') this.ledger.report(playedMs, position, playedBy);
  }
  /** The listener has dropped all that has not been heard yet. */
  skip(nowMs: number): void {
    const { playout } = this.options;
    playout.skip(nowMs);
    const position = playout.position(nowMs);
    const { playedBy } = this.ledger.heard(position);
    if (this.isCredit) this.ledger.report(position.sentMs, position, 'client');
    else if (playedBy !== 'clock') this.ledger.report(position.sentMs, position, playedBy);
  }
  /** Media position up to which the listener has given credit, ms; infinite without `flow: "credit"`. */
  creditMs(): number {
    if (!this.isCredit) return Number.POSITIVE_INFINITY;
    return Math.max(this.ledger.reportedMs() ?? 0, this.receivedMs) + this.options.settings.leadMs;
  }
  /** When a turn that waits for credit is given up; infinite while it does not wait. */
  creditEndsMs(): number {
    const { playout, creditTimeoutMs } = this.options;
    if (!this.isCredit || playout.holder() !== 'credit') return Number.POSITIVE_INFINITY;
    return Math.max(this.ledger.reportedAtMs() ?? 0, playout.goingSinceMs() ?? 0) + creditTimeoutMs;
  }
  /** When all that has been sent will have been heard, or no report can be expected any more. */
  overMs(): number {
    return this.ledger.overMs(this.options.playout.position(0), this.graceMs());
  }
  /** When all that has been sent will have been heard, or was; reports that repeat what is known do not put it off. */
  dryMs(): number {
    return this.ledger.dryMs(this.options.playout.position(0), this.graceMs());
  }
  /** As `TurnMarks.add`. */
  mark(name: string, endMs: MarkPlace): void {
    this.marks.add(name, endMs);
  }
  /** Answers the marks that have been passed. */
  passMarks(nowMs: number): void {
    if (this.marks.pending() > 0) this.marks.pass(this.heard(nowMs).playedMs);
  }
  settleMarks(outcome: MarkOutcome): void {
    this.late = outcome;
    this.marks.settleAll(outcome);
  }
  marksPending(): number {
    return this.marks.pending();
  }
  /** How marks fare that come when the turn is finished. */
  lateMarks(): MarkOutcome {
    return this.late;
  }

  private graceMs(): number {
    if (this.isCredit) return this.options.creditTimeoutMs;
    if (this.options.reports === 'marks') return MARK_GRACE_MS;
    return this.ledger.reportedMs() === undefined ? 0 : REPORT_GRACE_MS;
  }
}
