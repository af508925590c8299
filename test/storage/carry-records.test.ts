// Carrying records and files between two data folders, for which nothing but the ports is needed: whole, again, cut at every
// moment, and refused where it would overwrite something.

import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import {
  type CarryOptions,
  carryRecords,
  compareRecords,
  type RecordSide,
} from '../../src/storage/carry-records.ts';
import { createRecordCopies } from '../../src/storage/record-copies.ts';
import { sqliteRecordSql } from '../../src/storage/sqlite/database.ts';
import { createSqliteAgentStore } from '../../src/storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from '../../src/storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../../src/storage/sqlite-delivery-store.ts';
import { createSqliteRevocationStore } from '../../src/storage/sqlite-revocation-store.ts';
import { createSqliteWorkStore } from '../../src/storage/sqlite-work-store.ts';
import { createFileWorkFiles } from '../../src/storage/works/file-work-files.ts';
import { fillRecords, uuidOf } from '../support/filled-records.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const WORKS = 14;
const root = scratchFolder('carry');
afterAll(() => rmSync(root, { recursive: true, force: true }));
let opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened) await close();
  opened = [];
});

let folders = 0;
async function openSide(dataDir = join(root, `${++folders}`)) {
  const flush = async () => {};
  const database = await openSqliteDatabase({ dataDir, clock: systemClock, log: silentLog, flush });
  opened.push(() => database.close());
  return {
    dataDir,
    works: createSqliteWorkStore(database),
    deliveries: createSqliteDeliveryStore(database),
    agents: createSqliteAgentStore(database),
    revocations: createSqliteRevocationStore(database),
    files: createFileWorkFiles(dataDir),
    copies: createRecordCopies(sqliteRecordSql(database)),
    database,
  };
}
async function openFilled(count = WORKS) {
  const side = await openSide();
  await fillRecords(side, count);
  return side;
}
const quietly: CarryOptions = { signal: new AbortController().signal, onProgress() {} };
const worksOf = (dataDir: string) =>
  readdirSync(join(dataDir, 'works'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'folder-id')
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(dataDir.length), readFileSync(path, 'utf8')] as const;
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
const carriedOf = ({ records }: Awaited<ReturnType<typeof carryRecords>>) => ({
  works: records.works.carried,
  agents: records.agents.carried,
});

