// What the connection of one client is given, and what its client is told of that when it begins.

import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { AppError } from '../../base/app-error.ts';
import type { DialectEntry } from '../../dialects/dialect.ts';
import type { EventOf } from '../../dialects/native-events.ts';
import type { SessionRuntime } from '../../session/session-runtime.ts';
import type { TurnSettings } from '../../session/turn-settings.ts';
import type { UpgradeSeen } from './admit-upgrade.ts';
import type { SendBuffer } from './frame-writer.ts';
import type { HeartbeatLimits } from './heartbeat.ts';
import type { IntakeLimits } from './intake-limit.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import type { Resumption } from './resumption.ts';
import type { TimeLimits, TimeShare } from './time-shares.ts';

export type ConnectionLimits = HeartbeatLimits &
  IntakeLimits &
  TimeLimits & {
    /** A session without a message and without audio is closed after this; 0 is never. */
    readonly idleTimeoutMs: number;
    /** Bytes that may wait in this process for one client; a client that lets more pile up is closed. */
    readonly maxBufferedBytes: number;
    /** A socket that takes nothing for this long while audio is due is closed. */
    readonly drainDeadlineMs: number;
    readonly messageBytes: number;
  };

export type ConnectionOptions = {
  readonly id: string;
  readonly userId: string;
  readonly seen: UpgradeSeen;
  /** The name of the wire protocol. */
  readonly dialect: string;
  readonly version: string;
  readonly socket: WebSocket;
  /** What `socket` speaks through. */
  readonly wire: Duplex;
  /** Shared with the server's other connections. */
  readonly sendBuffer: SendBuffer;
  readonly settings: TurnSettings;
  readonly entry: DialectEntry;
  readonly runtime: SessionRuntime;
  readonly limits: ConnectionLimits;
  /** What it may take of this thread's time. */
  readonly share: TimeShare;
  readonly intake: IntakeMetrics;
  /** Absent: the session ends with its socket. */
  readonly resumption: Resumption | undefined;
  onClosed(code: number): void;
};

/** How long a session may say nothing, ms; 0 is for ever. */
export const idleTimeoutOf = ({ entry, limits }: ConnectionOptions): number =>
  entry.idleTimeoutMs ?? limits.idleTimeoutMs;

export const saidNothing = (): AppError =>
  new AppError('idle_timeout', 'Nothing was said for a while; open a new session when needed.');

export const readyEvent = (options: ConnectionOptions): EventOf<'ready'> => {
  const { id, userId, version, runtime, limits, resumption } = options;
  return {
    type: 'ready',
    session: id,
    version,
    attachToken: runtime.legs.tokenFor(userId, id),
    limits: {
      text: runtime.limits.textChars,
      pendingText: runtime.limits.pendingTextChars,
      turnsInFlight: runtime.limits.turnsInFlight,
      messageBytes: limits.messageBytes,
      messagesPerSecond: limits.messagesPerSecond,
      idleTimeoutMs: idleTimeoutOf(options),
    },
    ...(resumption === undefined ? {} : { resume: resumption.renew() }),
  };
};
