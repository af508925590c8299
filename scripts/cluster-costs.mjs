// What a gateway of several instances asks of Redis and PostgreSQL: time of a core and transactions for an instance that rests, a
// session, a turn, an onlooker's list, a job. docs/scaling.md reckons with these figures. Prints a table and a line of JSON.
//
//   node scripts/build.mjs --if-stale && node scripts/cluster-costs.mjs [--instances 2] [--sessions 40] [--jobs 20] [--rest-s 20]

import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ResumableClient } from './resumable-client.mjs';
import { ANYBODY, endOfTrial, startServing } from './serving-gateway.mjs';

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '2' },
    sessions: { type: 'string', default: '40' },
    jobs: { type: 'string', default: '20' },
    'rest-s': { type: 'string', default: '20' },
    program: { type: 'string', default: resolve(import.meta.dirname, '../dist/main.js') },
  },
});
const [INSTANCES, SESSIONS, JOBS, REST_S] = ['instances', 'sessions', 'jobs', 'rest-s'].map((name) =>
  Number(values[name]),
);
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startPostgres } = await import('../test/support/postgres-server.ts');
const { freePort, startRedis } = await import('../test/support/redis-server.ts');
const { openProbe } = await import('../test/support/session-probe.ts');
const { startScriptedUpstream, audio } = await import('../test/support/scripted-upstream.ts');
const { spoken } = await import('../test/support/running-gateway.ts');

const [postgres, redis, upstream] = await Promise.all([
  startPostgres(),
  startRedis(),
  startScriptedUpstream(audio(spoken())),
]);
const databaseUrl = await postgres.database('costs');
const folder = mkdtempSync(join(tmpdir(), 'voxgate-costs-'));
const secret = randomBytes(32).toString('base64');
const start = async (n) => {
  const port = await freePort();
  return startServing(values.program, join(folder, `${n}`), {
    VOXGATE_DATABASE_URL: databaseUrl,
    VOXGATE_FILES_URL: `file://${join(folder, 'shared')}`,
    VOXGATE_REDIS_URL: redis.url,
    VOXGATE_SECRET: secret,
    VOXGATE_PEER_PORT: `${port}`,
    VOXGATE_PEER_URL: `http://127.0.0.1:${port}`,
    VOXGATE_UPSTREAM_URL: upstream.url.origin,
    VOXGATE_UPSTREAM_KEYS: 'user:key@100000',
    VOXGATE_VOICE: 'anna',
    VOXGATE_VOICE2: 'ben',
    VOXGATE_WORD_TIMES: 'never',
    VOXGATE_ASK_PER_MINUTE: '0',
    VOXGATE_MAKE_PER_MINUTE: '0',
  });
};
const children = [];
const close = endOfTrial({ children, servers: [upstream, redis, postgres], folder });
const gateways = await Promise.all(Array.from({ length: INSTANCES }, (_, n) => start(n)));
children.push(...gateways.map(({ child }) => child));

const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();
/** What Redis has worked, ms of a core, and what PostgreSQL has done so far. */
async function counts() {
  const stats = /** @type {string} */ (await redis.call('INFO', 'cpu'));
  const cpu = (name) => 1000 * Number(new RegExp(`^used_cpu_${name}:([\\d.]+)`, 'm').exec(stats)?.[1]);
  const { rows } = await database.query(
    'select pg_stat_force_next_flush(), xact_commit + xact_rollback as done from pg_stat_database where datname = current_database()',
  );
  return { atMs: performance.now(), redisMs: cpu('user') + cpu('sys'), transactions: Number(rows[0].done) };
}
let restOfSecond = { redisMs: 0, transactions: 0 };
/** What `work` costs beyond what is asked at rest, divided by `times`. */
async function costOf(work, times) {
  const before = await counts();
  await work();
  await sleep(1500); // statistics of a backend come in a moment
  const after = await counts();
  const seconds = (after.atMs - before.atMs) / 1000;
  const share = (name) => Math.max(0, (after[name] - before[name] - seconds * restOfSecond[name]) / times);
  return {
    redisMs: Number(share('redisMs').toFixed(3)),
    transactions: Number(share('transactions').toFixed(1)),
  };
}

