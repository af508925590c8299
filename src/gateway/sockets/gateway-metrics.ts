// The figures that tell how the gateway is doing; docs/operations.md says what each one means.

import { ERROR_TABLE } from '../../base/app-error.ts';
import type { Metrics } from '../../base/metrics.ts';
import { DIALECTS } from '../../dialects/dialects.ts';
import { OUTCOMES } from '../../dialects/native-events.ts';
import { audioSocketLeg } from '../../legs/audiosocket-leg.ts';
import { LEGS } from '../../legs/legs.ts';
import { SPEECH_ASKERS, type SpeechAsker } from '../../session/admission-control.ts';
import type { SessionMetrics } from '../../session/session-runtime.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import type { ResumeMetrics } from './returning-clients.ts';

export type GatewayMetrics = SessionMetrics &
  IntakeMetrics &
  ResumeMetrics & {
    readonly sessionOpened: (dialect: string) => void;
    readonly sessionClosed: (code: number, dialect: string) => void;
    /** How much later than its deadline a tick of the playout clock ran. */
    readonly tick: (latenessMs: number) => void;
    readonly refusedAsBusy: (asker: SpeechAsker) => void;
  };

/** Read at each scrape. */
export type GatewayGauges = {
  readonly sessions: () => number;
  readonly detachedSessions: () => number;
  readonly turns: () => number;
  readonly bufferedBytes: () => number;
  readonly observers: () => number;
  readonly loopDelaySeconds: () => number;
  readonly usedRatio: () => number;
  readonly headroomRatio: () => number;
};

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10] as const;
/** Fine where a tick belongs, so that a quantile read from them means something. */
const LATENESS_SECONDS = [
  0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.01, 0.015, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
] as const;

/** Clients choose codes too, four thousand of them: what neither RFC 6455 7.4.1 nor our table knows is `other`. */
const OWN_CLOSE_CODES = Object.values(ERROR_TABLE).map(({ close }) => close);
const RFC_CLOSE_CODES = Array.from({ length: 16 }, (_, i) => 1000 + i);
const CLOSE_CODES = [...new Set([...RFC_CLOSE_CODES, ...OWN_CLOSE_CODES])].map(String);
const DIALECT_NAMES = DIALECTS.map(({ name }) => name);
const LEG_KINDS = [...LEGS, audioSocketLeg].map(({ kind }) => kind);

