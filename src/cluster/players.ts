// The processes that play, kept alive: as many as are wanted, each under its number. One that dies takes its sessions with
// it and nothing else; another takes its place after a back-off that grows while it does not stay alive.

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { PlayerAsks, PlayerNews, PlayerNumber, PrimaryAsks, PrimaryNews } from './messages.ts';
import { type Answers, createPeer, type Listeners, type Peer } from './peer.ts';
import type { PlayerProcess, SpawnPlayer } from './player-process.ts';

export type PlayerPorts = { readonly port: number; readonly audiosocketPort: number };
export type PlayerPeer<Brief> = Peer<PlayerAsks<Brief>, PlayerNews>;

export type Players<Brief> = {
  /** Resolves when all of them listen; rejects with the fault of the first one that cannot. */
  start(): Promise<PlayerPorts>;
  /** Those that are there now. */
  all(): readonly PlayerPeer<Brief>[];
  of(player: PlayerNumber): PlayerPeer<Brief> | undefined;
  /** Resolves when they have heard their turns to the end, or `drainMs` have passed. None is started any more. */
  drain(drainMs: number): Promise<void>;
  stop(): Promise<void>;
};

export type PlayersOptions<Brief> = {
  readonly count: number;
  readonly spawn: SpawnPlayer;
  /** What one is told at its start. `ports`: those to ask for; the configured ones unless given. */
  readonly briefFor: (player: PlayerNumber, ports: PlayerPorts | undefined) => Brief;
  readonly answersFor: (player: PlayerNumber) => Answers<PrimaryAsks>;
  readonly listenersFor: (player: PlayerNumber) => Omit<Listeners<PrimaryNews>, 'hello'>;
  /** It has died; everything that is known of it is to be released. */
  readonly onGone: (player: PlayerNumber) => void;
  readonly clock: Clock;
  readonly log: Log;
};

/** Loading and compiling, on a machine that does other things, too. */
const START_MS = 60_000;
const FIRST_REST_MS = 500;
const MAX_REST_MS = 60_000;
/** A process that has lived this long is at first restarted soon. */
const PROVEN_MS = 30_000;
/** Beyond the time that turns get, for telling it. */
const DRAIN_SPARE_MS = 5000;
const STOP_MS = 5000;

type Slot<Brief> = {
  readonly player: PlayerNumber;
  process?: PlayerProcess | undefined;
  peer?: PlayerPeer<Brief> | undefined;
  /** Listens, and is to be asked. */
  isUp: boolean;
  startedAtMs: number;
  restMs: number;
  onExit?: (() => void) | undefined;
};

export function createPlayers<Brief>(options: PlayersOptions<Brief>): Players<Brief> {
  const { clock, log } = options;
  const slots = Array.from(
    { length: options.count },
    (_, index): Slot<Brief> => ({
      player: index + 1,
      isUp: false,
      startedAtMs: 0,
      restMs: FIRST_REST_MS,
    }),
  );
  const timers = new Set<() => void>();
  /** Those that they have. */
  let ports: PlayerPorts | undefined;
  /** Those that they have asked for: "any free port" is the same port only for processes that ask for exactly that. */
  let asked: PlayerPorts | undefined;
  let phase: 'starting' | 'running' | 'stopping' = 'starting';

  const bury = (slot: Slot<Brief>, why: string) => {
    const livedMs = clock.now() - slot.startedAtMs;
    const wasUp = slot.isUp;
    slot.peer?.close();
    slot.peer = undefined;
    slot.process = undefined;
    slot.isUp = false;
    options.onGone(slot.player);
    slot.onExit?.();
    if (phase !== 'running') return;
    slot.restMs = wasUp && livedMs >= PROVEN_MS ? FIRST_REST_MS : Math.min(2 * slot.restMs, MAX_REST_MS);
    log.error('player_died', { player: slot.player, cause: why, restMs: slot.restMs });
    const cancel = clock.after(slot.restMs, () => {
      timers.delete(cancel);
      if (phase !== 'running') return;
      launch(slot).then(
        () => log.info('player_started', { player: slot.player }),
        (fault: unknown) => {
          log.error('player_not_started', { player: slot.player, cause: String(fault) });
          // Its end begins the next back-off.
          slot.process?.kill();
        },
      );
    });
    timers.add(cancel);
  };

  const launch = async (slot: Slot<Brief>): Promise<PlayerPorts> => {
    const { player } = slot;
    // No process holds the port any more that "any" once was.
    if (slots.every((other) => other.process === undefined)) asked = ports;
    const child = options.spawn(player);
    slot.process = child;
    slot.startedAtMs = clock.now();
    const greeted = new Promise<void>((resolve, reject) => {
      const disarm = clock.after(START_MS, () => reject(new Error('it has not said hello in time')));
      slot.peer = createPeer({
        line: child.line,
        answers: options.answersFor(player),
        listeners: {
          ...options.listenersFor(player),
          hello() {
            disarm();
            resolve();
          },
        },
        clock,
        log,
        onStuck: () => child.kill(),
      });
      child.onExit((why) => {
        disarm();
        reject(new Error(`process ${player} has ended (${why})`));
        if (slot.process === child) bury(slot, why);
      });
    });
    await greeted;
    const told = await slot.peer!.ask('start', options.briefFor(player, asked), { deadlineMs: START_MS });
    slot.isUp = true;
    return told;
  };

  const end = (slot: Slot<Brief>): Promise<void> => {
    const { process: child, peer } = slot;
    if (child === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const disarm = clock.after(STOP_MS, () => child.kill());
      slot.onExit = () => {
        disarm();
        resolve();
      };
      peer?.ask('stop', null, { deadlineMs: STOP_MS }).catch(() => child.kill());
    });
  };
  const up = () => slots.filter(({ isUp }) => isUp);

  return {
    async start() {
      // The first one finds the ports; the others share them.
      const [first, ...others] = slots;
      ports = await launch(first!);
      await Promise.all(others.map(launch));
      phase = 'running';
      return ports;
    },
    all: () => up().map(({ peer }) => peer!),
    of: (player) => up().find((slot) => slot.player === player)?.peer,
    async drain(drainMs) {
      phase = 'stopping';
      const deadlineMs = drainMs + DRAIN_SPARE_MS;
      await Promise.all(up().map(({ peer }) => peer!.ask('drain', drainMs, { deadlineMs }).catch(() => {})));
    },
    async stop() {
      phase = 'stopping';
      for (const cancel of timers) cancel();
      await Promise.all(slots.map(end));
    },
  };
}
