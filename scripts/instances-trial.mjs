// Three gateways on one PostgreSQL and one folder: pairs of PlayNotes of a user, and requests with one idempotency key, at
// several of them at once. Prints what came of them; ends with 1 unless each pair has one 201 and each key one job.
//
//   node scripts/build.mjs --if-stale && node scripts/instances-trial.mjs [--pairs 2000] [--keys 500]

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startServing } from './serving-gateway.mjs';

const INSTANCES = 3;
const AT_ONCE = 12;
const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '2000' },
    keys: { type: 'string', default: '500' },
    program: { type: 'string', default: resolve(import.meta.dirname, '../dist/main.js') },
  },
});

// The tests' own server, which is TypeScript.
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startPostgres } = await import('../test/support/postgres-server.ts');

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'voxgate-instances-'));
// A speech service that never answers: whatever is taken on stays unfinished.
const silent = createServer(() => {}).listen(0, '127.0.0.1');
await new Promise((listening) => silent.once('listening', listening));
const env = {
  VOXGATE_DATABASE_URL: await postgres.database('trial'),
  VOXGATE_FILES_URL: `file://${join(folder, 'shared')}`,
  VOXGATE_SECRET: randomBytes(32).toString('base64'),
  VOXGATE_UPSTREAM_URL: `http://127.0.0.1:${silent.address().port}`,
  VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
  VOXGATE_ASK_PER_MINUTE: '0',
  VOXGATE_WORKS_AT_ONCE: '1',
};
const gateways = await Promise.all(
  Array.from({ length: INSTANCES }, (_, i) => startServing(values.program, join(folder, `${i}`), env)),
);

const headersOf = (user) => ({ authorization: 'Bearer any', 'x-user-id': user });
async function post({ url }, path, user, body, more = {}) {
  const headers = { ...headersOf(user), ...more };
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body });
  return { status: response.status, json: await response.json() };
}
function playNote() {
  const form = new FormData();
  form.append('synthesisStyle', 'podcast');
  form.append('voice1', 'voice://a');
  form.append('voice1Name', 'Ann');
  form.append('sourceFile', new Blob(['The bridge crosses the river below the mill.']), 'source.txt');
  return form;
}
/** Runs `task` for 0 … count − 1, a bounded number at a time; answers how often each result came. */
async function tally(count, task) {
  const results = {};
  let next = 0;
  const run = async () => {
    while (next < count) {
      const result = await task(next++);
      results[result] = (results[result] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return results;
}

const began = performance.now();
const pairs = await tally(Number(values.pairs), async (i) => {
  const both = [gateways[i % INSTANCES], gateways[(i + 1 + (i % 2)) % INSTANCES]];
  const answers = await Promise.all(both.map((at) => post(at, '/api/v1/playnotes', `user-${i}`, playNote())));
  return answers
    .map(({ status }) => status)
    .sort((one, other) => one - other)
    .join(' and ');
});
const keys = await tally(Number(values.keys), async (i) => {
  const body = JSON.stringify({ model: 'VoxDialog', text: 'Good morning.', voice: 'voice://a' });
  const more = { 'content-type': 'application/json', 'idempotency-key': `key-${i}` };
  const answers = await Promise.all(gateways.map((at) => post(at, '/api/v1/tts', `user-${i}`, body, more)));
  return `${new Set(answers.map(({ json }) => json.id)).size} job of ${answers.map(({ status }) => status).join(', ')}`;
});
const seconds = Math.round((performance.now() - began) / 100) / 10;
console.log(JSON.stringify({ instances: INSTANCES, pairs, keys, seconds }));

for (const { child } of gateways) child.kill('SIGKILL');
silent.closeAllConnections();
silent.close();
await postgres.close();
rmSync(folder, { recursive: true, force: true });
const isRight =
  pairs['201 and 403'] === Number(values.pairs) && keys['1 job of 201, 201, 201'] === Number(values.keys);
process.exitCode = isRight ? 0 : 1;
