// A work runner over stores in memory, on a fake clock, with works that do what a test says.

import { storageError } from '../../src/base/app-error.ts';
import { silentLog } from '../../src/base/log.ts';
import { createWorkRunner, type WorkHandler, type WorkProgress } from '../../src/service/work-runner.ts';
import type { NewDelivery } from '../../src/storage/delivery-store.ts';
import { StorageWatch } from '../../src/storage/works/storage-watch.ts';
import type { Stored, Work, WorkKind } from '../../src/storage/works/work.ts';
import type { WorkStore } from '../../src/storage/works/work-store.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createMemoryDeliveryStore } from '../support/memory-delivery-store.ts';
import { createMemoryWorkStore } from '../support/memory-work-store.ts';

/** One doing of a work, until the test or the signal ends it. */
export type Doing = {
  readonly work: Work;
  readonly signal: AbortSignal;
  tell(progress: WorkProgress): void;
  complete(output?: Stored): void;
  fail(error: unknown): void;
};

export type RunnerBenchOptions = {
  readonly mostAtOnce?: number;
  /** Stands between the runner and the store. */
  readonly through?: (store: WorkStore) => WorkStore;
  /** So long a doing needs to stop. */
  readonly stopMs?: number;
};

export function openRunnerBench({
  mostAtOnce = 2,
  through = (store) => store,
  stopMs = 0,
}: RunnerBenchOptions = {}) {
  const clock: FakeClock = createFakeClock();
  const deliveries = createMemoryDeliveryStore();
  const store = createMemoryWorkStore(deliveries);
  const doings: Doing[] = [];
  let disk: 'takes everything' | 'full' = 'takes everything';
  const look = async () => {
    if (disk === 'full') throw storageError('full');
  };
  const storage = new StorageWatch({ probe: { look }, clock, log: silentLog });
  const live = new Map<string, number>();
  const ended: Work[] = [];
  const tidied: Work[] = [];
  const errors: string[] = [];
  const written: NewDelivery[] = [];
  let overlaps = 0;
  let rechecks = 0;
  let made = 0;
  let wallStepMs = 0;

  const toDelivery = (work: Work): NewDelivery => {
    const delivery = {
      id: `msg_${made++}`,
      owner: work.owner,
      url: 'https://hook.example/',
      type: `${work.kind}.${work.status}`,
      body: JSON.stringify({ id: work.id, status: work.status, phase: work.phase, progress: work.progress }),
      createdAtMs: clock.now(),
    };
    written.push(delivery);
    return delivery;
  };
  const handler: WorkHandler = {
    run: (work, tell, signal) =>
      new Promise<Stored>((resolve, reject) => {
        const before = live.get(work.id) ?? 0;
        if (before > 0) overlaps += 1;
        live.set(work.id, before + 1);
        const over = (act: () => void) => {
          live.set(work.id, live.get(work.id)! - 1);
          act();
        };
        let isOver = false;
        const once = (act: () => void) => {
          if (!isOver) over(act);
          isOver = true;
        };
        signal.addEventListener('abort', () => {
          const stop = () => once(() => reject(signal.reason as Error));
          if (isOver) return;
          if (stopMs === 0) stop();
          else clock.after(stopMs, stop);
        });
        doings.push({
          work,
          signal,
          tell,
          complete: (output = {}) => once(() => resolve(output)),
          fail: (error) => once(() => reject(error as Error)),
        });
      }),
    toDelivery,
    async tidy(work) {
      tidied.push(work);
    },
  };
  const open = () =>
    createWorkRunner({
      store: through(store),
      handlers: { tts: handler, playnote: handler },
      mostAtOnce,
      clock,
      unixMs: () => Math.floor(clock.now()) + wallStepMs,
      log: { debug() {}, info() {}, warn() {}, error: (event) => void errors.push(event) },
      storage,
      onDelivery: () => {
        rechecks += 1;
      },
      onEnded: (work) => void ended.push(work),
    });
  let asked = 0;
  return {
    clock,
    store,
    deliveries,
    doings,
    ended,
    tidied,
    errors,
    toDelivery,
    open,
    storage,
    setDisk(state: typeof disk) {
      disk = state;
    },
    /** Somebody sets the wall clock. */
    stepWallClock(ms: number) {
      wallStepMs += ms;
    },
    get overlaps() {
      return overlaps;
    },
    get rechecks() {
      return rechecks;
    },
    /** The doing of `id` that was begun last. */
    doing: (id: string): Doing => doings.filter(({ work }) => work.id === id).at(-1)!,
    async add(owner = 'ann', kind: WorkKind = 'tts', urgency = 0): Promise<string> {
      const id = `work-${asked++}`;
      const created = await store.create({
        id,
        kind,
        owner,
        urgency,
        input: {},
        requestedAtMs: Math.floor(clock.now()),
        mostUnfinished: 1000,
      });
      if (created.kind !== 'created') throw new Error(created.kind);
      return id;
    },
    find: (id: string, owner = 'ann', kind: WorkKind = 'tts') => store.find(owner, kind, id),
    /** Messages in the outbox about `id`, in the order of their writing. */
    async told(id: string, owner = 'ann') {
      const page = await deliveries.list(owner, { limit: 1000, cursor: undefined });
      return page.deliveries
        .map(
          ({ body }) => JSON.parse(body) as { id: string; status: string; phase: string; progress: number },
        )
        .filter((body) => body.id === id)
        .reverse();
    },
  };
}
