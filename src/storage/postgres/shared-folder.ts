// Whether the folder or bucket of files that this instance sees is the one of the database: a folder that is not mounted looks
// empty, and works would be made into it that nobody else finds. Both carry the same id.

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  folderIdFileOf,
  readFolderId,
  worksFolderOf,
  worksWithFiles,
  writeFolderId,
} from '../works/works-folder.ts';
import type { PostgresDatabase } from './database.ts';

/** Of the instances that start at the same time, one writes the id. */
const LOCK = 3;

/** Where files lie that all instances reach. */
export type FilesPlace = {
  /** For people. */
  readonly called: string;
  /** Where its id is, for people. */
  readonly idAt: string;
  /** What may be wrong where it is empty. */
  readonly question: string;
  /** Undefined when there is none; an `Error` when it is none of ours. */
  readId(): Promise<string | undefined>;
  writeId(id: string): Promise<void>;
  /** Whether works have files there. */
  hasWorks(): Promise<boolean>;
};

export const folderPlace = (root: string): FilesPlace => ({
  called: worksFolderOf(root),
  idAt: folderIdFileOf(root),
  question: 'is it mounted?',
  readId: async () => readFolderId(root),
  writeId: (id) => writeFolderId(root, id),
  hasWorks: async () => worksWithFiles(root).length > 0,
});

/** Gives both an id where neither has one. An `Error` for the operator where they do not belong together. */
export function joinFiles({ write }: Pick<PostgresDatabase, 'write'>, place: FilesPlace): Promise<void> {
  const { called } = place;
  return write(async (changes) => {
    await sql`SELECT pg_advisory_xact_lock(${LOCK}, 0)`.execute(changes);
    const id = (await changes.selectFrom('installation').select('id').executeTakeFirst())?.id;
    const idThere = await place.readId();
    if (id !== undefined && id === idThere) return;
    if (id === undefined) {
      if (idThere !== undefined || (await place.hasWorks()))
        throw new Error(
          `the database of VOXGATE_DATABASE_URL is new, and ${called} holds works that other records know: name their database, or another place for files (nothing was changed or deleted)`,
        );
      const made = randomUUID();
      await changes.insertInto('installation').values({ id: made }).execute();
      return await place.writeId(made);
    }
    if (idThere !== undefined)
      throw new Error(
        `the database of VOXGATE_DATABASE_URL (id ${id}) does not belong to the files in ${called} (id ${idThere}): name the place that belongs to it (nothing was changed or deleted)`,
      );
    const finished = await changes
      .selectFrom('works')
      .select('id')
      .where('file_bytes', '>', 0)
      .limit(1)
      .executeTakeFirst();
    if (finished !== undefined || (await place.hasWorks()))
      throw new Error(
        `the database of VOXGATE_DATABASE_URL knows finished works, and ${called} is not where they are: ${place.question} To use it all the same, write ${id} into ${place.idAt} (nothing was changed or deleted)`,
      );
    await place.writeId(id);
  });
}
