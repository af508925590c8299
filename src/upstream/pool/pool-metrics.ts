// The metrics of the pool for an operator. Keys are labelled by fingerprint alone; tenants, sessions and texts do not appear.

import { ERROR_TABLE, type ErrorCode } from '../../base/app-error.ts';
import type { Metrics } from '../../base/metrics.ts';
import { WORK_CLASSES, type WorkClass } from '../speech-work.ts';
import type { PoolMemberReport } from './pool-report.ts';
import { REFUSAL_REASONS, type RefusalReason } from './send-line.ts';

const HEDGE_RESULTS = ['won', 'lost', 'failed', 'refused'] as const;
export type HedgeResult = (typeof HEDGE_RESULTS)[number];

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
/** What a request to a speech service can fail with. */
const FAILURES = (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((code) => code.startsWith('upstream_'));
/** Those that speech services send; a status outside counts as `other`, and a log line has it. */
const STATUSES = [200, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504].map(String);

export function createPoolMetrics(metrics: Metrics, members: () => readonly PoolMemberReport[]): PoolMetrics {
  const keys = members().map(({ fingerprint }) => fingerprint);
  const requests = metrics.counters(
    'voxgate_upstream_requests_total',
    'Requests to the speech service, by how they ended',
    { outcome: ['ok', 'aborted', ...FAILURES, 'internal'] },
  );
  const responses = metrics.counters(
    'voxgate_upstream_responses_total',
    'Answers of the speech service, by HTTP status and key',
    { key: keys, code: [...STATUSES, 'none'] },
  );
  const retries = metrics.counters(
    'voxgate_upstream_retries_total',
    'Requests that were retries, by what had failed',
    { reason: FAILURES },
  );
  const hedges = metrics.counters(
    'voxgate_hedges_total',
    'Second requests for a first byte that was late, by what came of them',
    { result: HEDGE_RESULTS },
  );
  const ttfb = metrics.histogram(
    'voxgate_upstream_ttfb_seconds',
    'From sending a request to its first byte of audio',
    TTFB_SECONDS,
  );
  const waits = metrics.histograms(
    'voxgate_queue_wait_seconds',
    'Wait for a key before the first attempt, by class of work',
    WAIT_SECONDS,
    { class: WORK_CLASSES },
  );
  const missed = metrics.counters(
    'voxgate_deadline_missed_total',
    'Requests without audio when it was needed, by class of work',
    { class: WORK_CLASSES },
  );
  const refused = metrics.counters(
    'voxgate_requests_refused_total',
    'Requests refused without being sent, by reason',
    { reason: REFUSAL_REASONS },
  );
  keyGauges(metrics, keys, members);

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

const CHARACTER_WINDOWS = ['minute', 'month'] as const;
const characterWindows = (
  state: PoolMemberReport['characters'],
): readonly { readonly window: (typeof CHARACTER_WINDOWS)[number]; limit: number; used: number }[] => {
  const { charactersPerMinute, charactersPerMonth, inMinute = 0, inMonth = 0 } = state ?? {};
  return [
    ...(charactersPerMinute === undefined
      ? []
      : [{ window: 'minute' as const, limit: charactersPerMinute, used: inMinute }]),
    ...(charactersPerMonth === undefined
      ? []
      : [{ window: 'month' as const, limit: charactersPerMonth, used: inMonth }]),
  ];
};

/** Each key has its own series, however many there are. Processes that share a key report the same of it. */
function keyGauges(
  metrics: Metrics,
  keys: readonly string[],
  members: () => readonly PoolMemberReport[],
): void {
  const sum = (of: (member: PoolMemberReport) => number) =>
    members().reduce((total, member) => total + of(member), 0);
  metrics.gauge('voxgate_upstream_in_flight', 'Requests that hold a place on a key', () =>
    sum(({ inFlight }) => inFlight),
  );
  const ofLimited = (read: (limit: number, member: PoolMemberReport) => number) => () =>
    members().flatMap((member) => {
      const { fingerprint: key, limit } = member;
      return limit === undefined ? [] : [[{ key }, read(limit, member)] as const];
    });
  metrics.gauges(
    'voxgate_key_limit',
    'Requests that a key may send in a window',
    { key: keys },
    ofLimited((limit) => limit),
    'most',
  );
  metrics.gauges(
    'voxgate_key_window_used_ratio',
    'Used part of the limit of a key',
    { key: keys },
    ofLimited((limit, { used }) => used / limit),
    'most',
  );
  const ofCharacters = (read: (limit: number, used: number) => number) => () =>
    members().flatMap(({ fingerprint: key, characters }) =>
      characterWindows(characters).map(
        ({ window, limit, used }) => [{ key, window }, read(limit, used)] as const,
      ),
    );
  metrics.gauges(
    'voxgate_key_character_limit',
    'Characters of text that a key may have spoken in a minute or month',
    { key: keys, window: CHARACTER_WINDOWS },
    ofCharacters((limit) => limit),
    'most',
  );
  metrics.gauges(
    'voxgate_key_characters_used_ratio',
    'Used part of the characters of a key in a minute or month',
    { key: keys, window: CHARACTER_WINDOWS },
    ofCharacters((limit, used) => used / limit),
    'most',
  );
  metrics.gauges(
    'voxgate_key_state',
    '1 for the state that a key is in',
    { key: keys, state: STATES },
    () =>
      members().flatMap(({ fingerprint: key, state }) =>
        oneOf(STATES, state, (name) => ({ key, state: name })),
      ),
    'most',
  );
  metrics.gauges(
    'voxgate_quota_mode',
    '1 for the way in which the requests of a key are counted',
    { key: keys, mode: MODES },
    () =>
      members().flatMap(({ fingerprint: key, mode }) => oneOf(MODES, mode, (name) => ({ key, mode: name }))),
    'most',
  );
}

/** A sample for each of `names`: 1 for the one that holds. */
const oneOf = <Name extends string, Set>(
  names: readonly Name[],
  holds: Name,
  toLabels: (name: Name) => Set,
): (readonly [Set, number])[] => names.map((name) => [toLabels(name), name === holds ? 1 : 0] as const);
