// What the processes of one gateway say to each other. The primary owns: quotas, records, the registry of sessions and of
// legs. Players play: every WebSocket and every frame is theirs.

import type { ErrorCode } from '../base/app-error.ts';
import type { LogFields } from '../base/log.ts';
import type { LogEvent } from '../base/log-events.ts';
import type { MetricsSnapshot } from '../base/metrics-snapshot.ts';
import type { LiveView } from '../http/routes/live-view.ts';
import type { ServiceReport } from '../http/routes/operator-routes.ts';
import type { LegWanted } from '../session/leg-broker.ts';
import type { AgentProfile, AgentUse } from '../speech/agent-profile.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import type { HealthAnswer, HealthAsk } from '../upstream/health/shared-health.ts';
import type {
  QuotaAnswer,
  QuotaAsk,
  QuotaId,
  QuotaReport,
  QuotaState,
} from '../upstream/quota/quota-store.ts';

/** The processes that play, from 1. */
export type PlayerNumber = number;

export type LogLine = {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: LogEvent;
  readonly fields: LogFields | undefined;
};

export type ToldQuota = { readonly answer: QuotaAnswer; readonly states: readonly QuotaState[] };

/** A leg by the process whose socket it has; `key` is unique in the gateway. */
export type LegAddress = { readonly key: string; readonly holder: PlayerNumber };

export type PrimaryAsks = {
  /** Refused with `connection_limit` or `busy` when there is no room. */
  readonly enterSession: (session: { readonly id: string; readonly userId: string }) => null;
  /** Which process has the session. */
  readonly findSession: (id: string) => PlayerNumber | undefined;
  readonly askQuota: (ask: QuotaAsk) => ToldQuota;
  readonly quotaStates: (nothing: null) => readonly QuotaState[];
  /** What each process has found of the speech services; the primary passes it on, to other instances, too. */
  readonly exchangeHealth: (ask: HealthAsk) => HealthAnswer;
  readonly findAgent: (agent: {
    readonly userId: string;
    readonly agentId: string;
  }) => AgentProfile | undefined;
  /** Of a service elsewhere, by its name; refused with `upstream_unreachable` while it has never been there. */
  readonly listVoices: (service: string) => readonly ListedVoice[];
};

export type PrimaryNews = {
  /** It listens to this line. */
  readonly hello: null;
  readonly log: LogLine;
  readonly sessionLeft: string;
  readonly quotaReport: {
    readonly quota: QuotaId;
    readonly reservation: string;
    readonly report: QuotaReport;
  };
  readonly quotaReleased: { readonly quota: QuotaId; readonly reservation: string };
  readonly agentUsed: { readonly userId: string; readonly agentId: string; readonly use: AgentUse };
  readonly legArrived: {
    readonly key: string;
    readonly id: string;
    readonly kind: string;
    readonly callId: string | undefined;
    readonly userId: string | undefined;
    readonly token: string | undefined;
  };
  /** It cannot be served, and has gone. */
  readonly legTurnedAway: {
    readonly callId: string | undefined;
    readonly userId: string | undefined;
    readonly token: string | undefined;
    readonly code: ErrorCode;
    readonly message: string;
  };
  readonly legLeft: { readonly key: string; readonly reason: string };
  /** A session of this process lets it go. */
  readonly legReleased: string;
  readonly legWanted: { readonly ask: number; readonly userId: string; readonly wanted: LegWanted };
  readonly legUnwanted: number;
};

/** `Brief`: all that a player needs to know at its start. */
export type PlayerAsks<Brief> = {
  /** Resolves with the ports that it listens on. */
  readonly start: (brief: Brief) => { readonly port: number; readonly audiosocketPort: number };
  /** Takes nothing new, and resolves when what plays has ended or `drainMs` have passed. */
  readonly drain: (drainMs: number) => null;
  readonly stop: (nothing: null) => null;
  readonly metrics: (nothing: null) => MetricsSnapshot;
  readonly pools: (nothing: null) => {
    readonly player: PlayerNumber;
    readonly services: readonly ServiceReport[];
  };
  /** Of one user, or of all. */
  readonly sessions: (of: { readonly userId: string | undefined }) => readonly LiveView[];
  /** False when it has no such session. */
  readonly endSession: (id: string) => boolean;
  readonly revokeToken: (revoked: { readonly id: string; readonly leftMs: number }) => null;
  readonly dialLeg: (wanted: {
    readonly userId: string;
    readonly connectionId: string;
    readonly callSid: string | undefined;
  }) => { readonly id: string; readonly kind: string; readonly callId: string | undefined };
};

export type PlayerNews = {
  /** Something may have become free other than by time. */
  readonly quotaChanged: readonly QuotaState[];
  /** Each time that the primary has read the list of a service. */
  readonly voicesListed: { readonly service: string; readonly ids: readonly string[] };
  readonly legGiven: LegAddress & { readonly ask: number; readonly userId: string };
  /** There is none yet. */
  readonly legAwaited: number;
  readonly legRefused: { readonly ask: number; readonly code: ErrorCode; readonly message: string };
  /** To the one that has its socket: nobody has named it, or nobody has it any more. */
  readonly legEnded: { readonly key: string; readonly why: 'unclaimed' | 'forsaken' };
};
