// Records as they are copied from one database to another: rows of the columns that mean the same in both, word for word. One
// SQL for SQLite and PostgreSQL, which a suite holds to both; each tells how it is asked.

/** `compared`: columns that are equal in two copies of one record; of some only the key says anything. */
type TableShape = {
  readonly key: readonly string[];
  readonly compared: readonly string[];
  readonly columns: readonly string[];
};
export type RecordTable = 'revoked_tokens' | 'silenced' | 'agents' | 'works' | 'deliveries';

const ofColumns = (...columns: readonly string[]): TableShape => ({
  key: ['id'],
  compared: columns,
  columns,
});

/** What is carried, in this order: who may no longer come in and who wants no more messages, before what they are about. */
export const RECORD_TABLES: Readonly<Record<RecordTable, TableShape>> = {
  revoked_tokens: { key: ['id'], compared: [], columns: ['id', 'until_at'] },
  silenced: { key: ['owner', 'url'], compared: [], columns: ['owner', 'url', 'silenced_at'] },
  agents: ofColumns(
    ...['id', 'owner', 'profile', 'version', 'created_at', 'updated_at', 'request_key', 'request_digest'],
    ...['sessions', 'turns', 'characters', 'spoken_ms', 'interruptions', 'first_audio'],
  ),
  works: ofColumns(
    ...['id', 'kind', 'owner', 'status', 'urgency', 'input', 'phase', 'progress', 'output', 'failure'],
    ...['requested_at', 'completed_at', 'attempts', 'file_bytes', 'request_key', 'request_digest'],
  ),
  deliveries: ofColumns(
    ...['id', 'owner', 'url', 'type', 'body', 'created_at', 'state', 'attempts', 'tries', 'next_at'],
  ),
};
export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as readonly RecordTable[];

/** Works and messages have a number by which they were made, and which decides among equals. */
const orderOf = (table: RecordTable): readonly string[] =>
  table === 'works' || table === 'deliveries' ? ['seq'] : RECORD_TABLES[table].key;

export type CopiedRow = Readonly<Record<string, string | number | null>>;
export type RowPage = {
  readonly rows: readonly CopiedRow[];
  /** Where the next page begins; undefined: this was the last. */
  readonly next: readonly (string | number)[] | undefined;
};

/** The port for records that are copied as they are. Nobody else may work on them meanwhile. */
export type RecordCopies = {
  /** Throws an `Error` for the operator while a gateway has these records. */
  checkUnused(): Promise<void>;
  count(table: RecordTable): Promise<number>;
  /** In the order in which they were made. */
  page(table: RecordTable, from: RowPage['next'], limit: number): Promise<RowPage>;
  /** Those with the keys of `rows`. */
  find(table: RecordTable, rows: readonly CopiedRow[]): Promise<readonly CopiedRow[]>;
  /** All or none, in this order, of which none is there; an `Error` for one whose place another has. */
  add(table: RecordTable, rows: readonly CopiedRow[]): Promise<void>;
};

/** What a row has beside the columns that are copied: nobody has it in hand. */
const FRESH: Readonly<Partial<Record<RecordTable, Readonly<Record<string, number>>>>> = {
  works: { fence: 0, lease_ends: 0 },
  deliveries: { held_until: 0 },
};

export const RECORD_CALLED = {
  revoked_tokens: 'revoked token',
  silenced: 'silenced receiver',
  agents: 'agent',
  works: 'work',
  deliveries: 'message',
} as const satisfies Record<RecordTable, string>;

const placeTaken = (table: RecordTable, { id, kind }: CopiedRow): Error =>
  new Error(
    `the ${RECORD_CALLED[table]} ${id} cannot be carried: at the target its user has another one with the same Idempotency-Key${kind === 'playnote' ? ', or an unfinished PlayNote' : ''} (what was carried before stays; nothing was overwritten)`,
  );

/** A database as copying needs it; values are bound in the places that `place` names, counted from 1. */
export type RecordSql = {
  readonly nameOf: (table: RecordTable | 'disposable_files') => string;
  readonly place: (at: number) => string;
  readonly ask: (sql: string, values: readonly CopiedRow[string][]) => Promise<readonly CopiedRow[]>;
  /** One transaction; `taken` is thrown where a unique index has the row already. */
  readonly write: (statements: readonly RecordStatement[]) => Promise<void>;
  readonly checkUnused: () => Promise<void>;
};
type RecordStatement = {
  readonly sql: string;
  readonly values: readonly CopiedRow[string][];
  readonly taken: Error;
};

/** Only the columns that are copied; what was being done when a gateway was killed waits. */
const shown = (table: RecordTable, row: CopiedRow): CopiedRow => {
  const copied = Object.fromEntries(
    RECORD_TABLES[table].columns.map((column) => [column, row[column] ?? null]),
  );
  return copied.status === 'running' ? { ...copied, status: 'waiting', phase: 'waiting' } : copied;
};

export function createRecordCopies({ nameOf, place, ask, write, checkUnused }: RecordSql): RecordCopies {
  const places = (count: number, from = 1) =>
    Array.from({ length: count }, (_, at) => place(from + at)).join(', ');
  return {
    checkUnused,

    async count(table) {
      const [found] = await ask(`SELECT count(*) AS n FROM ${nameOf(table)}`, []);
      return Number(found?.n);
    },

    async page(table, from, limit) {
      const order = orderOf(table);
      const list = order.join(', ');
      const after = from === undefined ? '' : `WHERE (${list}) > (${places(order.length)})`;
      const found = await ask(
        `SELECT * FROM ${nameOf(table)} ${after} ORDER BY ${list} LIMIT ${place((from?.length ?? 0) + 1)}`,
        [...(from ?? []), limit],
      );
      const last = found.at(-1);
      const isLast = last === undefined || found.length < limit;
      return {
        rows: found.map((row) => shown(table, row)),
        next: isLast ? undefined : order.map((column) => last[column] as string | number),
      };
    },

    async find(table, rows) {
      if (rows.length === 0) return [];
      const { key } = RECORD_TABLES[table];
      const keys = rows.map((_, at) => `(${places(key.length, 1 + at * key.length)})`).join(', ');
      const found = await ask(
        `SELECT * FROM ${nameOf(table)} WHERE (${key.join(', ')}) IN (VALUES ${keys})`,
        rows.flatMap((row) => key.map((column) => row[column] ?? null)),
      );
      return found.map((row) => shown(table, row));
    },

    add: (table, rows) =>
      write(
        rows.flatMap((row): readonly RecordStatement[] => {
          const values = { ...row, ...FRESH[table] };
          const columns = Object.keys(values);
          const taken = placeTaken(table, row);
          const insert = `INSERT INTO ${nameOf(table)} (${columns.join(', ')}) VALUES (${places(columns.length)})`;
          const keep = `DELETE FROM ${nameOf('disposable_files')} WHERE work_id = ${place(1)}`;
          return [
            { sql: insert, values: Object.values(values), taken },
            ...(table === 'works' ? [{ sql: keep, values: [row.id ?? null], taken }] : []),
          ];
        }),
      ),
  };
}
