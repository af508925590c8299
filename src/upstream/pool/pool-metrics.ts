// The metrics of the pool for an operator. Keys are labelled by fingerprint alone; tenants, sessions and texts do not appear.

import type { Metrics } from '../../base/metrics.ts';
import type { WorkClass } from '../speech-work.ts';
import type { PoolMemberReport } from './pool-report.ts';
import type { RefusalReason } from './send-line.ts';

export type HedgeResult = 'won' | 'lost' | 'failed' | 'refused';

export type PoolMetrics = {
  /** An HTTP request is over, by an error's code or as `ok` or `aborted`. */
  ended(outcome: string): void;
  /** The service answered on this key; without an answer `code` is `none`. */
  responded(key: string, code: number | 'none'): void;
  retried(reason: string): void;
  hedged(result: HedgeResult): void;
  firstByte(ttfbMs: number): void;
  waited(work: WorkClass, queueMs: number): void;
  missed(work: WorkClass): void;
  refused(reason: RefusalReason): void;
};

const WAIT_SECONDS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];
const TTFB_SECONDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8];
const STATES = ['ready', 'limited', 'refused', 'broken'] as const;
const MODES = ['unlimited', 'learning', 'sliding', 'phase', 'local'] as const;

export function createPoolMetrics(metrics: Metrics, members: () => readonly PoolMemberReport[]): PoolMetrics {
  const requests = metrics.counter(
    'voxgate_upstream_requests_total',
    'Requests to the speech service, by how they ended',
  );
  const responses = metrics.counter(
    'voxgate_upstream_responses_total',
    'Answers of the speech service, by HTTP status and key',
  );
  const retries = metrics.counter(
    'voxgate_upstream_retries_total',
    'Requests that were retries, by what had failed',
  );
  const hedges = metrics.counter(
    'voxgate_hedges_total',
    'Second requests for a first byte that was late, by what came of them',
  );
  const ttfb = metrics.histogram(
    'voxgate_upstream_ttfb_seconds',
    'From sending a request to its first byte of audio',
    TTFB_SECONDS,
  );
  const waits = metrics.histogram(
    'voxgate_queue_wait_seconds',
    'Wait for a key before the first attempt, by class of work',
    WAIT_SECONDS,
  );
  const missed = metrics.counter(
    'voxgate_deadline_missed_total',
    'Requests without audio when it was needed, by class of work',
  );
  const refused = metrics.counter(
    'voxgate_requests_refused_total',
    'Requests refused without being sent, by reason',
  );
  keyGauges(metrics, members);

  return {
    ended: (outcome) => requests.add(1, { outcome }),
    responded: (key, code) => responses.add(1, { key, code: String(code) }),
    retried: (reason) => retries.add(1, { reason }),
    hedged: (result) => hedges.add(1, { result }),
    firstByte: (ttfbMs) => ttfb.observe(ttfbMs / 1000),
    waited: (work, queueMs) => waits.observe(queueMs / 1000, { class: work }),
    missed: (work) => missed.add(1, { class: work }),
    refused: (reason) => refused.add(1, { reason }),
  };
}

/**
 * A gauge with labels is set, not read: a scrape reads the first of these, which sets the others, which the registry reports
 * after it.
 */
function keyGauges(metrics: Metrics, members: () => readonly PoolMemberReport[]): void {
  metrics.gauge('voxgate_upstream_in_flight', 'Requests that hold a place on a key', () => {
    const all = members();
    for (const { fingerprint: key, limit, used, mode, state } of all) {
      if (limit !== undefined) {
        limits.set(limit, { key });
        uses.set(used / limit, { key });
      }
      for (const name of STATES) states.set(name === state ? 1 : 0, { key, state: name });
      for (const name of MODES) modes.set(name === mode ? 1 : 0, { key, mode: name });
    }
    return all.reduce((sum, { inFlight }) => sum + inFlight, 0);
  });
  // Processes that share a key report the same of it.
  const ofKeys = (name: string, help: string) => metrics.gauge(name, help, undefined, 'most');
  const limits = ofKeys('voxgate_key_limit', 'Requests that a key may send in a window');
  const uses = ofKeys('voxgate_key_window_used_ratio', 'Used part of the limit of a key');
  const states = ofKeys('voxgate_key_state', '1 for the state that a key is in');
  const modes = ofKeys('voxgate_quota_mode', '1 for the way in which the requests of a key are counted');
}
