// Carries records and their files from one database and place to another, for `voxgate migrate`. The files of a work go before
// its row, so what has a row is whole: whoever is killed on the way leaves no other state than what is there, and the next run
// goes on from that.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type CopiedRow,
  RECORD_CALLED,
  RECORD_TABLE_NAMES,
  RECORD_TABLES,
  type RecordCopies,
  type RecordTable,
  type RowPage,
} from './record-copies.ts';
import type { WorkFiles } from './works/work-files.ts';
import type { WorkStore } from './works/work-store.ts';

const keyOf = (table: RecordTable, row: CopiedRow): string =>
  JSON.stringify(RECORD_TABLES[table].key.map((column) => row[column]));
const areAlike = (table: RecordTable, one: CopiedRow, other: CopiedRow): boolean =>
  RECORD_TABLES[table].compared.every((column) => one[column] === other[column]);
const isUnfinished = ({ status }: CopiedRow): boolean => status === 'waiting' || status === 'running';

export type RecordSide = {
  readonly copies: RecordCopies;
  readonly files: WorkFiles;
  readonly works: Pick<WorkStore, 'expect'>;
};

/** `carried`: now; `there`: with the same content before; `different`: under the same id, and not touched. */
type Tally = {
  readonly carried: number;
  readonly there: number;
  readonly different: number;
  readonly missing: number;
};
export type CarryResult = {
  readonly records: Readonly<Record<RecordTable, Tally>>;
  readonly files: Tally & { readonly bytes: number };
  /** Some of what is different, or missing: the kind of the record, its id, and the name of a file. */
  readonly named: readonly string[];
};
export type CarryOptions = {
  readonly signal: AbortSignal;
  readonly onProgress: (at: { readonly phase: string; readonly progress: number }) => void;
};

const PAGE_ROWS = 32;
/** Works whose files are copied at the same time: a store elsewhere takes its time for each. */
const WORKS_AT_ONCE = 8;
const MAX_NAMED = 5;

class Ledger {
  readonly #records = Object.fromEntries(
    RECORD_TABLE_NAMES.map((table) => [table, { carried: 0, there: 0, different: 0, missing: 0 }]),
  ) as Record<RecordTable, { -readonly [K in keyof Tally]: Tally[K] }>;
  readonly #files = { carried: 0, there: 0, different: 0, missing: 0, bytes: 0 };
  readonly #named: string[] = [];

  record(table: RecordTable, what: keyof Tally, row: CopiedRow): void {
    this.#records[table][what] += 1;
    if (what === 'different' || what === 'missing')
      this.#name(`${RECORD_CALLED[table]} ${row.id ?? row.url}: ${what}`);
  }

  file(what: keyof Tally, { id }: CopiedRow, name: string, bytes = 0): void {
    this.#files[what] += 1;
    this.#files.bytes += bytes;
    if (what === 'different' || what === 'missing') this.#name(`file ${name} of work ${id}: ${what}`);
  }

  result(): CarryResult {
    return { records: this.#records, files: this.#files, named: this.#named };
  }

  #name(words: string): void {
    if (this.#named.length < MAX_NAMED) this.#named.push(words);
  }
}

type Compared = { readonly row: CopiedRow; readonly is: 'missing' | 'there' | 'different' };

/** Every record of `from` beside that of `to`, a page at a time, with how much of all has been seen. */
async function* compare(
  from: RecordCopies,
  to: RecordCopies,
  { signal, onProgress }: CarryOptions,
  phase: string,
): AsyncGenerator<{ readonly table: RecordTable; readonly page: readonly Compared[] }> {
  const counts = await Promise.all(RECORD_TABLE_NAMES.map((table) => from.count(table)));
  const all = counts.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const table of RECORD_TABLE_NAMES) {
    let next: RowPage['next'];
    do {
      signal.throwIfAborted();
      const page = await from.page(table, next, PAGE_ROWS);
      const there = new Map((await to.find(table, page.rows)).map((row) => [keyOf(table, row), row]));
      yield {
        table,
        page: page.rows.map((row) => {
          const found = there.get(keyOf(table, row));
          const is = found === undefined ? 'missing' : areAlike(table, row, found) ? 'there' : 'different';
          return { row, is };
        }),
      };
      seen += page.rows.length;
      onProgress({ phase, progress: all === 0 ? 1 : seen / all });
      next = page.next;
    } while (next !== undefined);
  }
}

/**
 * What `from` holds is in `to`, too, when it resolves; what `to` holds beside it stays. Where a record of `to` has the same id
 * and another content, nothing is written at all. Rejects with the reason of the signal between two records.
 */
