// Every implementation of the stores for records, each beginning empty as often as a test likes.

import { rmSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { AgentStore } from '../../src/storage/agent-store.ts';
import type { DeliveryStore } from '../../src/storage/delivery-store.ts';
import { postgresRecordSql } from '../../src/storage/postgres/rows.ts';
import { createPostgresAgentStore } from '../../src/storage/postgres-agent-store.ts';
import { openPostgresDatabase } from '../../src/storage/postgres-database.ts';
import { createPostgresDeliveryStore } from '../../src/storage/postgres-delivery-store.ts';
import { createPostgresRevocationStore } from '../../src/storage/postgres-revocation-store.ts';
import { createPostgresWorkStore } from '../../src/storage/postgres-work-store.ts';
import { createRecordCopies, type RecordCopies } from '../../src/storage/record-copies.ts';
import type { RevocationStore } from '../../src/storage/revocation-store.ts';
import { sqliteRecordSql } from '../../src/storage/sqlite/database.ts';
import { createSqliteAgentStore } from '../../src/storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from '../../src/storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../../src/storage/sqlite-delivery-store.ts';
import { createSqliteRevocationStore } from '../../src/storage/sqlite-revocation-store.ts';
import { createSqliteWorkStore } from '../../src/storage/sqlite-work-store.ts';
import type { WorkStore } from '../../src/storage/works/work-store.ts';
import { createMemoryAgentStore } from './memory-agent-store.ts';
import { createMemoryDeliveryStore } from './memory-delivery-store.ts';
import { createMemoryWorkStore } from './memory-work-store.ts';
import { hasPostgres, startPostgres } from './postgres-server.ts';
import { scratchFolder } from './scratch-folder.ts';

export type RecordStores = {
  readonly works: WorkStore;
  readonly deliveries: DeliveryStore;
  readonly agents: AgentStore;
  /** Of those that keep what they hold. */
  readonly revocations?: RevocationStore;
  readonly copies?: RecordCopies;
};
export type OpenedRecords = {
  /** The stores, with nothing in them. */
  fresh(): Promise<RecordStores>;
  close(): Promise<void>;
};

const TABLES = ['works', 'deliveries', 'silenced', 'agents', 'disposable_files', 'revoked_tokens'] as const;

type Subject = { readonly name: string; readonly open: () => Promise<OpenedRecords> };

const inMemory: Subject = {
  name: 'in memory',
  open: async () => ({
    fresh: async () => {
      const deliveries = createMemoryDeliveryStore();
      return { works: createMemoryWorkStore(deliveries), deliveries, agents: createMemoryAgentStore() };
    },
    close: async () => {},
  }),
};

export const hasNodeSqlite = process.getBuiltinModule?.('node:module').isBuiltin('node:sqlite') ?? false;
export const sqliteDrivers = hasNodeSqlite ? (['wasm', 'node'] as const) : (['wasm'] as const);

const inSqlite = (driver: 'wasm' | 'node'): Subject => ({
  name: `in SQLite (${driver})`,
  async open() {
    const dataDir = scratchFolder('records');
    const flush = async () => {};
    const database = await openSqliteDatabase({ dataDir, clock: systemClock, log: silentLog, driver, flush });
    const stores = {
      works: createSqliteWorkStore(database),
      deliveries: createSqliteDeliveryStore(database),
      agents: createSqliteAgentStore(database),
      revocations: createSqliteRevocationStore(database),
      copies: createRecordCopies(sqliteRecordSql(database)),
    };
    return {
      async fresh() {
        await database.write((sql) => {
          for (const table of TABLES) sql.run(`DELETE FROM ${table}`);
        });
        return stores;
      },
      async close() {
        await database.close();
        rmSync(dataDir, { recursive: true });
      },
    };
  },
});

/** The stores of an instance of its own. */
export async function openPostgresRecords(url: string, instance: string) {
  const database = await openPostgresDatabase({
    ...{ url, instance, maxConnections: 10, clock: systemClock, random: systemRandom, log: silentLog },
    onNews() {},
  });
  return {
    works: createPostgresWorkStore(database, { instance, disposeAfterMs: 0 }),
    deliveries: createPostgresDeliveryStore(database),
    agents: createPostgresAgentStore(database),
    revocations: createPostgresRevocationStore(database),
    copies: createRecordCopies(postgresRecordSql(database)),
    database,
  };
}

const inPostgres: Subject = {
  name: 'in PostgreSQL',
  async open() {
    const server = await startPostgres();
    const records = await openPostgresRecords(await server.database('records'), 'a');
    return {
      async fresh() {
        for (const table of TABLES) await records.database.read.deleteFrom(table).execute();
        return records;
      },
      async close() {
        await records.database.close();
        await server.close();
      },
    };
  },
};

export const recordSubjects: readonly Subject[] = [
  inMemory,
  ...sqliteDrivers.map(inSqlite),
  ...(hasPostgres ? [inPostgres] : []),
];
