// What many instances cost one Redis that do nothing: the list of instances, at rest and while some come and go, and the exact
// limits of keys. So many clients as instances would be, each with connections of its own. docs/scaling.md reckons with these
// figures. Prints two tables and a line of JSON.
//
//   node scripts/redis-costs.mjs [--instances 3,100,1000] [--changes 10] [--keys 1,10] [--sharing 3,30,100] [--seconds 20]

import { randomBytes } from 'node:crypto';
import { register } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '3,100,1000' },
    sharing: { type: 'string', default: '3,30,100' },
    keys: { type: 'string', default: '1,10' },
    changes: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
  },
});
const CHANGES = Number(values.changes);
const SECONDS = Number(values.seconds);
const BEAT_MS = 2000;

register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startRedis } = await import('../test/support/redis-server.ts');
const { createRedisInstanceDirectory } = await import('../src/cluster/instances/redis-instance-directory.ts');
const { createRedisQuotaStore } = await import('../src/upstream/quota/redis-quota-store.ts');
const { createSignedNotes } = await import('../src/cluster/instances/signed-notes.ts');
const { systemClock } = await import('../src/base/clock.ts');
const { systemRandom } = await import('../src/base/random.ts');
const { silentLog } = await import('../src/base/log.ts');

const secrets = [randomBytes(32).toString('base64')];
let made = 0;
function open(url) {
  const id = `instance-${String(made++).padStart(5, '0')}`;
  return createRedisInstanceDirectory({
    url,
    // As long as addresses within a cloud are.
    own: { id, url: 'https://ip-10-0-123-123.eu-central-1.compute.internal:8090', version: '0.1.0' },
    notes: createSignedNotes({ secrets, id, unixMs: Date.now, random: systemRandom }),
    clock: systemClock,
    unixMs: Date.now,
    random: systemRandom,
    log: silentLog,
  });
}
async function until(isSo) {
  const fromMs = performance.now();
  while (!isSo()) {
    if (performance.now() - fromMs > 120_000) throw new Error('they do not find each other');
    await pause(50);
  }
  return Math.round(performance.now() - fromMs);
}

const usedOf = async (redis) => {
  const info = /** @type {string} */ (await redis.call('INFO', 'everything'));
  const of = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return {
    atMs: performance.now(),
    cpuMs: 1000 * (of('used_cpu_user') + of('used_cpu_sys')),
    toKiB: of('total_net_input_bytes') / 1024,
    fromKiB: of('total_net_output_bytes') / 1024,
    memoryMiB: of('used_memory') / 2 ** 20,
  };
};
async function during(redis, work) {
  const before = await usedOf(redis);
  const result = await work();
  const after = await usedOf(redis);
  const seconds = (after.atMs - before.atMs) / 1000;
  const perSecond = (name) => (after[name] - before[name]) / seconds;
  return {
    result,
    cpu: perSecond('cpuMs') / 10,
    to: perSecond('toKiB'),
    from: perSecond('fromKiB'),
    after,
  };
}
const round = (value) => Number(value.toPrecision(3));

const table = {};
for (const count of values.instances.split(',').map(Number)) {
  const redis = await startRedis();
  let living = [];
  for (let at = 0; at < count; at += 1) {
    living.push(open(redis.url));
    // Each checks each: so many in one process need their time.
    if (at % 20 === 19) await pause(800);
  }
  await until(() => living.every((each) => each.others().length === count - 1));
  await pause(BEAT_MS);
  const rest = await during(redis, () => pause(SECONDS * 1000));
  const changing = await during(redis, async () => {
    const endMs = performance.now() + SECONDS * 1000;
    for (let n = 0; n < CHANGES; n += 1) {
      const [first, ...others] = living;
      const next = open(redis.url);
      await first.close();
      living = [...others, next];
      await pause((SECONDS * 1000) / CHANGES);
    }
    await pause(Math.max(0, endMs - performance.now()));
  });
  const newcomer = open(redis.url);
  living.push(newcomer);
  const knownAfterMs = await until(() => living.every((each) => each.others().length === count));
  table[count] = {
    'Redis, % of a core': round(rest.cpu),
    'to it, KiB/s': round(rest.to),
    'from it, KiB/s': round(rest.from),
    'its memory, MiB': round(rest.after.memoryMiB),
    [`with ${CHANGES} exchanged in ${SECONDS} s: % of a core`]: round(changing.cpu),
    'from it then, KiB/s': round(changing.from),
    'a newcomer is known to all after, ms': knownAfterMs,
  };
  await Promise.all(living.map((each) => each.close()));
  await redis.close();
}
console.table(table);

const limits = {};
for (const count of values.sharing.split(',').map(Number))
  for (const keys of values.keys.split(',').map(Number)) {
    const redis = await startRedis();
    const stores = [];
    for (let at = 0; at < count; at += 1) {
      stores.push(
        createRedisQuotaStore({
          url: redis.url,
          pool: 'pool',
          quotas: Array.from({ length: keys }, (_, key) => ({ quota: `key-${key}`, perMinute: 600 })),
          maxInstances: count,
          clock: systemClock,
          random: systemRandom,
          log: silentLog,
        }),
      );
      if (at % 10 === 9) await pause(200);
    }
    await pause(2 * BEAT_MS);
    const rest = await during(redis, () => pause(SECONDS * 1000));
    limits[`${count} instances, ${keys} keys`] = {
      'Redis, % of a core': round(rest.cpu),
      'to it, KiB/s': round(rest.to),
      'from it, KiB/s': round(rest.from),
    };
    for (const store of stores) void store.close();
    await redis.close();
  }
console.table(limits);
console.log(JSON.stringify({ costs: 'redis', changes: CHANGES, seconds: SECONDS, table, limits }));
process.exit(0);
