// The sessions of this process that outlive their connections: which of them wait for their clients, how many of one user
// may, and how a client that comes back finds its own.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { ResumeTokens } from '../../access/resume-tokens.ts';
import type { TokenIssuer } from '../../access/token-issuer.ts';
import { type AppError, toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { DialectEntry } from '../../dialects/dialect.ts';
import type { Admission, Return } from './admit-upgrade.ts';
import type { ClientConnection } from './client-connection.ts';
import { Resumption, sessionGone } from './resumption.ts';

export type ResumeMetrics = {
  sessionResumed(): void;
  /** Its client has not come back. */
  sessionGone(): void;
};

export type UpgradeRequest = {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
};

export type ResumeOptions = {
  /** How long a session waits for its client, ms; 0: no session outlives its connection. */
  readonly resumeMs: number;
  /** Sessions of one user that wait; with one more, the one that has waited longest is ended. */
  readonly maxDetachedPerUser: number;
  readonly metrics: ResumeMetrics;
  /**
   * Where several processes share the sessions: hands an upgrade over to the one that has the session. False: there is no
   * such session. Absent: there is no other process.
   */
  readonly handOver?: (session: string, upgrade: UpgradeRequest) => Promise<boolean>;
};

export type ReturningClientsOptions = ResumeOptions & {
  readonly tokens: ResumeTokens;
  readonly callers: Pick<TokenIssuer, 'onRevoked'>;
  readonly clock: Clock;
  readonly log: Log;
  /** What one session may keep until it is proven received. */
  readonly maxUnprovenBytes: number;
  /** Answers the upgrade, and gives its socket. */
  readonly shakeHands: (
    upgrade: UpgradeRequest,
    entry: DialectEntry,
    opened: (socket: WebSocket) => void,
  ) => void;
  readonly refuse: (upgrade: UpgradeRequest, error: AppError, of: Return) => void;
};

export type ReturningClients = {
  /** Of a session that is about to be opened; undefined where it is not to outlive its connection. */
  resumptionFor(
    seat: Pick<Admission, 'userId' | 'seen' | 'outlives' | 'tokenId'> & { readonly id: string },
  ): Resumption | undefined;
  /** The session has been opened; `tokenId`: of the token that let its client in. */
  opened(connection: ClientConnection, tokenId: string | undefined): void;
  /** A client comes back. */
  enter(back: Return, upgrade: UpgradeRequest): void;
  /** Sessions that wait for their clients. */
  waiting(): number;
  /** The session has ended. */
  ended(connection: ClientConnection): void;
};

export function createReturningClients(options: ReturningClientsOptions): ReturningClients {
  const { tokens, callers, clock, log, resumeMs, maxDetachedPerUser, metrics, handOver } = options;
  const resumable = new Map<string, { readonly connection: ClientConnection; readonly forget: () => void }>();
  /** Those of each user that wait, the one that has waited longest first. */
  const waiting = new Map<string, Set<ClientConnection>>();

  const waitsNoMore = (connection: ClientConnection) => {
    const mine = waiting.get(connection.userId);
    mine?.delete(connection);
    if (mine?.size === 0) waiting.delete(connection.userId);
  };
  const waits = ({ id }: { readonly id: string }) => {
    const { connection } = resumable.get(id)!;
    const mine = waiting.get(connection.userId) ?? new Set();
    waiting.set(connection.userId, mine.add(connection));
    const [longest] = mine;
    if (mine.size > maxDetachedPerUser) longest?.resumption?.vanish(longest);
  };
  const goOn = (back: Return, upgrade: UpgradeRequest, connection: ClientConnection) => {
    const { token, claim, entry } = back;
    const resumption = connection.resumption!;
    const refused = resumption.refusal(connection, token.number, claim);
    if (refused !== undefined) return options.refuse(upgrade, refused, back);
    options.shakeHands(upgrade, entry, (socket) => {
      waitsNoMore(connection);
      resumption.comeBack(connection, { socket, wire: upgrade.socket }, claim);
      metrics.sessionResumed();
    });
  };

  return {
    resumptionFor({ id, userId, seen, outlives, tokenId }) {
      if (!outlives || resumeMs === 0) return undefined;
      return new Resumption({
        session: id,
        userId,
        key: seen.key,
        caller: tokenId,
        seen,
        tokens,
        clock,
        log,
        forMs: resumeMs,
        maxBytes: options.maxUnprovenBytes,
        onDetached: waits,
        onGone: () => metrics.sessionGone(),
      });
    },
    opened(connection, tokenId) {
      const { id, resumption } = connection;
      if (resumption === undefined) return;
      const revoke = () => resumption.revoke(connection);
      const forget = tokenId === undefined ? () => {} : callers.onRevoked(tokenId, revoke);
      resumable.set(id, { connection, forget });
    },
    enter(back, upgrade) {
      const { session } = back.token;
      const own = resumable.get(session);
      if (own !== undefined) return goOn(back, upgrade, own.connection);
      const gone = (error: AppError) => options.refuse(upgrade, error, back);
      if (handOver === undefined) return gone(sessionGone());
      handOver(session, upgrade).then(
        (isFound) => {
          if (!isFound) gone(sessionGone());
        },
        (thrown: unknown) => gone(toAppError(thrown)),
      );
    },
    waiting: () => [...waiting.values()].reduce((sum, { size }) => sum + size, 0),
    ended(connection) {
      waitsNoMore(connection);
      resumable.get(connection.id)?.forget();
      resumable.delete(connection.id);
    },
  };
}
