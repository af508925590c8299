// What the speech service keeps on disk, of one data folder that belongs to this process alone.

import type { Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { openServiceSecret } from './service/file-service-secret.ts';
import type { AgentStore } from './storage/agent-store.ts';
import type { DeliveryStore } from './storage/delivery-store.ts';
import { createFileWorkFiles } from './storage/file-work-files.ts';
import { createSqliteAgentStore } from './storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from './storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from './storage/sqlite-delivery-store.ts';
import { createSqliteWorkStore } from './storage/sqlite-work-store.ts';
import type { WorkFiles } from './storage/work-files.ts';
import type { WorkStore } from './storage/work-store.ts';

export type AppRecords = {
  readonly works: WorkStore;
  readonly deliveries: DeliveryStore;
  readonly agents: AgentStore;
  readonly files: WorkFiles;
  /** 32 bytes, the same at every start. */
  readonly secret: Buffer;
};

export type AppRecordsOptions = {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onStop: (stop: () => Promise<void>) => void;
};

export async function openAppRecords({
  dataDir,
  clock,
  log,
  onStop,
}: AppRecordsOptions): Promise<AppRecords> {
  const database = await openSqliteDatabase({ dataDir, clock, log });
  onStop(() => database.close());
  const works = createSqliteWorkStore(database);
  const deliveries = createSqliteDeliveryStore(database);
  // Nobody else has this database: whatever was under way, was so in a program that has ended.
  await works.releaseAll();
  await deliveries.releaseAll();
  return {
    works,
    deliveries,
    agents: createSqliteAgentStore(database),
    files: createFileWorkFiles(dataDir),
    secret: openServiceSecret(dataDir),
  };
}
