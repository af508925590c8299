// Writes records without end, and prints a line for each that was acknowledged: until it is killed.
// Arguments: data folder, driver.

import { randomUUID } from 'node:crypto';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openSqliteDatabase } from '../../src/storage/sqlite-database.ts';
import { createSqliteWorkStore } from '../../src/storage/sqlite-work-store.ts';

const [dataDir, driver] = process.argv.slice(2) as [string, 'wasm' | 'node'];
// A killed process takes nothing along that was written: flushing is for power cuts.
const flush = async () => {};
const database = await openSqliteDatabase({ dataDir, driver, clock: systemClock, log: silentLog, flush });
const works = createSqliteWorkStore(database);
await works.releaseAll();
// Some of a size that makes the log long, so that it is being emptied now and then.
const input = { text: 'x'.repeat(30_000) };
const tell = (what: string, id: string) => process.stdout.write(`${what} ${id}\n`);
const messageOf = (id: string, type: string) => ({
  id: `${type} ${id}`,
  owner: 'ann',
  url: 'https://example.test/',
  type,
  body: '{}',
  createdAtMs: 1,
});

const writeOne = async () => {
  const id = randomUUID();
  await works.create({
    ...{ id, kind: 'tts', owner: 'ann', urgency: 0, input, requestedAtMs: Date.now(), mostUnfinished: 1e6 },
    delivery: messageOf(id, 'created'),
  });
  tell('created', id);
  const claim = await works.claim({
    ...{ nowMs: Date.now(), leaseMs: 60_000, mostAttempts: 1_000, toDelivery: () => undefined },
  });
  if (claim === undefined) return;
  tell('claimed', claim.work.id);
  const end = { status: 'completed', output: { fileSize: 1 } } as const;
  if (await works.finish(claim, end, Date.now(), messageOf(claim.work.id, 'finished')))
    tell('finished', claim.work.id);
};
const writer = async () => {
  for (;;) await writeOne();
};
await Promise.all([writer(), writer(), writer()]);
