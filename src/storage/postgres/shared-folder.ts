// Whether the folder of files that this instance sees is the one of the database: a folder that is not mounted looks empty,
// and works would be made into it that nobody else finds. Both carry the same id.

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { readFolderId, worksFolderOf, worksWithFiles, writeFolderId } from '../works/works-folder.ts';
import type { PostgresDatabase } from './database.ts';

/** Of the instances that start at the same time, one writes the id. */
const LOCK = 3;

/** Gives both an id where neither has one. An `Error` for the operator where they do not belong together. */
export function joinFolder({ write }: Pick<PostgresDatabase, 'write'>, root: string): Promise<void> {
  const works = worksFolderOf(root);
  return write(async (changes) => {
    await sql`SELECT pg_advisory_xact_lock(${LOCK}, 0)`.execute(changes);
    const id = (await changes.selectFrom('installation').select('id').executeTakeFirst())?.id;
    const folderId = readFolderId(root);
    if (id !== undefined && id === folderId) return;
    if (id === undefined) {
      if (folderId !== undefined || worksWithFiles(root).length > 0)
        throw new Error(
          `the database of VOXGATE_DATABASE_URL is new, and ${works} holds works that other records know: name their database, or another folder (nothing was changed or deleted)`,
        );
      const made = randomUUID();
      await changes.insertInto('installation').values({ id: made }).execute();
      return await writeFolderId(root, made);
    }
    if (folderId !== undefined)
      throw new Error(
        `the database of VOXGATE_DATABASE_URL (id ${id}) does not belong to the files in ${works} (id ${folderId}): name the folder that belongs to it (nothing was changed or deleted)`,
      );
    const finished = await changes
      .selectFrom('works')
      .select('id')
      .where('file_bytes', '>', 0)
      .limit(1)
      .executeTakeFirst();
    if (finished !== undefined || worksWithFiles(root).length > 0)
      throw new Error(
        `the database of VOXGATE_DATABASE_URL knows finished works, and ${works} is not their folder: is it mounted? To use it all the same, write ${id} into ${works}/folder-id (nothing was changed or deleted)`,
      );
    await writeFolderId(root, id);
  });
}