await sleep(3000);
const table = {};
const rest = await costOf(() => sleep(REST_S * 1000 - 1500), REST_S);
table['an instance at rest, a second'] = {
  redisMs: rest.redisMs / gateways.length,
  transactions: rest.transactions / gateways.length,
};
restOfSecond = rest;

const addressOf = ({ url }) => `${url.replace('http', 'ws')}/v1/session?format=raw&pace=burst`;
const open = (n) => openProbe(addressOf(gateways[n % INSTANCES]), { headers: ANYBODY });
let probes = [];
table['a session opened'] = await costOf(async () => {
  probes = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => open(n)));
}, SESSIONS);
const minute = await costOf(() => sleep(58_500), SESSIONS);
table['a session that waits, a minute'] = minute;
table['a turn of one request'] = await costOf(
  () =>
    Promise.all(
      probes.map(async (probe, n) => {
        probe.send({ type: 'speak', turn: 't', text: `This is turn ${n}.` });
        await probe.ended('t');
      }),
    ),
  SESSIONS,
);
const memory = async () =>
  Number(/^used_memory:(\d+)/m.exec(/** @type {string} */ (await redis.call('INFO', 'memory')))?.[1]);
const freeBytes = await memory();
let resumable = [];
table['a resumable session opened'] = await costOf(async () => {
  resumable = Array.from({ length: SESSIONS }, () => new ResumableClient(ANYBODY));
  await Promise.all(resumable.map((client, n) => client.open(gateways[n % INSTANCES].url)));
}, SESSIONS);
const LONG = 'This is the text of a turn that a session has been given. '.repeat(17); // 986 characters
table['a turn of one of these, 986 characters'] = await costOf(
  () =>
    Promise.all(
      resumable.map(async (client) => {
        client.send({ type: 'speak', turn: 't', text: LONG });
        await client.until(({ type }) => type === 'ended');
      }),
    ),
  SESSIONS,
);
const journalBytes = Math.round(((await memory()) - freeBytes) / SESSIONS);
table['a resumable session that waits, a minute'] = await costOf(() => sleep(58_500), SESSIONS);
for (const client of resumable) client.socket.terminate();
table['GET /v1/sessions'] = await costOf(async () => {
  for (let n = 0; n < 20; n += 1)
    await (await fetch(`${gateways[n % INSTANCES].url}/v1/sessions`, { headers: ANYBODY })).json();
}, 20);
table['a session closed'] = await costOf(async () => {
  for (const probe of probes) probe.terminate();
}, SESSIONS);
table['a job of one request, made and asked for once'] = await costOf(async () => {
  const ids = [];
  for (let n = 0; n < JOBS; n += 1) {
    const response = await fetch(`${gateways[n % INSTANCES].url}/api/v1/tts`, {
      method: 'POST',
      headers: { ...ANYBODY, 'content-type': 'application/json' },
      body: JSON.stringify({ text: `This is job ${n}.`, voice: 'anna', model: 'VoxDialog' }),
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    ids.push((await response.json()).id);
  }
  await sleep(8000);
  for (const [n, id] of ids.entries()) {
    const job = await (
      await fetch(`${gateways[(n + 1) % INSTANCES].url}/api/v1/tts/${id}`, { headers: ANYBODY })
    ).json();
    if (!/complete/i.test(JSON.stringify(job))) throw new Error(JSON.stringify(job));
  }
}, JOBS);

console.table(table);
console.log(`Redis holds ${journalBytes} bytes for a resumable session that speaks such a turn`);
console.log(JSON.stringify({ costs: 'cluster', instances: INSTANCES, journalBytes, table }));
await database.end();
await close();
process.exit(0);
