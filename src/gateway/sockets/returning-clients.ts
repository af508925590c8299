// The sessions of this process that outlive their connections: which of them wait for their clients, how many of one user
// may, and how a client that comes back finds its own.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type ResumeTokens, sessionGone } from '../../access/resume-tokens.ts';
import type { TokenIssuer } from '../../access/token-issuer.ts';
import { AppError, toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { DialectEntry } from '../../dialects/dialect.ts';
import type { JournalMetrics, SessionJournal } from '../journal/journal-writer.ts';
import type { JournalOpening } from '../journal/session-journal.ts';
import type { Admission, Return, UpgradeSeen } from './admit-upgrade.ts';
import type { ClientConnection } from './client-connection.ts';
import { Resumption } from './resumption.ts';
import type { SessionToTakeOver } from './taking-over.ts';

export type ResumeMetrics = JournalMetrics & {
  /** A session goes on here whose instance is gone. */
  sessionTakenOver(): void;
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
   * such session, or its process is gone. Absent: there is no other process.
   */
  readonly handOver?: (session: string, upgrade: UpgradeRequest) => Promise<boolean>;
  /** Absent: what a session needs to go on is nowhere else. */
  readonly journal?: SessionJournal;
};

export type ReturningClientsOptions = ResumeOptions & {
  readonly tokens: ResumeTokens;
  readonly callers: Pick<TokenIssuer, 'onRevoked'>;
  readonly clock: Clock;
  readonly random: Random;
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
  /** Goes on with a session whose instance is gone. False: nothing is left of it. */
  readonly takeOver: (back: Return, upgrade: UpgradeRequest) => Promise<boolean>;
};

const SALT_BYTES = 16;

export type ReturningClients = {
  /** Of a session that is about to be opened; undefined where it is not to outlive its connection. */
  resumptionFor(
    seat: Pick<Admission, 'userId' | 'seen' | 'outlives' | 'tokenId'> & {
      readonly id: string;
      readonly opening: Pick<JournalOpening, 'dialect' | 'preset' | 'profile'>;
    },
  ): Resumption | undefined;
  /** Of a session that is about to go on here. */
  resumptionOf(session: SessionToTakeOver, seen: UpgradeSeen): Resumption;
  /** The session has been opened; `tokenId`: of the token that let its client in. */
  opened(connection: ClientConnection, tokenId: string | undefined): void;
  /** A client comes back. */
  enter(back: Return, upgrade: UpgradeRequest): void;
  /** Sessions that wait for their clients. */
  waiting(): number;
  /** The session has ended. */
  ended(connection: ClientConnection): void;
};

const leaving = () =>
  new AppError('busy', 'The session is leaving this instance: come back at once.', { retryAfterMs: 100 });

export function createReturningClients(options: ReturningClientsOptions): ReturningClients {
  const { tokens, callers, clock, random, log, resumeMs, maxDetachedPerUser, metrics, handOver } = options;
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
  const goOn = async (back: Return, upgrade: UpgradeRequest, connection: ClientConnection) => {
    const { token, claim, entry } = back;
    const resumption = connection.resumption!;
    const became = await resumption.settled();
    if (upgrade.socket.destroyed) return;
    if (became === 'lost') return goOnElsewhere(back, upgrade);
    if (became === 'released') return options.refuse(upgrade, leaving(), back);
    const refused = resumption.refusal(connection, token.number, claim);
    if (refused !== undefined) return options.refuse(upgrade, refused, back);
    options.shakeHands(upgrade, entry, (socket) => {
      waitsNoMore(connection);
      resumption.comeBack(connection, { socket, wire: upgrade.socket }, claim);
      metrics.sessionResumed();
    });
  };

  const shared = {
    tokens,
    clock,
    log,
    forMs: resumeMs,
    maxBytes: options.maxUnprovenBytes,
    onDetached: waits,
    onGone: () => metrics.sessionGone(),
  };
  /** Sessions that are being taken over. */
  const coming = new Map<string, Promise<boolean>>();
  const takeOver = async (back: Return, upgrade: UpgradeRequest): Promise<boolean> => {
    const { session } = back.token;
    const taking = options.takeOver(back, upgrade);
    coming.set(session, taking);
    try {
      return await taking;
    } finally {
      coming.delete(session);
    }
  };
  async function goOnElsewhere(back: Return, upgrade: UpgradeRequest): Promise<void> {
    const isFound =
      (await handOver?.(back.token.session, upgrade)) === true || (await takeOver(back, upgrade));
    if (!isFound) throw sessionGone();
  }
  const enter = async (back: Return, upgrade: UpgradeRequest): Promise<void> => {
    const { session } = back.token;
    await coming.get(session)?.catch(() => {});
    const own = resumable.get(session);
    return own === undefined ? goOnElsewhere(back, upgrade) : goOn(back, upgrade, own.connection);
  };

  return {
    resumptionFor({ id, userId, seen, outlives, tokenId, opening }) {
      if (!outlives || resumeMs === 0) return undefined;
      const of = { session: id, userId, key: seen.key, caller: tokenId };
      if (options.journal === undefined) return new Resumption({ ...shared, ...of, seen });
      const begins = { ...opening, userId, key: seen.key, caller: tokenId, salt: random.id(SALT_BYTES) };
      const journal = { hold: options.journal.open(id), begins, metrics };
      return new Resumption({ ...shared, ...of, seen, journal });
    },
    resumptionOf({ takenOver, hold, session }, seen) {
      const { userId, key, caller } = takenOver.state.opening;
      const journal = { hold, begins: takenOver.plan.state, metrics };
      metrics.sessionTakenOver();
      return new Resumption({ ...shared, session, userId, key, caller, seen, journal, takenOver });
    },
    opened(connection, tokenId) {
      const { id, resumption } = connection;
      if (resumption === undefined) return;
      const revoke = () => resumption.revoke(connection);
      const forget = tokenId === undefined ? () => {} : callers.onRevoked(tokenId, revoke);
      resumable.set(id, { connection, forget });
    },
    enter(back, upgrade) {
      enter(back, upgrade).catch((thrown: unknown) => options.refuse(upgrade, toAppError(thrown), back));
    },
    waiting: () => [...waiting.values()].reduce((sum, { size }) => sum + size, 0),
    ended(connection) {
      waitsNoMore(connection);
      resumable.get(connection.id)?.forget();
      resumable.delete(connection.id);
    },
  };
}
