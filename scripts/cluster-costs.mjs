// What a gateway of several instances asks of Redis and PostgreSQL: commands and transactions of an instance that rests, of a
// session, a turn, an onlooker's list, a job. docs/scaling.md reckons with these figures. Prints a table and a line of JSON.
//
//   node scripts/build.mjs --if-stale && node scripts/cluster-costs.mjs [--sessions 40] [--jobs 20] [--rest-s 20]

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ANYBODY, startServing } from './serving-gateway.mjs';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '40' },
    jobs: { type: 'string', default: '20' },
    'rest-s': { type: 'string', default: '20' },
    program: { type: 'string', default: resolve(import.meta.dirname, '../dist/main.js') },
  },
});
const [SESSIONS, JOBS, REST_S] = [values.sessions, values.jobs, values['rest-s']].map(Number);
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
const gateways = await Promise.all([start(0), start(1)]);

const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();
/** What both have been asked so far; asking is left out of the count. */
async function counts() {
  const stats = /** @type {string} */ (await redis.call('INFO', 'commandstats'));
  const commands = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)]
    .filter(([, name]) => !/^(info|hello|client|ping)/.test(name))
    .reduce((sum, [, , calls]) => sum + Number(calls), 0);
  const { rows } = await database.query(
    'select pg_stat_force_next_flush(), xact_commit + xact_rollback as done from pg_stat_database where datname = current_database()',
  );
  return { atMs: performance.now(), commands, transactions: Number(rows[0].done) };
}
let restOfSecond = { commands: 0, transactions: 0 };
/** What `work` costs beyond what both would have asked at rest, divided by `times`. */
async function costOf(work, times) {
  const before = await counts();
  await work();
  await sleep(1500); // statistics of a backend come in a moment
  const after = await counts();
  const seconds = (after.atMs - before.atMs) / 1000;
  const share = (name) =>
    Math.max(0, (after[name] - before[name] - seconds * restOfSecond[name]) / times).toFixed(1);
  return { commands: Number(share('commands')), transactions: Number(share('transactions')) };
}

await sleep(3000);
const table = {};
const rest = await costOf(() => sleep(REST_S * 1000 - 1500), REST_S);
table['an instance at rest, a second'] = {
  commands: rest.commands / gateways.length,
  transactions: rest.transactions / gateways.length,
};
restOfSecond = rest;

const addressOf = ({ url }) => `${url.replace('http', 'ws')}/v1/session?format=raw&pace=burst`;
const open = (n) => openProbe(addressOf(gateways[n % 2]), { headers: ANYBODY });
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
table['GET /v1/sessions'] = await costOf(async () => {
  for (let n = 0; n < 20; n += 1)
    await (await fetch(`${gateways[n % 2].url}/v1/sessions`, { headers: ANYBODY })).json();
}, 20);
table['a session closed'] = await costOf(async () => {
  for (const probe of probes) probe.terminate();
}, SESSIONS);
table['a job of one request, made and asked for once'] = await costOf(async () => {
  const ids = [];
  for (let n = 0; n < JOBS; n += 1) {
    const response = await fetch(`${gateways[n % 2].url}/api/v1/tts`, {
      method: 'POST',
      headers: { ...ANYBODY, 'content-type': 'application/json' },
      body: JSON.stringify({ text: `This is job ${n}.`, voice: 'anna', model: 'PlayDialog' }),
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    ids.push((await response.json()).id);
  }
  await sleep(8000);
  for (const [n, id] of ids.entries()) {
    const job = await (
      await fetch(`${gateways[(n + 1) % 2].url}/api/v1/tts/${id}`, { headers: ANYBODY })
    ).json();
    if (!/complete/i.test(JSON.stringify(job))) throw new Error(JSON.stringify(job));
  }
}, JOBS);

console.table(table);
console.log(JSON.stringify(table));
for (const { child } of gateways) child.kill();
await database.end();
await Promise.all([postgres.close(), redis.close(), upstream.close()]);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