export function createGatewayMetrics(metrics: Metrics, gauges: GatewayGauges): GatewayMetrics {
  const opened = metrics.counter('voxgate_sessions_opened_total', 'Sessions opened.');
  const dialects = { dialect: DIALECT_NAMES };
  const openedOf = metrics.counters(
    'voxgate_dialect_sessions_opened_total',
    'Sessions opened, by the protocol that their client speaks.',
    dialects,
  );
  const openOf = new Population(DIALECT_NAMES);
  metrics.gauges(
    'voxgate_dialect_sessions',
    'Open sessions, by the protocol that their client speaks.',
    dialects,
    () => openOf.counts('dialect'),
  );
  const legs = { kind: LEG_KINDS };
  const legsStarted = metrics.counters('voxgate_legs_started_total', 'Legs that have begun, by kind.', legs);
  const legsOf = new Population(LEG_KINDS);
  metrics.gauges('voxgate_legs', 'Legs that have begun and not ended, by kind.', legs, () =>
    legsOf.counts('kind'),
  );
  const closes = metrics.counters('voxgate_ws_closes_total', 'Sessions closed, by WebSocket close code.', {
    code: [...CLOSE_CODES, 'other'],
  });
  const ended = metrics.counters('voxgate_turns_total', 'Turns ended, by outcome.', {
    outcome: [...OUTCOMES, 'left'],
  });
  const spoken = metrics.counter('voxgate_audio_seconds_total', 'Seconds of audio sent.');
  const underruns = metrics.counter('voxgate_playback_underruns_total', 'Times a listener ran dry.');
  const gaps = metrics.counter('voxgate_underrun_seconds_total', 'Seconds for which listeners ran dry.');
  const refused = metrics.counters(
    'voxgate_busy_refusals_total',
    'Sessions, turns, legs and replies refused because the thread has no time left for them, by kind.',
    { kind: SPEECH_ASKERS },
  );
  const intakeTime = metrics.counter(
    'voxgate_intake_seconds_total',
    'Time of the thread that plays in which messages of clients and legs were handled.',
  );
  const slowed = metrics.counter(
    'voxgate_intake_slowed_total',
    'Times a client or a leg was beyond its budget of time, so that its messages waited.',
  );
  const intakeRefused = metrics.counters(
    'voxgate_intake_refusals_total',
    'Clients and legs closed for sending too much, by source and limit.',
    { source: ['session', 'leg'], limit: ['volume', 'time'] },
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
  metrics.gauge(
    'voxgate_sessions_detached',
    'Open sessions that wait for a client that has lost its connection.',
    gauges.detachedSessions,
  );
  const resumed = metrics.counter(
    'voxgate_sessions_resumed_total',
    'Times a client came back to its session.',
  );
  const gone = metrics.counter(
    'voxgate_sessions_gone_total',
    'Sessions that ended because their client did not come back.',
  );
  const takenOver = metrics.counter(
    'voxgate_sessions_taken_over_total',
    'Sessions that went on here because their instance was gone.',
  );
  const journalBytes = metrics.counter('voxgate_journal_bytes_total', 'Written into journals of sessions.');
  const journalWrites = metrics.counter('voxgate_journal_writes_total', 'Writes into journals of sessions.');
  const unjournaled = metrics.counter(
    'voxgate_sessions_unjournaled_total',
    'Sessions that have more to remember than a journal takes, and end with their instance.',
  );
  metrics.gauge('voxgate_turns', 'Turns that have not been heard to their end.', gauges.turns);
  metrics.gauge(
    'voxgate_buffered_bytes',
    'Audio and messages that wait in this process.',
    gauges.bufferedBytes,
  );
  metrics.gauge('voxgate_onlookers', 'Those who look on at sessions.', gauges.observers);
  metrics.gauge(
    'voxgate_eventloop_delay_seconds',
    '99th percentile of the event loop delay in the worst quarter of the last minute.',
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

  return {
    sessionOpened(dialect) {
      opened.add();
      openedOf.add(1, { dialect });
      openOf.came(dialect);
    },
    sessionClosed(code, dialect) {
      closes.add(1, { code: String(code) });
      openOf.left(dialect);
    },
    sessionResumed: () => resumed.add(),
    sessionGone: () => gone.add(),
    sessionTakenOver: () => takenOver.add(),
    journalWritten(bytes) {
      journalWrites.add();
      journalBytes.add(bytes);
    },
    journalLeft: () => unjournaled.add(),
    tick: (latenessMs) => lateness.observe(Math.max(0, latenessMs) / 1000),
    refusedAsBusy: (asker) => refused.add(1, { kind: asker }),
    intakeSpent: (ms) => intakeTime.add(ms / 1000),
    intakeSlowed: () => slowed.add(),
    intakeRefused: (by, limit) => intakeRefused.add(1, { source: by, limit }),
    legStarted(kind) {
      legsStarted.add(1, { kind });
      legsOf.came(kind);
    },
    legOver: (kind) => legsOf.left(kind),
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

/** How many there are of each kind now. */
class Population {
  private readonly numbers: Map<string, number>;

  constructor(kinds: readonly string[]) {
    this.numbers = new Map(kinds.map((kind) => [kind, 0]));
  }

  came(kind: string): void {
    this.numbers.set(kind, (this.numbers.get(kind) ?? 0) + 1);
  }
  left(kind: string): void {
    this.numbers.set(kind, (this.numbers.get(kind) ?? 0) - 1);
  }
  counts<Label extends string>(label: Label): (readonly [Readonly<Record<Label, string>>, number])[] {
    return [...this.numbers].map(
      ([kind, count]) => [{ [label]: kind } as Record<Label, string>, count] as const,
    );
  }
}
