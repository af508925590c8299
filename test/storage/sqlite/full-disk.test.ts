// The records on a real file system that fills up and is emptied again, as often as one likes.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { openSqliteDatabase } from '../../../src/storage/sqlite-database.ts';
import { sqliteDrivers } from '../../support/record-stores.ts';
import { run } from '../../support/records-service.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const INSERT = "INSERT INTO silenced (owner, url, silenced_at) VALUES ('ann', ?, 0)";
const ROUNDS = 6;

let folder: string;
let isMounted = false;
beforeEach(async () => {
  folder = scratchFolder('full-disk');
  isMounted = (await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])) === 0;
});
afterEach(async () => {
  if (isMounted) await run('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

const ballast = () => join(folder, 'ballast');
function fill(): void {
  writeFileSync(ballast(), '');
  for (let bytes = 1 << 20; bytes >= 512; )
    try {
      writeFileSync(ballast(), Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      bytes >>= 1;
    }
}

describe.each(sqliteDrivers)('records on a disk that fills up (%s)', (driver) => {
  it('say so for what is not written, keep what was, and go on when there is room', async (context) => {
    if (!isMounted) return context.skip('no file system may be mounted here');
    const options = { dataDir: join(folder, 'data'), clock: systemClock, log: silentLog, driver };
    let database = await openSqliteDatabase(options);
    const kept: string[] = [];
    const body = 'x'.repeat(9_000);
    const write = async (url: string) => {
      await database.write((sql) => sql.run(INSERT, `${url} ${body}`));
      kept.push(url);
    };
    const urls = () =>
      new Set(database.read.all('SELECT url FROM silenced').map(({ url }) => String(url).split(' ')[0]));
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < 20; i++) await write(`room-${round}-${i}`);
      fill();
      let refused = 0;
      for (let i = 0; i < 8; i++)
        await write(`full-${round}-${i}`).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'insufficient_storage' });
          refused += 1;
        });
      expect(refused).toBeGreaterThan(0);
      rmSync(ballast());
      await write(`again-${round}`);
      expect(urls()).toEqual(new Set(kept));
    }
    expect(database.read.one('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    await database.close();
    database = await openSqliteDatabase(options);
    expect(urls()).toEqual(new Set(kept));
    await database.close();
  });
});
