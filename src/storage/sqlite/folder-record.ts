// The id of a data folder in its database, and what the start asks of a database before it is believed.

import { randomUUID } from 'node:crypto';
import {
  folderIdFileOf,
  readFolderId,
  worksFolderOf,
  worksWithFiles,
  writeFolderId,
} from '../works/works-folder.ts';
import type { Sql, SqliteDriver } from './driver.ts';

// Whether the files of works and a database belong together. Both carry the same id; those from before there was one are
// judged by the works that both know. A pair that does not fit is refused: the operator has to say what is meant,
// because everything that the database does not know would look as if it could go.

export type FolderFacts = {
  /** `new` has no tables yet. */
  readonly database: 'new' | 'used';
  /** The id in the database; undefined: none yet. */
  readonly databaseId: string | undefined;
  /** The id in the folder of works; undefined: none yet. */
  readonly folderId: string | undefined;
  /** Works with finished files in the folder. */
  readonly present: number;
  /** … of which the database knows. */
  readonly known: number;
  /** Works with finished files in the database. */
  readonly expected: number;
};

/** `id` undefined: both are to have a new one. */
type FolderJudgement =
  | { readonly kind: 'fits'; readonly id: string | undefined }
  | { readonly kind: 'no-database' | 'foreign' | 'no-files' };

export function judgeFolder(facts: FolderFacts): FolderJudgement {
  const { database, databaseId, folderId, present, known, expected } = facts;
  if (database === 'new')
    return folderId === undefined && present === 0
      ? { kind: 'fits', id: undefined }
      : { kind: 'no-database' };
  if (databaseId !== undefined && folderId !== undefined)
    return databaseId === folderId ? { kind: 'fits', id: databaseId } : { kind: 'foreign' };
  if (present > 0 && known === 0) return { kind: 'foreign' };
  // A database from before there were ids may have been left without its files on purpose: nobody was told of a rule.
  if (databaseId !== undefined && present === 0 && expected > 0) return { kind: 'no-files' };
  return { kind: 'fits', id: databaseId ?? folderId };
}

type FolderPaths = {
  readonly database: string;
  readonly works: string;
  readonly idFile: string;
};

/** One sentence for the operator: what does not fit, and what to do. */
export function folderMismatch(
  kind: Exclude<FolderJudgement['kind'], 'fits'>,
  { database, works, idFile }: FolderPaths,
  { databaseId, folderId }: Pick<FolderFacts, 'databaseId' | 'folderId'>,
): string {
  const accept =
    databaseId === undefined ? '' : `, or, to use both as they are, write ${databaseId} into ${idFile}`;
  switch (kind) {
    case 'no-database':
      return `the database ${database} is missing or empty, and ${works} holds works that it should know: put the database back from its backup, or, to begin with an empty one, move ${works} elsewhere (nothing was changed or deleted)`;
    case 'foreign':
      return `the database ${database}${databaseId === undefined ? '' : ` (id ${databaseId})`} does not belong to the works in ${works}${folderId === undefined ? '' : ` (id ${folderId})`}: put back the one of the two that is wrong${accept} (nothing was changed or deleted)`;
    case 'no-files':
      return `the database ${database} knows finished works, and ${works} holds none of them: put ${works} back${accept} (nothing was changed or deleted)`;
  }
}

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

/**
 * After the migration: what is missing is written, the database first, so that a crash leaves what the next start takes.
 */
export async function writeIdentity(driver: SqliteDriver, dataDir: string, id: string): Promise<void> {
  if (driver.one('SELECT id FROM folder') === undefined) driver.run('INSERT INTO folder (id) VALUES (?)', id);
  if (readFolderId(dataDir) === undefined) await writeFolderId(dataDir, id);
}
