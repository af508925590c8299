// Upgrades and the connections that they become. A refusal is an HTTP status at the upgrade, never accept-then-close:
// clients read the first as a reason and the second as a fault to retry.

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError, aboutToStop, toAppError } from '../../base/app-error.ts';
import { fieldMessage } from '../../base/check-fields.ts';
import type { LogFields } from '../../base/log.ts';
import type { DialectEntry } from '../../dialects/dialect.ts';
import type { Player, PlayoutClock } from '../../playout/playout-clock.ts';
import { agentRuntime, agentSettings, type SessionAgent } from '../../session/session-agent.ts';
import type { SessionRuntime } from '../../session/session-runtime.ts';
import { applySettings, type TurnSettings } from '../../session/turn-settings.ts';
import { type LegServer, legKindOf } from '../calls/leg-server.ts';
import {
  type Admission,
  type AdmissionOptions,
  type Answer,
  admitUpgrade,
  checkRoom,
  type Occupancy,
  type Refusal,
  refusalOf,
  refuseUpgrade,
  type UpgradeSeen,
} from './admit-upgrade.ts';
import { ClientConnection } from './client-connection.ts';
import type { ConnectionLimits } from './connection-options.ts';
import { type DrainTimes, drainInTurn } from './drain-in-turn.ts';
import { createSendBuffer } from './frame-writer.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import type { Resumption } from './resumption.ts';
import { createReturningClients, type ResumeOptions, type UpgradeRequest } from './returning-clients.ts';
import { SOCKET_BOUNDS } from './socket-bounds.ts';
import { createSweeper } from './sweeper.ts';
import { takeOver, UNBOUNDED } from './taking-over.ts';
import { createTimeShares } from './time-shares.ts';

export type SocketServerOptions = {
  readonly version: string;
  readonly runtime: SessionRuntime;
  readonly admission: AdmissionOptions;
  /** What a session begins with. */
  readonly settings: TurnSettings;
  /** Undefined when this user has no agent with this id. */
  readonly findAgent: (userId: string, agentId: string) => Promise<SessionAgent | undefined>;
  /**
   * Reserves room for a session where several processes share it: rejects with the
   * refusal, or answers with what is to be called when it has ended. Absent: there is no other process.
   */
  readonly enlist?: (session: { readonly id: string; readonly userId: string }) => Promise<() => void>;
  readonly limits: ConnectionLimits;
  readonly resume: ResumeOptions;
  /** Takes the upgrades of telephony platforms. */
  readonly legs: Pick<LegServer, 'takes' | 'upgrade'>;
  readonly intake: IntakeMetrics;
  onOpened(dialect: string): void;
  onClosed(code: number, dialect: string): void;
};

/** Which callers may come in, and with what. */
type Seat = {
  /** Of the session to come. */
  readonly id: string;
  readonly userId: string;
  readonly agent: SessionAgent | undefined;
  readonly settings: TurnSettings;
  readonly dialect: string;
  readonly entry: DialectEntry;
  readonly seen: UpgradeSeen;
  readonly tokenId: string | undefined;
  readonly resumption: Resumption | undefined;
  /** Gives back the room that `enlist` has reserved. */
  readonly leave: () => void;
};

export type SocketServer = {
  attach(server: Server): void;
  /** An upgrade that another process has handed over. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sessions that wait for their clients to come back. */
  waiting(): number;
  readonly connections: ReadonlySet<ClientConnection>;
  /** Ends the connection that `player` plays to: the clock does not call it again, so it would only hang. */
  failed(player: Player): void;
  /** Refuses upgrades, tells every session, and resolves when all have closed or `deadlineMs` have passed. */
  drain(times: DrainTimes): Promise<void>;
  close(): void;
};

