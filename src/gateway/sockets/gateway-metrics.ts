// The figures that tell how the gateway is doing; docs/operations.md says what each one means.

import { ERROR_TABLE } from '../../base/app-error.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { SpeechAsker } from '../../session/admission-control.ts';
import type { SessionMetrics } from '../../session/session-runtime.ts';
import type { IntakeMetrics } from './intake-metrics.ts';

export type GatewayMetrics = SessionMetrics &
  IntakeMetrics & {
    readonly sessionOpened: () => void;
    readonly sessionClosed: (code: number) => void;
    /** How much later than its deadline a tick of the playout clock ran. */
    readonly tick: (latenessMs: number) => void;
    readonly refusedAsBusy: (asker: SpeechAsker) => void;
  };

/** Read at each scrape. */
export type GatewayGauges = {
  readonly sessions: () => number;
  readonly turns: () => number;
  readonly bufferedBytes: () => number;
  readonly observers: () => number;
  readonly loopDelaySeconds: () => number;
  readonly usedRatio: () => number;
  readonly headroomRatio: () => number;
  readonly residentBytes: () => number;
};

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10] as const;
/** Fine where a tick belongs, so that a quantile read from them means something. */
const LATENESS_SECONDS = [
  0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.01, 0.015, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
] as const;

/** Clients choose codes too, four thousand of them: what neither RFC 6455 7.4.1 nor our table knows is `other`. */
const OWN_CLOSE_CODES: ReadonlySet<number> = new Set(Object.values(ERROR_TABLE).map(({ close }) => close));
const closeLabel = (code: number) =>
  (code >= 1000 && code <= 1015) || OWN_CLOSE_CODES.has(code) ? String(code) : 'other';

export function createGatewayMetrics(metrics: Metrics, gauges: GatewayGauges): GatewayMetrics {
  const opened = metrics.counter('voxgate_sessions_opened_total', 'Sessions opened.');
  const closes = metrics.counter('voxgate_ws_closes_total', 'Sessions closed, by WebSocket close code.');
  const ended = metrics.counter('voxgate_turns_total', 'Turns ended, by outcome.');
  const spoken = metrics.counter('voxgate_audio_seconds_total', 'Seconds of audio sent.');
  const underruns = metrics.counter('voxgate_playback_underruns_total', 'Times a listener ran dry.');
  const gaps = metrics.counter('voxgate_underrun_seconds_total', 'Seconds for which listeners ran dry.');
  const refused = metrics.counter(
    'voxgate_busy_refusals_total',
    'Sessions, turns, legs and replies refused because the thread has no time left for them, by kind.',
  );
  const intakeTime = metrics.counter(
    'voxgate_intake_seconds_total',
    'Time of the thread that plays in which messages of clients and legs were handled.',
  );
  const slowed = metrics.counter(
    'voxgate_intake_slowed_total',
    'Times a client or a leg was beyond its budget of time, so that its messages waited.',
  );
  const intakeRefused = metrics.counter(
    'voxgate_intake_refusals_total',
    'Clients and legs closed for sending too much, by source and limit.',
  );
  const evicted = metrics.counter(
    'voxgate_leg_evictions_total',
    'Sockets of legs that had proved nothing and went for others.',
  );
  const ttfa = metrics.histogram(
    'voxgate_turn_ttfa_seconds',
    'From the first text of a turn to its first audio sent.',
    SECONDS,
  );
  const lateness = metrics.histogram(
    'voxgate_tick_lateness_seconds',
    'How much later than due a tick of the playout clock ran.',
    LATENESS_SECONDS,
  );
  metrics.gauge('voxgate_sessions', 'Open sessions.', gauges.sessions);
  metrics.gauge('voxgate_turns', 'Turns that have not been heard to their end.', gauges.turns);
  metrics.gauge(
    'voxgate_buffered_bytes',
    'Audio and messages that wait in this process.',
    gauges.bufferedBytes,
  );
  metrics.gauge('voxgate_onlookers', 'Those who look on at sessions.', gauges.observers);
  metrics.gauge(
    'voxgate_eventloop_delay_seconds',
    '99th percentile of the event loop delay since the last look.',
    gauges.loopDelaySeconds,
    'most',
  );
  metrics.gauge(
    'voxgate_thread_used_ratio',
    'Part of the time of the thread that plays.',
    gauges.usedRatio,
    'most',
  );
  metrics.gauge(
    'voxgate_headroom_ratio',
    'What new sessions may still take of that time.',
    gauges.headroomRatio,
    'least',
  );
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of this process.', gauges.residentBytes);

  return {
    sessionOpened: () => opened.add(),
    sessionClosed: (code) => closes.add(1, { code: closeLabel(code) }),
    tick: (latenessMs) => lateness.observe(Math.max(0, latenessMs) / 1000),
    refusedAsBusy: (asker) => refused.add(1, { kind: asker }),
    intakeSpent: (ms) => intakeTime.add(ms / 1000),
    intakeSlowed: () => slowed.add(),
    intakeRefused: (by, limit) => intakeRefused.add(1, { source: by, limit }),
    legEvicted: () => evicted.add(),
    firstAudio: (ms) => ttfa.observe(ms / 1000),
    underrun(gapMs) {
      underruns.add();
      gaps.add(gapMs / 1000);
    },
    turnEnded(outcome, sentMs) {
      ended.add(1, { outcome });
      spoken.add(sentMs / 1000);
    },
  };
}
