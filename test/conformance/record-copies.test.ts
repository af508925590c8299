// What every store promises of records that are copied as they are: one that was filled is another one's source, and its copy
// answers all that the source did.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type CopiedRow,
  RECORD_TABLE_NAMES,
  type RecordCopies,
  type RowPage,
} from '../../src/storage/record-copies.ts';
import { createFileWorkFiles } from '../../src/storage/works/file-work-files.ts';
import { fillRecords, uuidOf } from '../support/filled-records.ts';
import { type OpenedRecords, type RecordStores, recordSubjects } from '../support/record-stores.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const kept = recordSubjects.filter(({ name }) => name !== 'in memory');
const WORKS = 11;
const folder = scratchFolder('record-copies');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function allOf(copies: RecordCopies, limit: number) {
  const found: Record<string, unknown[]> = {};
  for (const table of RECORD_TABLE_NAMES) {
    const rows: unknown[] = [];
    let next: RowPage['next'];
    do {
      const page = await copies.page(table, next, limit);
      rows.push(...page.rows);
      next = page.next;
    } while (next !== undefined);
    found[table] = rows;
  }
  return found;
}

describe.each(kept)('copies of records $name', ({ name, open }) => {
  let opened: OpenedRecords;
  let stores: RecordStores;
  let copies: RecordCopies;
  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    stores = await opened.fresh();
    copies = stores.copies!;
    const files = createFileWorkFiles(join(folder, name.replace(/\W/g, '')));
    await fillRecords({ ...stores, revocations: stores.revocations!, files }, WORKS);
  });
  afterAll(() => opened.close());

  it('are the same in pages of any size, and the same when they are put into an empty store', async () => {
    const before = await allOf(copies, 100);
    expect(before.works).toHaveLength(WORKS);
    expect(before.silenced).toHaveLength(1);
    expect(await allOf(copies, 3)).toEqual(before);
    const list = () => stores.works.list('user-0', 'tts', { limit: 100, cursor: undefined });
    const listed = await list();
    const claims = { nowMs: 0, leaseMs: 1, mostAttempts: 9, toDelivery: () => undefined };
    copies = (await opened.fresh()).copies!;
    expect(await copies.count('works')).toBe(0);
    for (const table of RECORD_TABLE_NAMES) {
      const rows = before[table] as Parameters<RecordCopies['add']>[1];
      expect(await copies.find(table, rows)).toEqual([]);
      await copies.add(table, rows);
      expect(await copies.find(table, rows)).toEqual(expect.arrayContaining([...rows]));
      expect(await copies.count(table)).toBe(rows.length);
    }
    expect(await allOf(copies, 3)).toEqual(before);
    expect(await list()).toMatchObject(listed);
    expect(await stores.works.findRequest('user-0', 'playnote', 'key 0')).toMatchObject({
      digest: 'digest 0',
    });
    expect(await stores.agents.stats('user-1', uuidOf('agent', 1))).toMatchObject({
      turns: 2,
      spokenMs: 1234.5,
    });
    // What was being done is waiting, and can be begun; new rows come behind those that were put in.
    expect((await stores.works.claim(claims))?.work.attempts).toBeGreaterThan(0);
    const last = await stores.deliveries.list('user-1', { limit: 1, cursor: undefined });
    expect(last.deliveries).toHaveLength(1);
  });

  it('are added all or none, and one whose place is taken is named', async () => {
    const { rows } = await copies.page('works', undefined, 1);
    const [taken] = rows;
    const [one, two] = [
      { ...taken!, id: uuidOf('new', 1), request_key: 'free' },
      { ...taken!, id: uuidOf('new', 2) },
    ];
    await expect(copies.add('works', [one, two])).rejects.toThrow(
      `the work ${uuidOf('new', 2)} cannot be carried: at the target its user has another one with the same Idempotency-Key`,
    );
    expect(await copies.find('works', [one, two])).toEqual([]);
    const playNote = { ...one, kind: 'playnote', status: 'waiting', completed_at: null };
    await copies.add('works', [playNote]);
    await expect(
      copies.add('works', [{ ...playNote, id: uuidOf('new', 3), request_key: 'also free' }]),
    ).rejects.toThrow('or an unfinished PlayNote');
  });

  it('keep the files of a work that came', async () => {
    const { rows } = await copies.page('works', undefined, 1);
    const row: CopiedRow = { ...rows[0]!, id: uuidOf('new', 4), request_key: null };
    await stores.works.expect(String(row.id));
    expect(await stores.works.disposable()).toEqual([row.id]);
    await copies.add('works', [row]);
    await stores.works.remove(String(row.owner), row.kind as 'tts', String(row.id));
    expect(await stores.works.disposable()).toEqual([row.id]);
    await stores.works.disposed([String(row.id)]);
    await copies.add('works', [row]);
    expect(await stores.works.disposable()).toEqual([]);
  });
});
