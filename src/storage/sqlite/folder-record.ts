// The id of a data folder in its database, and what the start asks of a database before it is believed.

import { randomUUID } from 'node:crypto';
import { type FolderFacts, type FolderPaths, folderMismatch, judgeFolder } from '../folder-identity.ts';
import {
  folderIdFileOf,
  readFolderId,
  worksFolderOf,
  worksWithFiles,
  writeFolderId,
} from '../works/works-folder.ts';
import type { Sql, SqliteDriver } from './driver.ts';

const hasTable = (sql: Pick<Sql, 'one'>, name: string): boolean =>
  sql.one("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name) !== undefined;

const pathsOf = (dataDir: string, database: string): FolderPaths => ({
  database,
  works: worksFolderOf(dataDir),
  idFile: folderIdFileOf(dataDir),
});

/** Before a database is made: throws when there are works that one should know. */
export function checkNoWorks(dataDir: string, path: string): void {
  const folderId = readFolderId(dataDir);
  const present = folderId === undefined ? worksWithFiles(dataDir).length : 0;
  const judged = judgeFolder({
    ...{ database: 'new', databaseId: undefined, folderId, present, known: 0, expected: 0 },
  });
  if (judged.kind !== 'fits')
    throw new Error(folderMismatch(judged.kind, pathsOf(dataDir, path), { databaseId: undefined, folderId }));
}

/** Before anything is changed in it: throws when database and folder do not fit; else answers the id to be written. */
export function checkFolder(sql: Pick<Sql, 'one'>, dataDir: string, path: string): string {
  if (Number(sql.one('PRAGMA user_version')?.user_version) === 0) {
    checkNoWorks(dataDir, path);
    return randomUUID();
  }
  const databaseId = hasTable(sql, 'folder')
    ? (sql.one('SELECT id FROM folder')?.id as string | undefined)
    : undefined;
  const folderId = readFolderId(dataDir);
  // Two that have the same id are not looked at any further: there may be many works.
  const present = databaseId !== undefined && databaseId === folderId ? [] : worksWithFiles(dataDir);
  const facts: FolderFacts = {
    database: 'used',
    databaseId,
    folderId,
    present: present.length,
    known: present.filter((id) => sql.one('SELECT 1 FROM works WHERE id = ?', id) !== undefined).length,
    expected: Number(sql.one('SELECT count(*) AS n FROM works WHERE file_bytes > 0')?.n),
  };
  const judged = judgeFolder(facts);
  if (judged.kind !== 'fits') throw new Error(folderMismatch(judged.kind, pathsOf(dataDir, path), facts));
  return judged.id ?? randomUUID();
}

/** After the migration: what is missing is written, the database first, so that a crash leaves what the next start takes. */
export async function writeIdentity(driver: SqliteDriver, dataDir: string, id: string): Promise<void> {
  if (driver.one('SELECT id FROM folder') === undefined) driver.run('INSERT INTO folder (id) VALUES (?)', id);
  if (readFolderId(dataDir) === undefined) await writeFolderId(dataDir, id);
}
