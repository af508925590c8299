// What several instances on one PostgreSQL rely on: tables that one of them makes, claims and fences between them, the
// folder that belongs to the database, and words for the operator that hold no password.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import { FORMAT } from '../../src/storage/postgres/migrations.ts';
import { folderPlace, joinFiles } from '../../src/storage/postgres/shared-folder.ts';
import { openPostgresDatabase, type RecordNews } from '../../src/storage/postgres-database.ts';
import { writeFolderId } from '../../src/storage/works/works-folder.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { openPostgresRecords } from '../support/record-stores.ts';

const SLOW = { timeout: 120_000 };

describe.skipIf(!hasPostgres)('PostgreSQL', SLOW, () => {
  let server: PostgresServer;
  let url: string;
  let stores: Awaited<ReturnType<typeof openPostgresRecords>>[];
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database('several');
    // All at once find no table.
    stores = await Promise.all(['a', 'b', 'c'].map((instance) => openPostgresRecords(url, instance)));
  }, SLOW.timeout);
  afterAll(async () => {
    for (const { database } of stores) await database.close();
    await server.close();
  }, SLOW.timeout);
  const storeOf = (instance: number) => stores[instance % stores.length]!.works;
  const work = (id: string, more: object = {}) => ({
    ...({
      id,
      kind: 'tts',
      owner: 'ann',
      urgency: 0,
      input: {},
      requestedAtMs: 1,
      mostUnfinished: 1_000,
    } as const),
    ...more,
  });
  const claimAt = (instance: number, nowMs: number) =>
    storeOf(instance).claim({ nowMs, leaseMs: 100, mostAttempts: 3, toDelivery: () => undefined });
  const open = (at: string, onNews: (news: RecordNews) => void = () => {}) =>
    openPostgresDatabase({
      ...{
        url: at,
        instance: 'x',
        maxConnections: 2,
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
      },
      ...{ onNews, startMs: 0 },
    });
  const said = (opening: Promise<{ close(): Promise<void> }>) =>
    opening.then(
      async (database) => {
        await database.close();
        return 'opened';
      },
      (error: Error) => error.message,
    );

  it('gives each work to one instance, and none twice', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, i) => storeOf(i).create(work(`w${i}`))));
    const claims = await Promise.all(Array.from({ length: 36 }, (_, i) => claimAt(i, 1_000)));
    const ids = claims.flatMap((claim) => (claim === undefined ? [] : [claim.work.id]));
    expect(new Set(ids).size).toBe(ids.length);
    // A claim that finds all rows in the hands of others finds none; nobody misses them the next time.
    for (let next = await claimAt(0, 1_000); next !== undefined; next = await claimAt(0, 1_000))
      ids.push(next.work.id);
    expect(ids.sort()).toEqual(Array.from({ length: 30 }, (_, i) => `w${i}`).sort());
  });

  it('refuses an instance that was paused past its lease, and tells it not to publish', async () => {
    await storeOf(0).create(work('paused', { requestedAtMs: 0, owner: 'eve' }));
    const first = (await claimAt(0, 2_000))!;
    expect([
      await stores[0]!.works.isElsewhere('paused'),
      await stores[1]!.works.isElsewhere('paused'),
    ]).toEqual([false, true]);
    const second = (await claimAt(1, 2_100))!;
    expect([second.work.id, second.fence > first.fence]).toEqual(['paused', true]);
    expect(await storeOf(0).finish(first, { status: 'completed', output: { n: 1 } }, 2_200)).toBe(false);
    expect(await stores[0]!.works.isElsewhere('paused')).toBe(true);
    expect(await storeOf(1).finish(second, { status: 'completed', output: { n: 2 } }, 2_300)).toBe(true);
    expect((await storeOf(2).find('eve', 'tts', 'paused'))?.output).toEqual({ n: 2 });
  });

  it('lets one of several PlayNotes in that come to several instances at once', async () => {
    for (let round = 0; round < 20; round++) {
      const owner = `user-${round}`;
      const note = (i: number) => work(`${owner}-${i}`, { owner, kind: 'playnote', mostUnfinished: 1 });
      const results = await Promise.all([0, 1, 2].map((i) => storeOf(i).create(note(i))));
      expect(results.map(({ kind }) => kind).sort()).toEqual(['created', 'full', 'full']);
    }
  });

  it('keeps revocations for all, until their tokens have expired', async () => {
    await stores[0]!.revocations.add({ id: 'token', untilMs: 2_000 }, 1_000);
    expect(await stores[1]!.revocations.list(1_999)).toEqual([{ id: 'token', untilMs: 2_000 }]);
    expect(await stores[1]!.revocations.list(2_000)).toEqual([]);
  });

  it('tells the other instances, not the one that says it', async () => {
    const heard: RecordNews[] = [];
    const own: RecordNews[] = [];
    const listener = await open(url, (news) => heard.push(news));
    const teller = await openPostgresDatabase({
      ...{ url, instance: 'y', maxConnections: 2, clock: systemClock, random: systemRandom, log: silentLog },
      onNews: (news) => own.push(news),
    });
    await expect.poll(() => [heard.length > 0, own.length > 0], { timeout: 30_000 }).toEqual([true, true]);
    teller.tell({ stop: ['one'] });
    teller.tell({ stop: ['two'] });
    await expect.poll(() => heard, { timeout: 30_000 }).toContainEqual({ stop: ['one', 'two'] });
    expect(own).not.toContainEqual({ stop: ['one', 'two'] });
    await Promise.all([listener.close(), teller.close()]);
  });

  it('reads the clock that all share', async () => {
    const { database } = stores[0]!;
    await database.look('thorough');
    expect(Math.abs(database.unixMs() - Date.now())).toBeLessThan(60_000);
  });

  it('serves beside a newer version as long as that says so', async () => {
    const { read } = stores[0]!.database;
    const format = sql.table('voxgate.format');
    await sql`UPDATE ${format} SET format = ${FORMAT + 1}`.execute(read);
    expect(await said(open(url))).toBe('opened');
    await sql`UPDATE ${format} SET serves_from = ${FORMAT + 1}`.execute(read);
    expect(await said(open(url))).toMatch(/were written by a newer Voxgate \(format \d+, usable from \d+ on/);
    await sql`UPDATE ${format} SET format = ${FORMAT}, serves_from = 1`.execute(read);
    expect(await said(open(url))).toBe('opened');
  });

  it('says what is wrong with the address, without the password in it', async () => {
    const wrong = [
      [url.replace(/\/several$/, '/missing'), /has no such database \(3D000\)/],
      ['postgres://ann:pa55@127.0.0.1:1/db', /does not answer \(ECONNREFUSED\)/],
      ['postgres://ann:pa55@localhost/db?host=/nowhere', /\/nowhere does not answer \(ENOENT\)/],
    ] as const;
    for (const [at, words] of wrong) {
      const message = await said(open(at));
      expect(message).toMatch(words);
      expect(message).toMatch(/^VOXGATE_DATABASE_URL: /);
      expect(message).not.toMatch(/pa55|ann/);
    }
  });

  it('takes the folder that belongs to it and no other', async () => {
    const [own, other] = ['own', 'other'].map((name) => mkdtempSync(join(tmpdir(), `voxgate-${name}-`)));
    const { database } = stores[0]!;
    const joined = (folder: string) =>
      joinFiles(database, folderPlace(folder)).then(
        () => 'joined',
        (error: Error) => error.message,
      );
    expect(await Promise.all([joined(own!), joined(own!), joined(own!)])).toEqual([
      'joined',
      'joined',
      'joined',
    ]);
    await storeOf(0).create(work('with-file', { owner: 'fay' }));
    await storeOf(0).cancel('fay', 'tts', 'with-file', 1, () => undefined);
    await sql`UPDATE ${sql.table('voxgate.works')} SET file_bytes = 1 WHERE id = 'with-file'`.execute(
      database.read,
    );
    expect(await joined(other!)).toMatch(
      /knows finished works, and .* is not where they are: is it mounted\?/,
    );
    await writeFolderId(other!, '0123456789');
    expect(await joined(other!)).toMatch(/does not belong to the files in /);
    expect(await joined(own!)).toBe('joined');
    for (const folder of [own!, other!]) rmSync(folder, { recursive: true });
  });
});