export async function carryRecords(
  from: RecordSide,
  to: RecordSide,
  options: CarryOptions,
): Promise<CarryResult> {
  await Promise.all([from.copies.checkUnused(), to.copies.checkUnused()]);
  const looked = new Ledger();
  let different = 0;
  for await (const { table, page } of compare(from.copies, to.copies, options, 'comparing'))
    for (const { row, is } of page)
      if (is !== 'missing') {
        looked.record(table, is, row);
        if (is === 'different') different += 1;
      }
  if (different > 0) return looked.result();

  const ledger = new Ledger();
  for await (const { table, page } of compare(from.copies, to.copies, options, 'carrying')) {
    await to.copies.checkUnused();
    const missing = page.filter(({ is }) => is === 'missing').map(({ row }) => row);
    if (table === 'works')
      await eachAtOnce(missing, async (row) => {
        options.signal.throwIfAborted();
        await carryFiles(from, to, row, ledger);
      });
    if (missing.length > 0) await to.copies.add(table, missing);
    for (const { row, is } of page) ledger.record(table, is === 'missing' ? 'carried' : is, row);
  }
  return ledger.result();
}

/** Both sides record by record, and files byte by byte; writes no record and no file. */
export async function compareRecords(
  from: RecordSide,
  to: RecordSide,
  options: CarryOptions,
): Promise<CarryResult> {
  const ledger = new Ledger();
  for await (const { table, page } of compare(from.copies, to.copies, options, 'comparing')) {
    for (const { row, is } of page) ledger.record(table, is, row);
    if (table !== 'works') continue;
    await eachAtOnce(page, async ({ row, is }) => {
      options.signal.throwIfAborted();
      const workId = String(row.id);
      for (const name of await from.files.names(workId)) {
        const found = is === 'missing' ? undefined : await to.files.find(workId, name);
        const what =
          found === undefined
            ? 'missing'
            : (await isSameFile(from, to, workId, name))
              ? 'there'
              : 'different';
        ledger.file(what, row, name, found?.bytes);
      }
    });
  }
  return ledger.result();
}

/** What is published of a work; and, where it goes on, what was made for it so far. */
async function carryFiles(from: RecordSide, to: RecordSide, row: CopiedRow, ledger: Ledger): Promise<void> {
  const workId = String(row.id);
  const names = await from.files.names(workId);
  // Until the row is there they are nobody's: where it never comes they may go.
  if (names.length > 0 || isUnfinished(row)) await to.works.expect(workId);
  for (const name of names) {
    const file = await from.files.find(workId, name);
    if (file === undefined) continue;
    const found = await to.files.find(workId, name);
    const isThere = found?.bytes === file.bytes && (await isSameFile(from, to, workId, name));
    if (!isThere) {
      const path = join(await to.files.scratch(workId), `${name}.carried`);
      await pipeline(file.open(), createWriteStream(path));
      const { size } = await stat(path);
      if (size !== file.bytes)
        throw new Error(`the file ${name} of work ${workId} has ${file.bytes} bytes, of which ${size} came`);
      await to.files.publish(workId, name, path);
    }
    ledger.file(isThere ? 'there' : 'carried', row, name, file.bytes);
  }
  if (isUnfinished(row)) await copyParts(from, to, workId);
  else if (names.length > 0) await to.files.tidy(workId);
}

const isSameFile = async (from: RecordSide, to: RecordSide, workId: string, name: string): Promise<boolean> =>
  (await digestOf(from.files, workId, name)) === (await digestOf(to.files, workId, name));

async function digestOf(files: WorkFiles, workId: string, name: string): Promise<string | undefined> {
  const file = await files.find(workId, name);
  if (file === undefined) return undefined;
  const hash = createHash('sha256');
  await pipeline(file.open(), hash);
  return hash.digest('hex');
}

/** What is still being written has another name. */
const DRAFT = /\.(new|carried)(\.|$)/;

/** In the order of their names: of a part of speech the facts before the sound. */
async function copyParts(from: RecordSide, to: RecordSide, workId: string): Promise<void> {
  const [source, target] = [await from.files.scratch(workId), await to.files.scratch(workId)];
  if (source === target) return;
  for (const name of await from.files.parts(workId)) {
    if (DRAFT.test(name)) continue;
    const draft = join(target, `${name}.carried`);
    if (!(await from.files.recover(workId, name))) continue;
    await pipeline(createReadStream(join(source, name)), createWriteStream(draft, { mode: 0o600 }));
    await to.files.checkpoint(workId, name, draft);
    await rename(draft, join(target, name));
  }
}

/** Rejects when all that were begun have ended. */
async function eachAtOnce<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += WORKS_AT_ONCE) {
    const ended = await Promise.allSettled(items.slice(at, at + WORKS_AT_ONCE).map(task));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  }
}
