// One instance in a process of its own: asks without end for as long as it is told, then prints what it was granted.
// Arguments: URL, limit, window and duration in milliseconds, number of instances.

import { sharedNow, startLoad } from './redis-quota-load.ts';
import { HEARD_MS, isSharing, openRedisStore, pause, until } from './redis-quota-stores.ts';

const [url, limit, windowMs, runMs, instances] = process.argv.slice(2) as [string, ...string[]];
const store = openRedisStore({
  url,
  quotas: [{ quota: 'a', perMinute: Number(limit) }],
  windowMs: Number(windowMs),
  spreadMs: 250,
  maxInstances: Number(instances),
});
await until(() => isSharing(store));
await pause(HEARD_MS);
const fromMs = sharedNow();
const load = startLoad(store, ['a']);
await pause(Number(runMs));
await load.stop();
const untilMs = sharedNow();
await store.close();
process.stdout.write(JSON.stringify({ wallMs: Date.now(), fromMs, untilMs, sends: load.sends }));
