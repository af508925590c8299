// What the speech service keeps on disk, of one data folder that belongs to this process alone.

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { openServiceSecret } from '../service/file-service-secret.ts';
import type { AgentStore } from '../storage/agent-store.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import { createSqliteAgentStore } from '../storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from '../storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../storage/sqlite-delivery-store.ts';
import { createSqliteWorkStore } from '../storage/sqlite-work-store.ts';
import { createFileStorageProbe } from '../storage/works/file-storage-probe.ts';
import { createFileWorkFiles } from '../storage/works/file-work-files.ts';
import { StorageWatch } from '../storage/works/storage-watch.ts';
import type { WorkFiles } from '../storage/works/work-files.ts';
import type { WorkStore } from '../storage/works/work-store.ts';

export type AppRecords = {
  readonly works: WorkStore;
  readonly deliveries: DeliveryStore;
  readonly agents: AgentStore;
  readonly files: WorkFiles;
  /** 32 bytes, the same at every start. */
  readonly secret: Buffer;
  /** What the disk under the folder takes. */
  readonly storage: StorageWatch;
  /** Throws when another process has the folder, or nobody can tell. */
  readonly checkHeld: () => void;
};

export type AppRecordsOptions = {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onStop: (stop: () => Promise<void> | void) => void;
  /** Another process has the folder now. */
  readonly onLost: () => void;
};

export async function openAppRecords({
  dataDir,
  clock,
  log,
  onStop,
  onLost,
}: AppRecordsOptions): Promise<AppRecords> {
  const database = await openSqliteDatabase({ dataDir, clock, log, onLost });
  onStop(() => database.close());
  const disk = createFileStorageProbe(dataDir);
  const storage = new StorageWatch({
    probe: {
      async look(how) {
        await disk.look(how);
        // A database that can be written no more is as bad as a disk.
        if (how === 'thorough') await database.write((sql) => sql.run('UPDATE folder SET id = id'));
      },
    },
    clock,
    log,
  });
  await storage.start();
  onStop(() => storage.close());
  const works = createSqliteWorkStore(database);
  const deliveries = createSqliteDeliveryStore(database);
  // Nobody else has this database: whatever was under way, was so in a program that has ended.
  await works.releaseAll();
  await deliveries.releaseAll();
  return {
    works,
    deliveries,
    agents: createSqliteAgentStore(database),
    files: createFileWorkFiles(dataDir, database.checkHeld),
    secret: openServiceSecret(dataDir),
    storage,
    checkHeld: database.checkHeld,
  };
}
