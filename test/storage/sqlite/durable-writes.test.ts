import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { SqliteDriver } from '../../../src/storage/sqlite/driver.ts';
import { createDurableWrites } from '../../../src/storage/sqlite/durable-writes.ts';
import { settle } from '../../support/fake-clock.ts';

/** A driver and two files that tell in which order they were asked, and flush when the test says so. */
function setup(
  options: {
    readonly logSizes?: number[];
    readonly isFull?: () => boolean;
    readonly checkHeld?: () => void;
  } = {},
) {
  const told: string[] = [];
  const flushes: { done: () => void; failed: (error: Error) => void }[] = [];
  const broken: unknown[] = [];
  const uncopied: unknown[] = [];
  const sizes = [...(options.logSizes ?? [])];
  const file = (name: string) => ({
    size: () => sizes.shift() ?? 0,
    flush: () =>
      new Promise<void>((done, failed) => {
        told.push(`flush ${name}`);
        flushes.push({ done, failed });
      }),
  });
  const ask = (sql: string) => {
    told.push(sql);
    if (sql.includes('PASSIVE') && options.isFull?.() === true) throw new Error('database or disk is full');
    return [{ busy: 0 }];
  };
  const driver: SqliteDriver = {
    name: 'fake',
    exec: ask,
    run: () => 0,
    all: ask,
    one: (sql) => ask(sql)[0],
    transaction: (work) => work(driver),
    close() {},
  };
  const writes = createDurableWrites({
    driver,
    log: file('log'),
    database: file('database'),
    logBytes: 100,
    soon: (task) => systemClock.soon(task),
    checkHeld() {
      options.checkHeld?.();
    },
    toFault: (error) => error,
    onBroken: (error) => broken.push(error),
    onUncopied: (error) => uncopied.push(error),
  });
  const write = (what: string) => {
    const written = writes.write(() => told.push(what)).then(() => told.push(`${what} is safe`));
    written.catch(() => {});
    return written;
  };
  return {
    ...{ told, broken, uncopied, writes, write },
    /** The flush that was begun first is over. */
    flushed: async () => {
      flushes.shift()!.done();
      await settle();
    },
    failed: async () => {
      flushes.shift()!.failed(new Error('EIO'));
      await settle();
    },
    flushing: () => flushes.length,
  };
}

test('a write is answered when it is flushed; those of the meantime share the next flush', async () => {
  const { told, write, flushed, flushing } = setup();
  void write('a');
  await settle();
  void write('b');
  void write('c');
  await settle();
  expect(told).toEqual(['a', 'flush log', 'b', 'c']);
  await flushed();
  await settle();
  expect(told.slice(4)).toEqual(['a is safe', 'flush log']);
  await flushed();
  expect(told.slice(6)).toEqual(['b is safe', 'c is safe']);
  expect(flushing()).toBe(0);
});

test('a log that is long is emptied in an order that a power cut cannot harm; writes wait', async () => {
  const { told, write, flushed } = setup({ logSizes: [100] });
  void write('a');
  await settle();
  await flushed();
  void write('b');
  await flushed();
  await flushed();
  await flushed();
  expect(told).toEqual([
    ...['a', 'flush log', 'flush log', 'a is safe'],
    ...['PRAGMA wal_checkpoint(PASSIVE)', 'flush database'],
    ...['PRAGMA wal_checkpoint(TRUNCATE)', 'flush log', 'b'],
  ]);
  await settle();
  await flushed();
  expect(told.at(-1)).toBe('b is safe');
});

test('what throws in a write is its own affair', async () => {
  const { writes, write, flushed, flushing } = setup();
  const failing = writes.write(() => {
    throw new Error('not so');
  });
  await expect(failing).rejects.toThrow('not so');
  expect(flushing()).toBe(0);
  const next = write('b');
  await settle();
  await flushed();
  await next;
});

test('what was written and flushed is not answered for when the folder was lost meanwhile', async () => {
  let isHeld = true;
  const checkHeld = () => {
    if (!isHeld) throw new Error('lost');
  };
  const { told, write, writes, flushed } = setup({ checkHeld, logSizes: [100, 100] });
  const late = write('a');
  await settle();
  isHeld = false;
  await flushed();
  await expect(late).rejects.toThrow('lost');
  // Nor is the log brought into a database that somebody else may have by now.
  await flushed();
  await expect(writes.write(() => told.push('b'))).rejects.toThrow('lost');
  expect(told).toEqual(['a', 'flush log', 'flush log']);
});

test('after a disk that failed nothing is said to be safe any more', async () => {
  const { told, broken, writes, write, failed, flushing } = setup();
  const writings = [write('a')];
  await settle();
  writings.push(write('b'));
  await failed();
  for (const writing of writings)
    await expect(writing).rejects.toMatchObject({ code: 'storage_unavailable' });
  await expect(writes.write(() => told.push('c'))).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(told).toEqual(['a', 'flush log', 'b']);
  expect(broken).toEqual([new Error('EIO')]);
  expect(flushing()).toBe(0);
  await writes.close();
});

test('a database that cannot be flushed keeps its log', async () => {
  const { told, broken, write, flushed, failed } = setup({ logSizes: [100] });
  void write('a');
  await settle();
  await flushed();
  const waiting = write('b');
  await flushed();
  await failed();
  await expect(waiting).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(told).not.toContain('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(broken).toHaveLength(1);
});

test('a disk that is too full to empty the log fails no write; it is tried again when the log has grown', async () => {
  let isFull = true;
  const logSizes = [100, 110, 120, 220, 220];
  const { told, broken, uncopied, write, flushed } = setup({ logSizes, isFull: () => isFull });
  const writings: Promise<unknown>[] = [];
  for (const what of ['a', 'b', 'c']) {
    writings.push(write(what));
    for (let i = 0; i < 6; i++) {
      await settle();
      await flushed().catch(() => {});
    }
    if (what === 'b') isFull = false;
  }
  await Promise.all(writings);
  expect(broken).toEqual([]);
  expect(uncopied).toHaveLength(1);
  expect(told.filter((what) => what.includes('PASSIVE'))).toHaveLength(2);
  expect(told).toContain('PRAGMA wal_checkpoint(TRUNCATE)');
});

test('closing waits for what was begun, and refuses the rest', async () => {
  const { told, writes, write, flushed } = setup();
  void write('a');
  const closed = writes.close().then(() => told.push('closed'));
  await expect(writes.write(() => 1)).rejects.toMatchObject({ code: 'shutting_down' });
  await settle();
  expect(told).not.toContain('closed');
  await flushed();
  await closed;
  expect(told).toEqual(['a', 'flush log', 'a is safe', 'closed']);
});
