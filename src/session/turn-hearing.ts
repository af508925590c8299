// The listener's side of one turn: what he has heard, by his reports or by the clock, the marks that he has passed, the
// credit that he gives, and when nothing is left for him to hear. Times only; the live turn says what comes of them.

import { createHeardLedger, type HeardLedger, type ReportedBy } from './heard-ledger.ts';
import { createTurnMarks, type MarkOutcome, type TurnMarks } from './turn-marks.ts';
import type { TurnPlayout } from './turn-playout.ts';
import type { TurnSettings } from './turn-settings.ts';

export type TurnHearing = {
  /** What the listener or his leg says to have played, cumulative ms. */
  report(playedMs: number, nowMs: number, by: ReportedBy): void;
  heard(nowMs: number): ReturnType<HeardLedger['heard']>;
  /** After a pause: no time has passed since the far side last told how far it is. */
  goOn(nowMs: number): void;
  /** The listener has dropped all that he has not heard. */
  skip(nowMs: number): void;
  /** Media position up to which the listener has given credit, ms; infinite without `flow: "credit"`. */
  creditMs(): number;
  /** When a turn that waits for credit is given up; infinite while it does not wait. */
  creditEndsMs(): number;
  /** When all that has been sent will have been heard, or no report can be expected any more. */
  overMs(): number;
  readonly mark: TurnMarks['add'];
  /** Answers the marks that have been passed. */
  passMarks(nowMs: number): void;
  readonly settleMarks: (outcome: MarkOutcome) => void;
  marksPending(): number;
  /** How marks fare that come when the turn is finished. */
  lateMarks(): MarkOutcome;
};

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

export function createTurnHearing(options: TurnHearingOptions): TurnHearing {
  const { settings, playout, creditTimeoutMs } = options;
  const isCredit = settings.flow === 'credit';
  const ledger = createHeardLedger();
  const marks = createTurnMarks(options.onMark);
  let lateMarks: MarkOutcome = 'cleared';

  const graceMs = () => {
    if (isCredit) return creditTimeoutMs;
    if (options.reports === 'marks') return MARK_GRACE_MS;
    return ledger.reportedMs() === undefined ? 0 : REPORT_GRACE_MS;
  };

  return {
    report: (playedMs, nowMs, by) => ledger.report(playedMs, playout.position(nowMs), by),
    heard: (nowMs) => ledger.heard(playout.position(nowMs)),
    goOn(nowMs) {
      const position = playout.position(nowMs);
      const { playedMs, playedBy } = ledger.heard(position);
      if (playedBy === 'mark') ledger.report(playedMs, position, playedBy);
    },
    skip(nowMs) {
      playout.skip(nowMs);
      const position = playout.position(nowMs);
      const { playedBy } = ledger.heard(position);
      if (isCredit) ledger.report(position.sentMs, position, 'client');
      else if (playedBy !== 'clock') ledger.report(position.sentMs, position, playedBy);
    },
    creditMs: () => (isCredit ? (ledger.reportedMs() ?? 0) + settings.leadMs : Number.POSITIVE_INFINITY),
    creditEndsMs() {
      if (!isCredit || playout.holder() !== 'credit') return Number.POSITIVE_INFINITY;
      return Math.max(ledger.reportedAtMs() ?? 0, playout.goingSinceMs() ?? 0) + creditTimeoutMs;
    },
    overMs: () => ledger.overMs(playout.position(0), graceMs()),
    mark: marks.add,
    passMarks(nowMs) {
      if (marks.pending() > 0) marks.pass(ledger.heard(playout.position(nowMs)).playedMs);
    },
    settleMarks(outcome) {
      lateMarks = outcome;
      marks.settleAll(outcome);
    },
    marksPending: () => marks.pending(),
    lateMarks: () => lateMarks,
  };
}
