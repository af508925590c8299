import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { FORMAT, migrate } from '../../src/storage/sqlite/migrations.ts';
import { openNodeDriver } from '../../src/storage/sqlite/node-driver.ts';
import { openWasmDriver } from '../../src/storage/sqlite/wasm-driver.ts';
import { openSqliteDatabase, type SqliteDatabaseOptions } from '../../src/storage/sqlite-database.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { hasNodeSqlite, sqliteDrivers } from '../support/record-stores.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let dataDir: string;
let clock: FakeClock;
beforeEach(() => {
  dataDir = scratchFolder('database');
  clock = createFakeClock();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const open = (more: Partial<SqliteDatabaseOptions> = {}) =>
  openSqliteDatabase({
    dataDir,
    clock: { ...clock, soon: (task) => systemClock.soon(task) },
    log: silentLog,
    ...more,
  });
const records = (...names: string[]) => join(dataDir, 'records', ...names);
const FORGIVING = "INSERT INTO silenced (owner, url, silenced_at) VALUES ('ann', ?, 0)";

describe.each(sqliteDrivers)('a database by %s', (driver) => {
  it('keeps what was written, and leaves nothing but its file', async () => {
    const first = await open({ driver });
    await first.write((sql) => sql.run(FORGIVING, 'a'));
    await first.close();
    expect(existsSync(records('voxgate.db'))).toBe(true);
    for (const name of ['voxgate.db-wal', 'voxgate.db.lock', 'holder.json'])
      expect(existsSync(records(name))).toBe(false);
    expect(clock.timers).toBe(0);
    const second = await open({ driver });
    expect(second.read.all('SELECT url FROM silenced').map(({ url }) => url)).toEqual(['a']);
    expect(second.read.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    await second.close();
  });

  it('is read by the other one, too', async () => {
    const first = await open({ driver });
    await first.write((sql) => sql.run(FORGIVING, 'a'));
    await first.close();
    for (const other of sqliteDrivers) {
      const again = await open({ driver: other });
      expect(again.read.one('SELECT count(*) AS n FROM silenced')).toEqual({ n: 1 });
      await again.close();
    }
  });

  it('is for nobody else in the system to read', async () => {
    const database = await open({ driver });
    expect(statSync(records()).mode & 0o077).toBe(0);
    await database.close();
  });

  it('is one process at a time', async () => {
    const database = await open({ driver });
    await expect(open({ driver })).rejects.toThrow(`${records()} is in use by process ${process.pid}`);
    await database.write((sql) => sql.run(FORGIVING, 'a'));
    await database.close();
    await (await open({ driver })).close();
  });

  it('opens over the lock of one that was killed', async () => {
    await (await open({ driver })).close();
    mkdirSync(records('voxgate.db.lock'));
    await (await open({ driver })).close();
  });

  it('writes all of a transaction or nothing, and goes on', async () => {
    const database = await open({ driver });
    const twice = database.write((sql) => {
      sql.run(FORGIVING, 'a');
      sql.run(FORGIVING, 'a');
    });
    await expect(twice).rejects.toThrow(/UNIQUE/);
    await database.write((sql) => sql.run(FORGIVING, 'a'));
    await expect(database.write((sql) => sql.run(FORGIVING, 'a'))).rejects.toThrow(/UNIQUE/);
    await database.write((sql) => sql.run(FORGIVING, 'b'));
    expect(database.read.one('SELECT count(*) AS n FROM silenced')).toEqual({ n: 2 });
    await database.close();
    await expect(database.write((sql) => sql.run(FORGIVING, 'c'))).rejects.toMatchObject({
      code: 'shutting_down',
    });
  });

  it('empties a log that has grown, and loses nothing by it', async () => {
    const database = await open({ driver, flush: async () => {} });
    const body = 'x'.repeat(50_000);
    const sizes: number[] = [];
    for (let i = 0; i < 60; i++) {
      await database.write((sql) => sql.run(FORGIVING, `${i} ${body}`));
      sizes.push(statSync(records('voxgate.db-wal')).size);
    }
    expect(Math.max(...sizes)).toBeLessThan(0.7 * 1024 * 1024);
    expect(statSync(records('voxgate.db')).size).toBeGreaterThan(1024 * 1024);
    expect(database.read.one('SELECT count(*) AS n FROM silenced')).toEqual({ n: 60 });
    await database.close();
  });

  it('of a newer version is left alone', async () => {
    const newer = await open({ driver });
    await newer.write((sql) => sql.run(`PRAGMA user_version = ${FORMAT + 1}`));
    await newer.close();
    const newerFormat = `${records()} were written by a newer Voxgate (format ${FORMAT + 1}; this one knows ${FORMAT})`;
    for (let i = 0; i < 2; i++) await expect(open({ driver })).rejects.toThrow(newerFormat);
  });

  it('that is damaged is refused by its name', async () => {
    mkdirSync(records(), { recursive: true });
    writeFileSync(records('voxgate.db'), 'no database '.repeat(1000));
    await expect(open({ driver })).rejects.toThrow(records());
    expect(existsSync(records('holder.json'))).toBe(false);
  });

  it('that is none is refused, and the folder is free again', async () => {
    mkdirSync(records('voxgate.db'), { recursive: true });
    await expect(open({ driver })).rejects.toThrow();
    expect(existsSync(records('holder.json'))).toBe(false);
  });
});

it('a step that fails leaves the database as it was', async () => {
  const driver = await openWasmDriver(':memory:');
  driver.exec('CREATE TABLE silenced (name)');
  expect(() => migrate(driver, 'here')).toThrow(/already exists/);
  expect(driver.one('PRAGMA user_version')).toEqual({ user_version: 0 });
  expect(driver.all("SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([{ name: 'silenced' }]);
  driver.close();
});

it('a transaction that could not be rolled back does not keep others from beginning', async () => {
  const driver = await openWasmDriver(':memory:');
  driver.exec('CREATE TABLE texts (text TEXT) STRICT; BEGIN');
  driver.run("INSERT INTO texts VALUES ('half')");
  driver.transaction((sql) => sql.run("INSERT INTO texts VALUES ('whole')"));
  expect(driver.all('SELECT text FROM texts')).toEqual([{ text: 'whole' }]);
  driver.close();
});

it('a text that would be cut is none: it finds nothing, and is not stored', async () => {
  const driver = await openWasmDriver(':memory:');
  driver.exec("CREATE TABLE texts (text TEXT) STRICT; INSERT INTO texts VALUES ('a')");
  expect(driver.all('SELECT 1 FROM texts WHERE text = ?', 'a\0b')).toEqual([]);
  expect(() => driver.run('INSERT INTO texts VALUES (?)', 'a\0b')).toThrow('cannot store BLOB');
  driver.close();
});

it.runIf(hasNodeSqlite)("Node's own is preferred, and says nothing on the terminal", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  openNodeDriver(':memory:')!.close();
  const database = await open();
  expect(database.driverName).toBe('node:sqlite');
  await database.close();
  process.emitWarning('others are told');
  await expect.poll(() => warnings.map(({ message }) => message)).toEqual(['others are told']);
  process.off('warning', listen);
});
