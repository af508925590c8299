import { describe, expect, it } from 'vitest';
import { type FolderFacts, folderMismatch, judgeFolder } from '../../../src/storage/sqlite/folder-record.ts';

const A = 'aaaaaaaa-0000';
const B = 'bbbbbbbb-0000';
const facts = (some: Partial<FolderFacts>): FolderFacts => ({
  database: 'used',
  databaseId: undefined,
  folderId: undefined,
  present: 0,
  known: 0,
  expected: 0,
  ...some,
});

describe('a database and a folder of works', () => {
  it.each<[string, Partial<FolderFacts>, string | undefined]>([
    ['both new', { database: 'new' }, undefined],
    ['of one id', { databaseId: A, folderId: A }, A],
    ['of one id, the works lost one by one', { databaseId: A, folderId: A, expected: 9 }, A],
    ['of a version without ids', { present: 3, known: 2, expected: 2 }, undefined],
    ['of a version without ids, nothing made yet', {}, undefined],
    ['of a version without ids, its files cleared away', { expected: 3 }, undefined],
    ['after a crash between the two ids', { databaseId: A }, A],
    ['whose id file was lost', { databaseId: A, present: 3, known: 2, expected: 3 }, A],
    ['from a backup before there were ids', { folderId: B, present: 3, known: 1 }, B],
  ])('fit: %s', (_what, some, id) => {
    expect(judgeFolder(facts(some))).toEqual({ kind: 'fits', id });
  });

  it.each<[string, Partial<FolderFacts>, string]>([
    ['no database beside works', { database: 'new', present: 3 }, 'no-database'],
    ['no database beside a folder that had one', { database: 'new', folderId: A }, 'no-database'],
    ['two ids', { databaseId: A, folderId: B }, 'foreign'],
    ['two ids, whatever is known', { databaseId: A, folderId: B, present: 2, known: 2 }, 'foreign'],
    ['a database that knows none of the works', { databaseId: A, present: 3, expected: 2 }, 'foreign'],
    ['one of a version without ids that knows none', { present: 3, expected: 2 }, 'foreign'],
    ['works that are not there', { databaseId: A, expected: 2 }, 'no-files'],
  ])('do not fit: %s', (_what, some, kind) => {
    expect(judgeFolder(facts(some))).toEqual({ kind });
  });

  it.each(['no-database', 'foreign', 'no-files'] as const)(
    '%s is one sentence that says what to do',
    (kind) => {
      const paths = { database: '/d/records/voxgate.db', works: '/d/works', idFile: '/d/works/folder-id' };
      const told = folderMismatch(kind, paths, { databaseId: A, folderId: B });
      expect(told).toContain(paths.database);
      expect(told).toContain(paths.works);
      expect(told).toMatch(/put (.* )?back/);
      expect(told).toContain('nothing was changed or deleted');
      expect(told).not.toMatch(/\n|\. /);
    },
  );
});
