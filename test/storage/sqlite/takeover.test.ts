// A process that fell silent and wakes up while another has its folder. Both are played by one process here, told apart by
// where they are said to run.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { replaceByCopy } from '../../../src/storage/sqlite/own-copy.ts';
import { openWasmDriver } from '../../../src/storage/sqlite/wasm-driver.ts';
import { openSqliteDatabase, type SqliteDatabaseOptions } from '../../../src/storage/sqlite-database.ts';
import { createFileWorkFiles } from '../../../src/storage/works/file-work-files.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { sqliteDrivers } from '../../support/record-stores.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const INSERT = "INSERT INTO silenced (owner, url, silenced_at) VALUES ('ann', ?, 0)";
const ID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

let dataDir: string;
beforeEach(() => {
  dataDir = scratchFolder('takeover');
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const path = () => join(dataDir, 'records/voxgate.db');
const processAt = (space: string) => ({ self: { pid: 7, started: '700', space }, startOf: () => undefined });

/** On a clock of its own: one that stands still is a process that sleeps. */
function open(space: string, options: Partial<SqliteDatabaseOptions> = {}) {
  const clock = createFakeClock();
  const opening = openSqliteDatabase({
    dataDir,
    clock: { ...clock, soon: (task) => systemClock.soon(task) },
    log: silentLog,
    processes: processAt(space),
    ...options,
  });
  return { clock, opening };
}
/** Watches the holder for as long as it takes to be called silent. */
async function takeOver(options: Partial<SqliteDatabaseOptions>) {
  const { clock, opening } = open('there', options);
  await clock.run(6_000);
  return opening;
}
const urls = (database: { read: { all(sql: string): readonly { readonly url?: unknown }[] } }) =>
  database.read.all('SELECT url FROM silenced ORDER BY url').map(({ url }) => url);

describe.each(sqliteDrivers)('a folder that was taken over (%s)', (driver) => {
  it('has all that was acknowledged; the one that wakes up changes and acknowledges nothing', async () => {
    let lost = 0;
    const onLost = () => {
      lost += 1;
    };
    const asleep = await open('here', { driver, onLost }).opening;
    await asleep.write((sql) => sql.run(INSERT, 'a'));
    const files = createFileWorkFiles(dataDir, asleep.checkHeld);
    await files.scratch(ID);
    const taken = await takeOver({ driver });
    expect(urls(taken)).toEqual(['a']);
    await taken.write((sql) => sql.run(INSERT, 'b'));

    await expect(asleep.write((sql) => sql.run(INSERT, 'late'))).rejects.toMatchObject({
      code: 'shutting_down',
    });
    for (const touch of [files.scratch(ID), files.tidy(ID), files.remove(ID)])
      await expect(touch).rejects.toMatchObject({ code: 'shutting_down' });
    expect(await files.owned()).toEqual([ID]);
    await asleep.close();
    expect(lost).toBe(1);

    await taken.write((sql) => sql.run(INSERT, 'c'));
    expect(urls(taken)).toEqual(['a', 'b', 'c']);
    await taken.close();
    const again = await open('here', { driver }).opening;
    expect(urls(again)).toEqual(['a', 'b', 'c']);
    expect(again.read.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    await again.close();
  });

  it('while a write of the other waited for the disk: that is not acknowledged', async () => {
    let taking: ReturnType<typeof takeOver> | undefined;
    let isArmed = false;
    const flush = async () => {
      if (!isArmed) return;
      taking ??= takeOver({ driver });
      await taking;
    };
    const asleep = await open('here', { driver, flush }).opening;
    isArmed = true;
    await expect(asleep.write((sql) => sql.run(INSERT, 'a'))).rejects.toMatchObject({
      code: 'shutting_down',
    });
    await asleep.close();
    const taken = (await taking)!;
    expect(taken.read.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    await taken.close();
  });
});

it('what a process writes that woke up with the files open reaches files that nobody reads', async () => {
  await (await open('here', { driver: 'wasm' }).opening).close();
  const asleep = await openWasmDriver(path());
  asleep.exec('PRAGMA locking_mode = EXCLUSIVE');
  asleep.all('PRAGMA journal_mode = WAL');
  asleep.run(INSERT, 'a');
  await replaceByCopy(path(), join(dataDir, 'records'), openWasmDriver);
  expect(statSync(`${path()}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  const before = readFileSync(path());
  asleep.run(INSERT, 'late');
  asleep.all('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(readFileSync(path()).equals(before)).toBe(true);
  const taken = await open('there', { driver: 'wasm' }).opening;
  expect(urls(taken)).toEqual(['a']);
  await taken.close();
});