export function createSocketServer(options: SocketServerOptions): SocketServer {
  const { runtime, limits } = options;
  const { clock } = runtime;
  const connections = new Set<ClientConnection>();
  const perUser = new Map<string, number>();
  const shareOf = createTimeShares(limits);
  const sendBuffer = createSendBuffer();
  const ownerOf = new WeakMap<Player, ClientConnection>();
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let onDrained = () => {};

  const socketOptions = {
    ...SOCKET_BOUNDS,
    maxPayload: limits.messageBytes,
    handleProtocols: (_offered: ReadonlySet<string>, request: IncomingMessage) =>
      entering.get(request)?.entry.protocol ?? false,
  };
  const entering = new WeakMap<IncomingMessage, { readonly entry: DialectEntry; readonly id?: string }>();
  const sockets = new WebSocketServer(socketOptions);
  sockets.on('headers', (lines, request) => {
    const seat = entering.get(request);
    for (const [name, value] of Object.entries(seat?.entry.sessionHeaders?.(seat.id ?? '') ?? {}))
      lines.push(`${name}: ${value}`);
  });

  const sweeper = createSweeper(clock, (nowMs) => {
    for (const connection of connections) connection.sweep(nowMs);
    return connections.size > 0 ? 'more' : 'none';
  });

  const admit = (request: IncomingMessage): Answer => {
    if (phase !== 'open') return { ok: false, refusal: refusalOf(aboutToStop(), undefined, {}) };
    return admitUpgrade(request, options.admission, occupancy());
  };
  const occupancy = (): Occupancy => ({
    connections: connections.size,
    connectionsOf: (userId) => perUser.get(userId) ?? 0,
    refusal: () => runtime.admission.refusal('session'),
  });

  const findAgent = async (userId: string, agentId: string): Promise<SessionAgent> => {
    const agent = await options.findAgent(userId, agentId);
    if (agent === undefined)
      throw new AppError(
        'not_found',
        fieldMessage({
          field: 'agent',
          allowed: 'there is no agent of this id',
          name: agentId,
          todo: 'POST /api/v1/agents makes one and tells its id',
        }),
        { field: 'agent' },
      );
    return agent;
  };
  /** Throws `invalid_request` when the settings do not go together. */
  const takeSeat = (admission: Admission, agent: SessionAgent | undefined): Seat => {
    const { userId, preset, dialect, entry, seen, outlives, tokenId } = admission;
    const own = { ...options.settings, tenant: userId };
    const base = agent === undefined ? own : agentSettings(own, agent.profile);
    const settings = applySettings(base, preset);
    const id = runtime.random.id(16);
    const opening = { dialect, preset, profile: agent?.profile };
    const resumption = returning.resumptionFor({ id, userId, seen, outlives, tokenId, opening });
    return { id, userId, agent, settings, dialect, entry, seen, tokenId, resumption, leave: () => {} };
  };

  const refuse = (socket: Duplex, refusal: Refusal, more: LogFields = {}) =>
    refuseUpgrade(socket, refusal, runtime, more);

  const shakeHands = (
    { request, socket, head }: UpgradeRequest,
    seat: Pick<Seat, 'entry'> & { readonly id?: string },
    opened: (webSocket: WebSocket) => void,
  ) => {
    entering.set(request, seat);
    sockets.handleUpgrade(request, socket, head, opened);
  };
  const returning = createReturningClients({
    ...options.resume,
    tokens: options.admission.resumeTokens,
    callers: options.admission.tokens,
    clock,
    random: runtime.random,
    log: runtime.log,
    // A client that is behind by as much would be closed as one that does not read.
    maxUnprovenBytes: Math.min(runtime.limits.spoolBytes, 0.75 * limits.maxBufferedBytes),
    shakeHands: (upgrade, entry, opened) => shakeHands(upgrade, { entry }, opened),
    refuse: ({ socket }, error, { entry, seen }) => refuse(socket, refusalOf(error, entry, seen)),
    async takeOver(back, upgrade) {
      const { journal } = options.resume;
      if (journal === undefined) return false;
      const { entry, seen, token } = back;
      const { userId, session: id } = token;
      checkRoom(userId, options.admission, occupancy());
      const session = await takeOver({ journal, runtime, settings: options.settings }, back);
      if (session === undefined) return false;
      const { settings, agent, takenOver } = session;
      const { dialect, caller: tokenId } = takenOver.state.opening;
      const leave = (await options.enlist?.({ id, userId })) ?? (() => {});
      const resumption = returning.resumptionOf(session, seen);
      const seat: Seat = { id, userId, agent, settings, dialect, entry, seen, tokenId, resumption, leave };
      // Its client has given up meanwhile: it comes back to any instance.
      const giveBack = () => {
        leave();
        session.hold.release().catch(() => {});
      };
      letIn(upgrade, seat, giveBack);
      return true;
    },
  });

  /** A peer that leaves before the handshake is over never becomes a session. */
  const letIn = (upgrade: UpgradeRequest, seat: Seat, giveBack: () => void) => {
    const { socket } = upgrade;
    if (socket.destroyed) return giveBack();
    socket.once('close', giveBack);
    shakeHands(upgrade, seat, (webSocket) => {
      // One that outlives its socket leaves when it ends.
      if (seat.resumption !== undefined) socket.off('close', giveBack);
      open(webSocket, socket, seat);
    });
  };
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A peer that resets before the handshake must not end the process.
    const onError = () => socket.destroy();
    socket.on('error', onError);
    const upgrade = { request, socket, head };
    const seated = (seat: Seat) => letIn(upgrade, seat, seat.leave);
    const enter = (answer: Answer, agent: SessionAgent | undefined) => {
      if (!answer.ok) return refuse(socket, answer.refusal);
      const { entry, seen } = answer.admission;
      try {
        const seat = takeSeat(answer.admission, agent);
        if (options.enlist === undefined) return seated(seat);
        options
          .enlist(seat)
          .then((leave) => {
            const again = admit(request);
            if (again.ok) return seated({ ...seat, leave });
            leave();
            refuse(socket, again.refusal);
          })
          .catch((thrown: unknown) => refuse(socket, refusalOf(toAppError(thrown), entry, seen)));
      } catch (thrown) {
        refuse(socket, refusalOf(toAppError(thrown), entry, seen));
      }
    };
    if (phase === 'open' && options.legs.takes(request.url ?? '')) {
      try {
        options.legs.upgrade(request, socket, head);
      } catch (thrown) {
        const error = toAppError(thrown);
        const leg = legKindOf(request.url ?? '');
        refuse(socket, refusalOf(error, undefined, {}), { leg, because: error.message });
      }
      return;
    }
    const answer = admit(request);
    if (answer.ok && answer.admission.back !== undefined)
      return returning.enter(answer.admission.back, upgrade);
    if (!answer.ok || answer.admission.agentId === undefined) return enter(answer, undefined);
    const { userId, agentId, entry, seen } = answer.admission;
    // The slot is checked again afterwards: others may have taken it meanwhile.
    findAgent(userId, agentId)
      .then((agent) => enter(admit(request), agent))
      .catch((thrown: unknown) => refuse(socket, refusalOf(toAppError(thrown), entry, seen)));
  };

  /** The shared clock as one connection sees it: what joins is recorded as its player. */
  const clockOf = (owner: () => ClientConnection): PlayoutClock => ({
    ...runtime.playout,
    join(player) {
      ownerOf.set(player, owner());
      runtime.playout.join(player);
    },
  });

  const open = (socket: WebSocket, wire: Duplex, seat: Seat) => {
    const { id, userId, settings, agent, dialect, entry, seen, resumption, tokenId } = seat;
    const bounds = { ...runtime.limits, ...(resumption?.isTakenOver() === true && UNBOUNDED) };
    const ownRuntime = { ...runtime, limits: bounds, playout: clockOf(() => connection) };
    perUser.set(userId, (perUser.get(userId) ?? 0) + 1);
    const connection: ClientConnection = new ClientConnection({
      id,
      userId,
      seen,
      dialect,
      version: options.version,
      socket,
      wire,
      sendBuffer,
      settings,
      entry,
      runtime: agent === undefined ? ownRuntime : agentRuntime(ownRuntime, agent),
      limits,
      share: shareOf(userId),
      intake: options.intake,
      resumption,
      onClosed(code) {
        connections.delete(connection);
        returning.ended(connection);
        if (resumption !== undefined) seat.leave();
        const left = (perUser.get(userId) ?? 1) - 1;
        if (left > 0) perUser.set(userId, left);
        else perUser.delete(userId);
        options.onClosed(code, dialect);
        onDrained();
      },
    });
    connections.add(connection);
    returning.opened(connection, tokenId);
    resumption?.goOn();
    Object.assign(bounds, runtime.limits);
    runtime.admission.opened();
    agent?.used({ sessions: 1 });
    options.onOpened(dialect);
    sweeper.start();
    if (resumption?.isTakenOver() === true) return;
    if (agent?.profile.greeting != null && entry.greets !== 'no') connection.greet(agent.profile.greeting);
  };

  return {
    attach(server) {
      server.on('upgrade', onUpgrade);
    },
    upgrade: onUpgrade,
    waiting: () => returning.waiting(),
    connections,
    failed(player) {
      ownerOf.get(player)?.fail();
    },
    drain(times) {
      phase = 'draining';
      const cancelTelling = drainInTurn(connections, times, clock);
      return new Promise((resolve) => {
        const end = () => {
          cancelDeadline();
          cancelTelling();
          for (const connection of connections) connection.close('shutting_down');
          resolve();
        };
        const cancelDeadline = clock.after(times.deadlineMs, end);
        onDrained = () => {
          if (connections.size === 0) end();
        };
        onDrained();
      });
    },
    close() {
      phase = 'closed';
      sweeper.stop();
      for (const connection of connections) connection.close('shutting_down');
      sockets.close();
    },
  };
}
