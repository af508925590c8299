// Processes that play, kept alive: with processes that are none, in simulated time.
import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { silentLog } from '../../src/base/log.ts';
import type { PlayerAsks, PlayerNews, PrimaryAsks, PrimaryNews } from '../../src/cluster/messages.ts';
import { type Answers, createPeer } from '../../src/cluster/peer.ts';
import type { PlayerProcess } from '../../src/cluster/player-process.ts';
import { createPlayers, type PlayerPorts, type Players } from '../../src/cluster/players.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createPeerLines } from '../support/peer-lines.ts';

type Brief = { readonly player: number; readonly ports: PlayerPorts | undefined };
type Child = { readonly player: number; readonly brief: () => Brief | undefined; die(why: string): void };

let clock: FakeClock;
let children: Child[];
let gone: number[];
let players: Players<Brief>;
/** What the next ones say when they are told to start. */
let onStart: (brief: Brief) => PlayerPorts;
let onStop: 'stops' | 'hangs';
const PORTS = { port: 4711, audiosocketPort: 0 };

const spawn = (player: number): PlayerProcess => {
  const lines = createPeerLines(clock);
  const exits: ((why: string) => void)[] = [];
  let brief: Brief | undefined;
  let isAlive = true;
  const die = (why: string) => {
    if (!isAlive) return;
    isAlive = false;
    for (const exit of exits) exit(why);
  };
  const answers = {
    start(given: Brief) {
      brief = given;
      return onStart(given);
    },
    drain: () => null,
    stop() {
      if (onStop === 'stops') clock.soon(() => die('exit 0'));
      return null;
    },
    metrics: () => [],
    pools: () => {
      throw new AppError('internal', 'not here');
    },
    sessions: () => [],
    endSession: () => false,
    revokeToken: () => null,
    dialLeg: () => {
      throw new AppError('internal', 'not here');
    },
  } satisfies Answers<PlayerAsks<Brief>>;
  const peer = createPeer<PrimaryAsks, PrimaryNews, PlayerAsks<Brief>, PlayerNews>({
    line: lines.b,
    answers,
    listeners: {
      quotaChanged() {},
      voicesListed() {},
      legGiven() {},
      legAwaited() {},
      legRefused() {},
      legEnded() {},
    },
    clock,
    log: silentLog,
    onStuck() {},
  });
  clock.soon(() => peer.tell('hello', null));
  children.push({ player, brief: () => brief, die });
  return {
    line: lines.a,
    pid: 1,
    onExit: (listener) => void exits.push(listener),
    kill: () => clock.soon(() => die('SIGKILL')),
  };
};

beforeEach(() => {
  clock = createFakeClock();
  [children, gone, onStop] = [[], [], 'stops'];
  onStart = () => PORTS;
  players = createPlayers<Brief>({
    count: 2,
    spawn,
    briefFor: (player, ports) => ({ player, ports }),
    answersFor: () => ({}) as never,
    listenersFor: () => ({}) as never,
    onGone: (player) => gone.push(player),
    clock,
    log: silentLog,
  });
});

/** Messages go to and fro: each step is a turn of the loop. */
async function turns(ms = 20): Promise<void> {
  for (let step = 0; step < 20; step += 1) await clock.run(ms / 20);
}

async function start(): Promise<void> {
  const started = players.start();
  await turns();
  expect(await started).toEqual(PORTS);
}

describe('players', () => {
  it('start one after the first, and stop', async () => {
    await start();
    expect(children.map(({ player }) => player)).toEqual([1, 2]);
    expect(players.all().length).toBe(2);
    const stopped = players.stop();
    await turns();
    await stopped;
    expect(players.all()).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it('are killed when they do not stop', async () => {
    await start();
    onStop = 'hangs';
    const stopped = players.stop();
    await turns(5200);
    await stopped;
    expect(clock.timers).toBe(0);
  });

  it('fail to start with what the first one says', async () => {
    onStart = () => {
      throw new AppError('internal', 'the port is taken');
    };
    const started = expect(players.start()).rejects.toThrow('the port is taken');
    await turns();
    await started;
    const stopped = players.stop();
    await turns();
    await stopped;
    expect(clock.timers).toBe(0);
  });

  it('are started again, after rests that grow until one has lived for a while', async () => {
    await start();
    children[0]!.die('SIGKILL');
    expect(gone).toEqual([1]);
    expect(players.of(1)).toBeUndefined();
    expect(players.of(2)).toBeDefined();
    await turns(900);
    expect(children.length).toBe(2);
    await turns(200);
    expect(children.length).toBe(3);
    expect(players.of(1)).toBeDefined();
    children[2]!.die('SIGKILL');
    await turns(1700);
    expect(children.length).toBe(3);
    await turns(400);
    expect(children.length).toBe(4);
    await turns(31_000);
    children[3]!.die('SIGKILL');
    await turns(700);
    expect(children.length).toBe(5);
  });

  it('ask for the port in the words of those that hold it, and for itself when nobody does', async () => {
    await start();
    expect(children.map(({ brief }) => brief()!.ports)).toEqual([undefined, undefined]);
    children[0]!.die('SIGKILL');
    await turns(1100);
    expect(children[2]!.brief()!.ports).toBeUndefined();
    children[1]!.die('SIGKILL');
    children[2]!.die('SIGKILL');
    await turns(5000);
    expect(children.slice(3).map(({ brief }) => brief()!.ports)).toEqual([PORTS, PORTS]);
  });

  it('are not started again once they drain', async () => {
    await start();
    const drained = players.drain(1000);
    await turns();
    await drained;
    children[0]!.die('exit 0');
    await clock.run(100_000);
    expect(children.length).toBe(2);
  });
});
