// `voxgate migrate` with the built program and a real PostgreSQL: killed on its way there and back nothing is lost or doubled, and
// it refuses what would. A thousand works and ten kills: scripts/migrate-trial.mjs.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openServiceSecret } from '../../src/service/file-service-secret.ts';
import { compareRecords, type RecordSide } from '../../src/storage/carry-records.ts';
import { createRecordCopies } from '../../src/storage/record-copies.ts';
import { sqliteRecordSql } from '../../src/storage/sqlite/database.ts';
import { holdFolder } from '../../src/storage/sqlite/folder-holder.ts';
import { createSqliteAgentStore } from '../../src/storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from '../../src/storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../../src/storage/sqlite-delivery-store.ts';
import { createSqliteRevocationStore } from '../../src/storage/sqlite-revocation-store.ts';
import { createSqliteWorkStore } from '../../src/storage/sqlite-work-store.ts';
import { createFileWorkFiles } from '../../src/storage/works/file-work-files.ts';
import { fillRecords } from '../support/filled-records.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { buildProgram, startInside, startProgram } from '../support/program.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const SLOW = { timeout: 240_000 };
const WORKS = 40;
let server: PostgresServer;
const root = scratchFolder('migrate');
const [data, back] = [join(root, 'data'), join(root, 'back')];
let env: Record<string, string>;

async function openFolder(dataDir: string): Promise<RecordSide & { close(): Promise<void> }> {
  const database = await openSqliteDatabase({ dataDir, clock: systemClock, log: silentLog });
  const works = createSqliteWorkStore(database);
  return {
    works,
    files: createFileWorkFiles(dataDir),
    copies: createRecordCopies(sqliteRecordSql(database)),
    close: () => database.close(),
  };
}

beforeAll(async () => {
  buildProgram();
  server = await startPostgres();
  mkdirSync(data);
  const flush = async () => {};
  const database = await openSqliteDatabase({ dataDir: data, clock: systemClock, log: silentLog, flush });
  await fillRecords(
    {
      works: createSqliteWorkStore(database),
      deliveries: createSqliteDeliveryStore(database),
      agents: createSqliteAgentStore(database),
      revocations: createSqliteRevocationStore(database),
      files: createFileWorkFiles(data),
    },
    WORKS,
  );
  await database.close();
  env = {
    VOXGATE_DATABASE_URL: await server.database('migrated'),
    VOXGATE_FILES_URL: `file://${join(root, 'shared')}`,
    VOXGATE_SECRET: openServiceSecret(data).toString('base64'),
    VOXGATE_DATA_DIR: data,
  };
}, SLOW.timeout);
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

const migrate = async (args: readonly string[] = [], more: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await startInside(['migrate', ...args], { env: { ...env, ...more } })
    .ended;
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  return { code, stderr, result: last === '' ? undefined : JSON.parse(last) };
};
/** Killed while it carries. */
async function kill(args: readonly string[], more: Record<string, string> = {}): Promise<void> {
  const program = startProgram(['migrate', ...args], { env: { ...env, ...more } });
  await program.printed(/"carrying"/);
  program.child.kill('SIGKILL');
  expect((await program.ended).code).toBeNull();
}

it('carries a folder there and back, killed on its way', SLOW, async () => {
  await kill([]);
  expect(await migrate()).toMatchObject({
    code: 0,
    stderr: '',
    result: { outcome: 'carried', direction: 'there' },
  });
  expect(await migrate()).toMatchObject({
    code: 0,
    result: { records: { works: { carried: 0, there: WORKS } } },
  });
  expect(await migrate(['--check'])).toMatchObject({ code: 0, result: { outcome: 'alike', named: [] } });
  const backwards = { VOXGATE_DATA_DIR: back };
  await kill(['--back'], backwards);
  expect(await migrate(['--back'], backwards)).toMatchObject({ code: 0, result: { direction: 'back' } });
  const [from, to] = [await openFolder(data), await openFolder(back)];
  try {
    const never = { signal: new AbortController().signal, onProgress() {} };
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      const { named, records } = await compareRecords(one, other, never);
      expect([named, records.works.there]).toEqual([[], WORKS]);
    }
  } finally {
    await from.close();
    await to.close();
  }
  expect(openServiceSecret(back)).toEqual(openServiceSecret(data));
});

it('refuses a folder or a database that somebody uses, and says who', SLOW, async () => {
  const records = join(data, 'records');
  const hold = await holdFolder(records, { clock: systemClock });
  try {
    expect(await migrate()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`the data folder ${records} is in use by process ${process.pid}`),
    });
  } finally {
    hold.release();
  }
  const instance = new pg.Client(env.VOXGATE_DATABASE_URL);
  await instance.connect();
  await instance.query('LISTEN voxgate');
  try {
    expect(await migrate(['--back'], { VOXGATE_DATA_DIR: back })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('in use by 1 instance: stop it first'),
    });
  } finally {
    await instance.end();
  }
});

it('refuses what could not hold afterwards', SLOW, async () => {
  const secret = readFileSync(join(data, 'service-secret'), 'utf8').trim();
  const other = Buffer.alloc(32, 'x').toString('base64');
  const refused = await migrate([], { VOXGATE_SECRET: other });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('VOXGATE_SECRET does not hold') });
  expect(refused.stderr).not.toContain(secret);
  expect(await migrate([], { VOXGATE_SECRET: `${other},${secret}` })).toMatchObject({ code: 0 });
  expect(await migrate([], { VOXGATE_DATA_DIR: join(root, 'nowhere') })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('where no records are'),
  });
  expect(await migrate([], { VOXGATE_DATABASE_URL: '', VOXGATE_FILES_URL: '' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('VOXGATE_DATABASE_URL is not set'),
  });
  expect(await migrate(['--bakc'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean --back'),
  });
});
