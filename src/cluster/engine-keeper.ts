// Keeps the process of the embedded engine alive and gives it its connections. The gateway has the port, so that no other
// program can take it while the engine is restarted: connections that come meanwhile wait here, unread.

import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { EngineNews, EngineOrder } from '../speech/engine-messages.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import {
  BORN,
  type EngineAct,
  type EngineEvent,
  type EngineLife,
  reception,
  stepEngineLife,
} from './engine-life.ts';
import type { EngineProcess, SpawnEngine } from './engine-process.ts';

type Held = Pick<Socket, 'destroy' | 'destroyed'>;

export type EngineKeeper<Connection extends Held> = {
  /** The engine's voices, when it is ready for the first time; rejects when it cannot be started. */
  readonly started: Promise<readonly ListedVoice[]>;
  /** A connection that nothing has been read of. */
  take(connection: Connection): void;
  isReady(): boolean;
  /** Lets it finish what it speaks; resolves when the process has ended. */
  stop(): Promise<void>;
};

export type EngineKeeperOptions = {
  readonly spawn: SpawnEngine;
  readonly brief: Omit<Extract<EngineOrder, { is: 'start' }>, 'is'>;
  readonly clock: Clock;
  readonly log: Log;
};

/** Loading and compiling, on a machine that does other things, too. */
const START_MS = 30_000;
const STOP_MS = 3000;
/** As many as one key may have under way, and more. */
const MAX_HELD = 512;
/** By then the caller has given up. */
const MAX_HELD_MS = 60_000;

export function createEngineKeeper(options: EngineKeeperOptions): EngineKeeper<Socket> {
  const { spawn, brief, clock, log } = options;
  const waiting = new Map<Socket, () => void>();
  /** Handed to a process that has not yet confirmed them. */
  const underWay = new Set<Socket>();
  let state: EngineLife = BORN;
  let child: EngineProcess | undefined;
  let cancelTimer = () => {};
  let lastDeath = 'it has not been started';
  /** Why it was killed here; the signal alone would tell nothing. */
  let killedFor: string | undefined;
  let onStarted = (_voices: readonly ListedVoice[]) => {};
  let onFailed = (_error: Error) => {};
  let onEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnded = resolve;
  });
  const started = new Promise<readonly ListedVoice[]>((resolve, reject) => {
    onStarted = resolve;
    onFailed = reject;
  });
  started.catch(() => {}); // reported to the caller that waits for it

  const handOver = (connection: Socket) => {
    underWay.add(connection);
    child?.order({ is: 'connection' }, connection, () => underWay.delete(connection));
  };
  const serve = () => {
    for (const [connection, disarm] of waiting) {
      disarm();
      if (!connection.destroyed) handOver(connection);
    }
    waiting.clear();
  };
  const refuse = () => {
    for (const [connection, disarm] of waiting) {
      disarm();
      connection.destroy();
    }
    waiting.clear();
  };

  const launch = () => {
    const launched = spawn();
    child = launched;
    killedFor = undefined;
    cancelTimer = clock.after(START_MS, () => happen({ is: 'overdue' }));
    launched.onNews((news) => {
      if (child === launched) hear(launched, news);
    });
    launched.onExit((why) => {
      if (child !== launched) return;
      child = undefined;
      cancelTimer();
      for (const connection of underWay) connection.destroy();
      underWay.clear();
      lastDeath = killedFor ?? why;
      happen({ is: 'died', nowMs: clock.now() });
    });
  };
  const hear = (from: EngineProcess, news: EngineNews) => {
    if (news.is === 'log') log[news.level](news.event, news.fields);
    else if (news.is === 'hello') from.order({ is: 'start', ...brief });
    else {
      const before = state;
      happen({ is: 'ready', nowMs: clock.now() });
      if (before.is !== 'starting') return;
      if (before.start === 'again') log.info('engine_process_started');
      onStarted(news.voices);
    }
  };

  const perform = (act: EngineAct) => {
    if (act.do === 'launch') launch();
    else if (act.do === 'kill') {
      if (state.is === 'starting') killedFor = `it was not ready within ${START_MS / 1000} s`;
      child?.kill();
    } else if (act.do === 'serve') {
      cancelTimer();
      serve();
    } else if (act.do === 'refuse') refuse();
    else if (act.do === 'rest') {
      log.error('engine_process_died', { cause: lastDeath, restMs: act.ms });
      cancelTimer = clock.after(act.ms, () => happen({ is: 'rested' }));
    } else if (act.do === 'give-up-start')
      onFailed(new Error(`The embedded speech engine cannot be started: ${lastDeath}.`));
    else if (act.do === 'ask-to-stop') {
      cancelTimer();
      cancelTimer = clock.after(STOP_MS, () => happen({ is: 'overdue' }));
      child?.order({ is: 'stop' });
    } else {
      cancelTimer();
      onFailed(new Error('The embedded speech engine has been stopped.'));
      onEnded();
    }
  };
  const happen = (event: EngineEvent) => {
    const next = stepEngineLife(state, event);
    state = next.state;
    for (const act of next.acts) perform(act);
  };
  launch();

  return {
    started,
    take(connection) {
      const now = reception(state);
      if (now === 'hand-over') return handOver(connection);
      if (now === 'refuse' || waiting.size >= MAX_HELD) return void connection.destroy();
      const disarm = clock.after(MAX_HELD_MS, () => {
        waiting.delete(connection);
        connection.destroy();
      });
      waiting.set(connection, disarm);
    },
    isReady: () => state.is === 'ready',
    stop() {
      happen({ is: 'stop' });
      return ended;
    },
  };
}
