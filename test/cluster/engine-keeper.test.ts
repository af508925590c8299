import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../src/base/log.ts';
import { createEngineKeeper } from '../../src/cluster/engine-keeper.ts';
import type { EngineProcess } from '../../src/cluster/engine-process.ts';
import type { EngineNews, EngineOrder } from '../../src/speech/engine-messages.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const brief = { key: { userId: 'u', apiKey: 'secret', perMinute: 0 }, logFrom: 'info' } as const;
const VOICES = [{ id: 'voxgate://voice' }];

function createRig(log: Log = silentLog) {
  const clock = createFakeClock();
  const processes: Fake[] = [];
  const keeper = createEngineKeeper({
    spawn() {
      const process_ = fakeProcess();
      processes.push(process_);
      return process_;
    },
    brief,
    clock,
    log,
  });
  return { clock, keeper, processes, last: () => processes.at(-1)! };
}

type Fake = EngineProcess & {
  readonly orders: EngineOrder[];
  readonly given: unknown[];
  readonly confirm: (() => void)[];
  readonly life: { killed: number };
  tell(news: EngineNews): void;
  exit(why: string): void;
};

function fakeProcess(): Fake {
  let hear = (_news: EngineNews) => {};
  let exit = (_why: string) => {};
  const orders: EngineOrder[] = [];
  const given: unknown[] = [];
  const confirm: (() => void)[] = [];
  const life = { killed: 0 };
  return {
    orders,
    given,
    confirm,
    life,
    order(order, socket, onSent = () => {}) {
      orders.push(order);
      if (socket === undefined) return;
      given.push(socket);
      confirm.push(onSent);
    },
    onNews(listener) {
      hear = listener;
    },
    onExit(listener) {
      exit = listener;
    },
    kill() {
      life.killed += 1;
    },
    tell: (news) => hear(news),
    exit: (why) => exit(why),
  };
}

/** As much of a connection as the keeper looks at. */
function connection() {
  const made = { destroyed: false, destroy: () => (made.destroyed = true) };
  return made as unknown as Socket;
}

describe('the keeper of the engine', () => {
  it('tells the process its key as a message, and its voices are there when it is ready', async () => {
    const { keeper, last } = createRig();
    last().tell({ is: 'hello' });
    expect(last().orders).toEqual([{ is: 'start', ...brief }]);
    expect(keeper.isReady()).toBe(false);
    last().tell({ is: 'ready', voices: VOICES });
    expect(await keeper.started).toEqual(VOICES);
    expect(keeper.isReady()).toBe(true);
  });

  it('lets connections wait while the process is started again, and hands them over then', () => {
    const { clock, keeper, processes, last } = createRig();
    last().tell({ is: 'ready', voices: VOICES });
    last().exit('SIGKILL');
    expect(keeper.isReady()).toBe(false);
    const waiting = connection();
    keeper.take(waiting);
    clock.advance(100);
    expect(processes).toHaveLength(2);
    expect(last().given).toEqual([]);
    last().tell({ is: 'ready', voices: VOICES });
    expect(last().given).toEqual([waiting]);
    expect(waiting.destroyed).toBe(false);
  });

  it('closes what a dying process has not taken', () => {
    const { keeper, last } = createRig();
    last().tell({ is: 'ready', voices: VOICES });
    const [taken, lost] = [connection(), connection()];
    keeper.take(taken);
    keeper.take(lost);
    last().confirm[0]!();
    last().exit('SIGKILL');
    expect([taken.destroyed, lost.destroyed]).toEqual([false, true]);
  });

  it('keeps nobody longer than a minute, and no more than it may', () => {
    const { clock, keeper } = createRig();
    const waiting = Array.from({ length: 513 }, connection);
    for (const each of waiting) keeper.take(each);
    expect(waiting.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    clock.advance(29_000);
    expect(waiting[0]!.destroyed).toBe(false);
    clock.advance(31_000);
    expect(waiting.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('kills a process that does not get ready, and gives the first start up after three', async () => {
    const { clock, keeper, processes, last } = createRig();
    for (let start = 0; start < 3; start += 1) {
      clock.advance(30_000);
      expect(last().life.killed).toBe(1);
      last().exit('SIGKILL');
      clock.advance(1000);
    }
    expect(processes).toHaveLength(3);
    await expect(keeper.started).rejects.toThrow('cannot be started: it was not ready within 30 s.');
    await keeper.stop();
  });

  it('asks it to stop, kills it when it does not, and starts no other', async () => {
    const { clock, keeper, processes, last } = createRig();
    last().tell({ is: 'ready', voices: VOICES });
    const stopped = keeper.stop();
    expect(last().orders.at(-1)).toEqual({ is: 'stop' });
    clock.advance(3000);
    expect(last().life.killed).toBe(1);
    last().exit('SIGKILL');
    await stopped;
    clock.advance(100_000);
    expect(processes).toHaveLength(1);
  });

  it('tells its lines and its deaths to the log, each once', () => {
    const lines: unknown[] = [];
    const keep = (event: string, fields: unknown) => void lines.push([event, fields]);
    const { last } = createRig({ ...silentLog, warn: keep, error: keep });
    last().tell({ is: 'log', level: 'warn', event: 'engine_speaks', fields: { sentences: 1 } });
    last().tell({ is: 'ready', voices: VOICES });
    last().exit('exit 1');
    expect(lines).toEqual([
      ['engine_speaks', { sentences: 1 }],
      ['engine_process_died', { cause: 'exit 1', restMs: 100 }],
    ]);
  });
});
