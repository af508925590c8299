import { expect, it } from 'vitest';
import { HeardLedger } from '../../../src/session/turn/heard-ledger.ts';

const at = (nowMs: number) => ({ anchorMs: 1_000, sentMs: 2_000, nowMs });

it('counts by the clock until something is reported', () => {
  const ledger = new HeardLedger(260);
  expect(ledger.heard(at(1_700))).toEqual({ playedMs: 700, playedBy: 'clock' });
  expect(ledger.heard(at(9_000)).playedMs).toBe(2_000);
});

it('lets the far side play on behind a mark, and no longer than the next mark is due', () => {
  const ledger = new HeardLedger(260);
  ledger.report(500, at(1_540), 'mark');
  expect(ledger.heard(at(1_740))).toEqual({ playedMs: 700, playedBy: 'mark' });
  // It stands still, or its connection does: nobody knows how much of what it was sent it plays.
  const most = ledger.heard(at(4_000)).playedMs;
  expect(most).toBeGreaterThanOrEqual(760);
  expect(most).toBeLessThan(860);
  ledger.report(1_900, at(4_000), 'mark');
  expect(ledger.heard(at(4_500)).playedMs).toBe(2_000);
});

it('counts nothing beyond what a client reports', () => {
  const ledger = new HeardLedger();
  ledger.report(500, at(1_540), 'client');
  expect(ledger.heard(at(1_740))).toEqual({ playedMs: 500, playedBy: 'client' });
});
