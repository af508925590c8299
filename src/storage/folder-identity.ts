// Whether the files of works and a database belong together. Both carry the same id; those from before there was one are
// judged by the works that both know. A pair that does not fit is refused: whoever put it there has to say what is meant,
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
export type FolderJudgement =
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

export type FolderPaths = {
  readonly database: string;
  readonly works: string;
  readonly idFile: string;
};

/** One sentence for whoever starts the gateway: what does not fit, and what to do. */
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