describe('carrying records', () => {
  it('brings all of them with their files and parts, and nothing the second time', async () => {
    const [from, to] = [await openFilled(), await openSide()];
    const seen: string[] = [];
    const result = await carryRecords(from, to, {
      ...quietly,
      onProgress: ({ phase, progress }) => seen.push(`${phase} ${progress}`),
    });
    expect(carriedOf(result)).toEqual({ works: WORKS, agents: 5 });
    expect(result.files).toMatchObject({ carried: 12, there: 0 });
    expect([seen.at(0), seen.at(-1)]).toEqual([expect.stringContaining('comparing'), 'carrying 1']);
    expect(worksOf(to.dataDir)).toEqual(worksOf(from.dataDir));
    const again = await carryRecords(from, to, quietly);
    expect(carriedOf(again)).toEqual({ works: 0, agents: 0 });
    expect(again.records.works.there).toBe(WORKS);
    const compared = await compareRecords(from, to, quietly);
    expect(compared).toMatchObject({ named: [], files: { there: 12 } });
    expect(await to.works.disposable()).toEqual([]);
  });

  it('leaves what the target holds beside it', async () => {
    const [from, to] = [await openFilled(5), await openSide()];
    const id = uuidOf('elsewhere', 1);
    await to.works.create({
      ...{ id, kind: 'tts', owner: 'another', urgency: 0, input: {}, requestedAtMs: 1, mostUnfinished: 1 },
    });
    await carryRecords(from, to, quietly);
    expect(await to.works.find('another', 'tts', id)).toBeDefined();
    expect(await to.copies.count('works')).toBe(6);
  });

  it('writes nothing where a record of the target is another one', async () => {
    const [from, to] = [await openFilled(), await openFilled(3)];
    await to.database.write((sql) =>
      sql.run("UPDATE works SET phase = 'further' WHERE id = ?", uuidOf('work', 2)),
    );
    const before = worksOf(to.dataDir);
    const result = await carryRecords(from, to, quietly);
    expect(result.records.works).toMatchObject({ carried: 0, different: 1 });
    expect(result.named).toEqual([`work ${uuidOf('work', 2)}: different`]);
    expect([worksOf(to.dataDir), await to.copies.count('works')]).toEqual([before, 3]);
  });

  it('finds what is missing or was changed', async () => {
    const [from, to] = [await openFilled(), await openSide()];
    await carryRecords(from, to, quietly);
    appendFileSync(join(to.dataDir, 'works', uuidOf('work', 0), 'files', 'audio.mp3'), '!');
    rmSync(join(to.dataDir, 'works', uuidOf('work', 1), 'files', 'words.vtt'));
    await to.works.remove('user-3', 'tts', uuidOf('work', 3));
    const { records, files, named } = await compareRecords(from, to, quietly);
    expect(records.works).toMatchObject({ missing: 1, different: 0 });
    expect(files).toMatchObject({ missing: 1, different: 1 });
    expect(named).toHaveLength(3);
  });

  it('ends between two works when it is told to', async () => {
    const [from, to] = [await openFilled(), await openSide()];
    const stop = new AbortController();
    const names: WorkFilesNames = async (id) => {
      stop.abort(new Error('stopped'));
      return from.files.names(id);
    };
    const side = { ...from, files: { ...from.files, names } };
    await expect(carryRecords(side, to, { ...quietly, signal: stop.signal })).rejects.toThrow('stopped');
    expect(await to.copies.count('works')).toBe(0);
    expect(carriedOf(await carryRecords(from, to, quietly))).toMatchObject({ works: WORKS });
  });

  it('goes on after it was cut at any moment', async () => {
    const from = await openFilled(9);
    const whole = await openSide();
    let calls = 0;
    await carryRecords(
      from,
      cutAfter(whole, Number.POSITIVE_INFINITY, () => (calls += 1)),
      quietly,
    );
    expect(calls).toBeGreaterThan(20);
    for (let at = 0; at < calls; at += 7) {
      const to = await openSide();
      await expect(carryRecords(from, cutAfter(to, at), quietly)).rejects.toThrow('cut');
      // Every work that has a row has its files; of another one half of a file may be there.
      const { rows } = await to.copies.page('works', undefined, WORKS);
      for (const { id } of rows)
        expect(await to.files.names(`${id}`)).toEqual(await from.files.names(`${id}`));
      if (rows.length === 0)
        writeFileSync(join(await to.files.scratch(uuidOf('work', 0)), 'audio.mp3.carried'), 'hal');
      await carryRecords(from, cutAfter(to, at), quietly).catch(() => {});
      await carryRecords(from, to, quietly);
      expect((await compareRecords(from, to, quietly)).named).toEqual([]);
      expect(worksOf(to.dataDir)).toEqual(worksOf(from.dataDir));
    }
  });
});

type WorkFilesNames = RecordSide['files']['names'];

/** A side that does nothing more after so many changes, as that of a process that was killed. */
function cutAfter(side: RecordSide, most: number, onCall = () => {}): RecordSide {
  let left = most;
  const counted = <A extends readonly unknown[], R>(change: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      onCall();
      left -= 1;
      if (left < 0) throw new Error('cut');
      return await change(...args);
    };
  };
  const { copies, files, works } = side;
  return {
    copies: { ...copies, add: counted((...args: Parameters<typeof copies.add>) => copies.add(...args)) },
    files: {
      ...files,
      scratch: counted((...args: Parameters<typeof files.scratch>) => files.scratch(...args)),
      publish: counted((...args: Parameters<typeof files.publish>) => files.publish(...args)),
      tidy: counted((...args: Parameters<typeof files.tidy>) => files.tidy(...args)),
    },
    works: { expect: counted((...args: Parameters<typeof works.expect>) => works.expect(...args)) },
  };
}
