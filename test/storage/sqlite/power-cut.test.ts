// What is left when the power goes: of a file, what was flushed for sure; of what was written since, any block or none.
// The flushes of the program are made to say when they happen, and the files are left as such a disk would leave them.

import { fstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { openSqliteDatabase } from '../../../src/storage/sqlite-database.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const BLOCK = 4096;
const DATABASE = 'records/voxgate.db';
/** Real turns of the event loop, and no time that passes. */
const CLOCK = { ...createFakeClock(), soon: (task: () => void) => systemClock.soon(task) };
const LOG = `${DATABASE}-wal`;
const FILES = [DATABASE, LOG];
const MOVE = "UPDATE silenced SET owner = owner || '.' WHERE silenced_at = ?";
/** At the start of this flush of this file. */
type CutAt = { readonly file: string; readonly flush: number };
const INSERT = "INSERT INTO silenced (owner, url, silenced_at) VALUES ('ann', ?, ?)";

/**
 * What the disk holds of a file that was flushed as `flushed` and then written to be `written`. Blocks come in any
 * order; that a file was emptied is one entry of the file system's journal, and happened or did not.
 */
function leftOf(flushed: Buffer, written: Buffer, chance: () => boolean): Buffer {
  const left = Buffer.alloc(chance() ? written.length : flushed.length);
  if (written.length === 0 && left.length > 0) return flushed;
  for (let at = 0; at < left.length; at += BLOCK) {
    const source = chance() ? written : flushed;
    if (at < source.length) source.copy(left, at, at, Math.min(at + BLOCK, left.length));
  }
  return left;
}

test('what was acknowledged outlives a power cut', async () => {
  const root = scratchFolder('power');
  let opened = 0;
  let databaseFlushes = 0;

  const open = async (dataDir: string, onFlush: (name: string) => Promise<void>) => {
    const inodes = new Map<number, string>();
    const database = await openSqliteDatabase({
      ...{ dataDir, driver: 'wasm', clock: CLOCK, log: silentLog, logBytes: 40_000 },
      flush: (file) => onFlush(inodes.get(fstatSync(file.fd).ino)!),
    });
    for (const name of FILES) inodes.set(statSync(join(dataDir, name)).ino, name);
    return database;
  };

  /** Some who write, now in step and now not, and what a disk has that loses power at the start of this flush. */
  const writeUntilCut = async (writes: number, cutAt: CutAt, next: () => number, keptShare: number) => {
    const chance = () => next() < keptShare;
    const dataDir = join(root, `${opened++}`);
    const contentOf = (name: string) => readFileSync(join(dataDir, name));
    const disk = new Map<string, Buffer>();
    const acknowledged: number[] = [];
    let flushes = 0;
    let cut: { readonly sure: number[]; readonly left: Map<string, Buffer> } | undefined;
    const loseOrKeep = () => ({
      sure: [...acknowledged],
      left: new Map(FILES.map((name) => [name, leftOf(disk.get(name)!, contentOf(name), chance)])),
    });
    const database = await open(dataDir, async (name) => {
      // What was written before a flush was asked for is on the disk when it is over; for more there is no promise.
      const written = contentOf(name);
      if (name === DATABASE) databaseFlushes += 1;
      if (name === cutAt.file && flushes++ === cutAt.flush) cut = loseOrKeep();
      for (let turns = 3 * next(); turns > 0; turns--) await settle();
      disk.set(name, written);
    });
    // SQLite itself has flushed what opening wrote.
    for (const name of FILES) disk.set(name, contentOf(name));
    const write = async (from: number) => {
      for (let n = from; n < from + writes; n++) {
        for (let turns = 5 * next() - 2; turns > 0; turns--) await settle();
        await database.write((sql) => {
          sql.run(INSERT, `${n} ${'x'.repeat(5_000)}`, n);
          // And one from long ago, on pages of its own.
          sql.run(MOVE, acknowledged[Math.floor(next() * acknowledged.length)] ?? 0);
        });
        acknowledged.push(n);
      }
    };
    await Promise.all([write(1_000), write(2_000), write(3_000)]);
    cut ??= loseOrKeep();
    await database.close();
    return cut;
  };

  const plan = fc.record({
    writes: fc.integer({ min: 1, max: 20 }),
    cutAt: fc.oneof(
      fc.record({ file: fc.constant(LOG), flush: fc.integer({ min: 0, max: 40 }) }),
      fc.record({ file: fc.constant(DATABASE), flush: fc.integer({ min: 0, max: 4 }) }),
    ),
    seed: fc.nat(),
    keptShare: fc.constantFrom(0.1, 0.5, 0.9),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ writes, cutAt, seed, keptShare }) => {
      const { sure, left } = await writeUntilCut(writes, cutAt, seededNumbers(seed, 0), keptShare);
      const dataDir = join(root, `${opened++}`);
      mkdirSync(join(dataDir, 'records'), { recursive: true });
      for (const [name, content] of left) writeFileSync(join(dataDir, name), content);
      const database = await open(dataDir, async () => {});
      const there = database.read.all('SELECT silenced_at AS n FROM silenced').map(({ n }) => n);
      const integrity = database.read.one('PRAGMA integrity_check');
      await database.close();
      expect(integrity).toEqual({ integrity_check: 'ok' });
      expect(there).toEqual(expect.arrayContaining(sure));
    }),
    { numRuns: 25, endOnFailure: true },
  );
  rmSync(root, { recursive: true });
  expect(databaseFlushes).toBeGreaterThan(5);
}, 60_000);
