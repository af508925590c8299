// Carries a used data folder to PostgreSQL and a shared folder, or a bucket of S3, and back into a new one with `voxgate migrate`,
// which is killed again and again on its way, and asks gateways before, in between and after:
//
//   node scripts/build.mjs --if-stale
//   node scripts/migrate-trial.mjs [--files folder|s3] [--works 1000] [--kills 10] [--seed 1]
//
// Forty works are made by a gateway; the others are copies of these under ids and keys of their own.
// Promised: every work, address of a file, Idempotency-Key, webhook secret, agent, message and token is as before at each of
// three instances, and afterwards in the new folder; nothing is lost, nothing doubled. Exit code 1 when a promise is broken.

import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { seededBelow } from './seeded.mjs';
import { startServing } from './serving-gateway.mjs';
import { listen, SOURCE, startSpokenUpstream } from './spoken-upstream.mjs';

const PROGRAM = resolve(import.meta.dirname, '../dist/main.js');
const INSTANCES = 3;
const USERS = Array.from({ length: 20 }, (_, at) => `user-${at}`);
const AT_ONCE = 8;
const END_DEADLINE_MS = 10 * 60_000;
const SENTENCE = 'The harbour was quiet that morning, and the boats lay still. ';
/** Of works that are under way when their gateway dies: several parts, of which the first is spoken. */
const LONG = SENTENCE.repeat(36);

const { values } = parseArgs({
  options: {
    works: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    /** Where the instances have them: `folder` or `s3`. */
    files: { type: 'string', default: 'folder' },
    /** A kill comes at most so long after records are being carried, ms. */
    spread: { type: 'string', default: '1500' },
  },
});
const [WORKS, KILLS, SPREAD_MS] = [Number(values.works), Number(values.kills), Number(values.spread)];
/** So many a gateway really makes; the others are copies of these under ids and keys of their own. */
const [MADE, MADE_UNDER_WAY] = [Math.min(WORKS, 40), 4];
const UNDER_WAY = Math.max(MADE_UNDER_WAY, Math.ceil(WORKS / 50));

const below = seededBelow(Number(values.seed));
const tell = (line) => console.error(`${Math.round(performance.now() / 1000)} s: ${line}`);
const faults = [];
const fault = (words) => {
  faults.push(words);
  tell(`FAULT ${words}`);
};

const upstream = await startSpokenUpstream();
/** Ids of messages that were taken → how often; while it is down it takes none, and one user wants none at all. */
const taken = new Map();
let receiver = 'down';
const hook = await listen(async (request, response) => {
  await text(request);
  if (request.url.endsWith(USERS[7])) return response.writeHead(410).end();
  if (receiver === 'down') return response.writeHead(500).end();
  const id = request.headers['webhook-id'];
  taken.set(id, (taken.get(id) ?? 0) + 1);
  response.writeHead(204).end();
});

const BASE = {
  VOXGATE_API_KEYS: USERS.map((user) => `${user}:key-of-${user}`).join(','),
  VOXGATE_UPSTREAM_URL: upstream.url,
  VOXGATE_UPSTREAM_KEYS: 'user:key@100000',
  // Works under way are answered nothing until all has been asked, which takes minutes on a busy machine.
  VOXGATE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '60000',
  VOXGATE_WORD_TIMES: 'never',
  VOXGATE_ENDINGS: 'sound',
  VOXGATE_FFMPEG: 'off',
  VOXGATE_PRIVATE_ADDRESSES: 'allowed',
  VOXGATE_MAKE_PER_MINUTE: '0',
  VOXGATE_ASK_PER_MINUTE: '0',
  VOXGATE_WORKS_PER_USER: '10000',
  VOXGATE_WORKS_AT_ONCE: '6',
  VOXGATE_LOG_LEVEL: 'error',
};

const headersOf = (user) => ({ authorization: `Bearer key-of-${user}`, 'x-user-id': user });
async function ask(url, user, method, path, { json, form, headers = {} } = {}) {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...headersOf(user), ...type, ...headers },
    body: form ?? (json === undefined ? undefined : JSON.stringify(json)),
  });
  const said = await response.text();
  return {
    status: response.status,
    json: said.startsWith('{') || said.startsWith('[') ? JSON.parse(said) : undefined,
    next: /<([^>]+)>; *rel="?next/.exec(response.headers.get('link') ?? '')?.[1],
  };
}
async function listAll(url, user, path) {
  const all = [];
  for (let at = `${path}?limit=100`; at !== undefined; ) {
    const { json, next } = await ask(url, user, 'GET', at);
    all.push(...json);
    at = next === undefined ? undefined : new URL(next, url).pathname + new URL(next, url).search;
  }
  return all;
}
/** For all of `items`, so many at a time. */
async function each(items, task) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const at = next++;
      await task(items[at], at);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

const pathOf = (kind) => (kind === 'tts' ? '/api/v1/tts' : '/api/v1/playnotes');
/** The same request each time that it is made. */
function createWork(url, { kind, user, key, words }) {
  const webHookUrl = `${hook.url}/${user}`;
  const headers = { 'idempotency-key': key };
  if (kind === 'tts') {
    const json = {
      model: 'VoxDialog',
      text: words,
      voice: 'voice://a',
      outputFormat: 'mp3',
      seed: 7,
      webHookUrl,
    };
    return ask(url, user, 'POST', pathOf(kind), { json, headers });
  }
  const form = new FormData();
  form.set('sourceFile', new Blob([SOURCE], { type: 'text/plain' }), 'source.txt');
  form.set('synthesisStyle', 'podcast');
  form.set('voice1', 'voice://a');
  form.set('voice1Name', 'Ann');
  form.set('webHookUrl', webHookUrl);
  return ask(url, user, 'POST', pathOf(kind), { form, headers });
}

const withoutOrigin = (record) =>
  JSON.parse(JSON.stringify(record).replaceAll(/https?:\/\/[^/"]+\/v1\/files/g, '/v1/files'));
const addressesOf = (record) =>
  [...JSON.stringify(record).matchAll(/\/v1\/files\/[^"]+/g)].map(([found]) => found);
async function digestOf(url, address) {
  const response = await fetch(new URL(address, url));
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.ok ? createHash('sha256').update(bytes).digest('hex') : `HTTP ${response.status}`;
}
async function recordOf(url, { kind, user, id }) {
  const { status, json } = await ask(url, user, 'GET', `${pathOf(kind)}/${id}`);
  return status === 200 ? withoutOrigin(json) : { missing: status };
}
/** What a work is now: its record, and the digest of each of its files. */
async function keep(url, work) {
  work.record = await recordOf(url, work);
  work.files = {};
  for (const address of addressesOf(work.record)) work.files[address] = await digestOf(url, address);
}
async function enter(url, token) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/session`, ['voxgate.v1', `token.${token}`]);
  socket.on('error', () => {});
  const answer = await Promise.race([
    once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
    once(socket, 'open').then(() => 'open'),
  ]);
  socket.terminate();
  return answer;
}
async function messagesOf(url, user) {
  const all = await listAll(url, user, '/api/v1/webhooks/deliveries');
  return new Map(
    all.map(({ id, type, state, createdAt, attempts }) => [id, { type, state, createdAt, attempts }]),
  );
}
async function until(what, isSo) {
  const endMs = performance.now() + END_DEADLINE_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`still waiting: ${what}`);
    await pause(500);
  }
}
const stop = async ({ child }, signal) => {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
};

/** A server of S3 in a thread of its own, so that what it does for instances does not hold up the trial: {filesUrl, keys, close}. */
async function startBucket() {
  const from = (name) => JSON.stringify(new URL(`../test/support/${name}`, import.meta.url).href);
  const program = `
    const { parentPort } = require('node:worker_threads');
    require('node:module').register(${from('typescript-hooks.mjs')});
    import(${from('s3-server.ts')}).then(async ({ startS3, BUCKET, S3_KEYS }) => {
      const server = await startS3();
      parentPort.once('message', () => server.close());
      parentPort.postMessage({ endpoint: server.endpoint, bucket: BUCKET, keys: { ...S3_KEYS } });
    })`;
  const thread = new Worker(program, { eval: true });
  const [{ endpoint, bucket: name, keys }] = await once(thread, 'message');
  return {
    filesUrl: `s3://${name}/voxgate?region=us-east-1&endpoint=${encodeURIComponent(endpoint)}`,
    keys,
    async close() {
      const gone = once(thread, 'exit');
      thread.postMessage('close');
      await gone;
    },
  };
}

/** Runs it until it has ended by itself; the first runs are killed while records are carried. */
async function migrate(args, env, kills) {
  let [killed, runs, printed] = [0, 0, ''];
  const began = performance.now();
  for (;;) {
    runs += 1;
    const child = spawn(process.execPath, [PROGRAM, 'migrate', '--json', ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const afterMs = below(SPREAD_MS);
    let timer;
    let said = '';
    child.stderr.on('data', (part) => {
      said += part;
    });
    printed = '';
    child.stdout.on('data', (part) => {
      printed += part;
      if (killed < kills && timer === undefined && printed.includes('"carrying"'))
        timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
    });
    const [code, signal] = await once(child, 'close');
    clearTimeout(timer);
    if (signal === 'SIGKILL') {
      killed += 1;
      tell(`kill ${killed} after ${afterMs} ms`);
      continue;
    }
    if (code !== 0) throw new Error(`migrate ${args.join(' ')} ended with ${code}: ${said}`);
    if (killed < kills) fault(`it was done after ${killed} of ${kills} kills: call with a smaller --spread`);
    const result = JSON.parse(printed.trim().split('\n').at(-1));
    return { kills: killed, runs, seconds: Math.round((performance.now() - began) / 100) / 10, ...result };
  }
}

// The tests' own server, which is TypeScript.
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startPostgres } = await import('../test/support/postgres-server.ts');
const postgres = await startPostgres();
const root = mkdtempSync(join(tmpdir(), 'voxgate-migrate-'));
const bucket = values.files === 's3' ? await startBucket() : undefined;
const running = new Set();
async function close() {
  for (const child of running) child.kill('SIGKILL');
  upstream.close();
  hook.close();
  await postgres.close();
  await bucket?.close();
  rmSync(root, { recursive: true, force: true });
}
process.on('uncaughtException', (error) => {
  console.error(error);
  void close().finally(() => process.exit(1));
});
const serve = async (dataDir, env) => {
  const gateway = await startServing(PROGRAM, dataDir, env);
  running.add(gateway.child);
  gateway.child.once('exit', () => running.delete(gateway.child));
  return gateway;
};
const [first, second] = [join(root, 'first'), join(root, 'second')];

// A data folder as it is after some use, whose gateway dies.
let gateway = await serve(first, BASE);
const works = Array.from({ length: MADE }, (_, at) => ({
  kind: at % 20 === 3 ? 'playnotes' : 'tts',
  user: at % 20 === 3 ? USERS[Math.floor(at / 20) % USERS.length] : USERS[at % USERS.length],
  key: `key-${at}`,
  words: at < MADE - MADE_UNDER_WAY ? `Work ${at}. ${SENTENCE}` : `Work ${at}. ${LONG}`,
}));
const take = async (work) => {
  for (;;) {
    const { status, json } = await createWork(gateway.url, work);
    if (status === 201) {
      work.id = json.id;
      return;
    }
    if (status !== 403 && status !== 503) throw new Error(`${status} ${JSON.stringify(json)}`);
    await pause(200); // its user has a PlayNote under way
  }
};
const finished = works.slice(0, MADE - MADE_UNDER_WAY);
await each(finished, take);
tell(`${finished.length} works taken on`);
await until('works', async () => {
  let open = 0;
  for (const user of USERS)
    for (const kind of ['tts', 'playnotes'])
      for (const { status } of await listAll(gateway.url, user, pathOf(kind)))
        if (!/^(completed|failed|cancelled)$/i.test(status)) open += 1;
  tell(`${open} under way`);
  return open === 0;
});
const agents = [];
for (const user of USERS) {
  const { json } = await ask(gateway.url, user, 'POST', '/api/v1/agents', {
    json: { name: `Agent of ${user}`, voice: 'voice://a' },
  });
  agents.push({ user, id: json.id });
}
/** Two tokens of this gateway, the second taken back; they hold for 900 s. */
async function issuePair(url) {
  const json = { scope: 'speak', expiresInSeconds: 900 };
  const issue = async () => (await ask(url, USERS[0], 'POST', '/v1/tokens', { json })).json;
  const pair = { good: await issue(), revoked: await issue() };
  await ask(url, USERS[0], 'DELETE', `/v1/tokens/${pair.revoked.id}`);
  return pair;
}
upstream.answers = 'beginnings';
await each(works.slice(MADE - MADE_UNDER_WAY), take);
// The first parts of the last works are spoken, and then nothing more.
await until('parts', async () => parts(first) >= MADE_UNDER_WAY);
upstream.answers = 'never';
function parts(dataDir) {
  const names = readdirSync(join(dataDir, 'works'), { recursive: true });
  return names.filter((name) => /scratch\/part-\d+\.mp3$/.test(name)).length;
}
await stop(gateway, 'SIGKILL');
await multiply();
gateway = await serve(first, BASE);

/** Copies of what was made, with its files, parts and messages, until there are so many as were asked for. */
async function multiply() {
  const [{ openSqliteDatabase }, { systemClock }, { silentLog }] = await Promise.all([
    import('../src/storage/sqlite-database.ts'),
    import('../src/base/clock.ts'),
    import('../src/base/log.ts'),
  ]);
  const database = await openSqliteDatabase({ dataDir: first, clock: systemClock, log: silentLog });
  const rowOf = new Map(database.read.all('SELECT * FROM works').map((row) => [row.id, row]));
  const messages = database.read.all('SELECT * FROM deliveries');
  const insert = (sql, table, row) => {
    const { seq: _seq, ...columns } = row;
    const names = Object.keys(columns);
    const places = names.map(() => '?').join();
    sql.run(`INSERT INTO ${table} (${names.join()}) VALUES (${places})`, ...Object.values(columns));
  };
  const originals = [...works];
  const ended = originals.slice(0, MADE - MADE_UNDER_WAY);
  const open = originals.slice(MADE - MADE_UNDER_WAY);
  for (let at = MADE; at < WORKS; at++) {
    const original =
      at < MADE + UNDER_WAY - MADE_UNDER_WAY ? open[at % open.length] : ended[at % ended.length];
    const copy = { ...original, id: randomUUID(), key: `key-${at}` };
    works.push(copy);
    const from = join(first, 'works', original.id);
    if (existsSync(from)) cpSync(from, join(first, 'works', copy.id), { recursive: true });
    await database.write((sql) => {
      insert(sql, 'works', { ...rowOf.get(original.id), id: copy.id, request_key: copy.key });
      for (const message of messages)
        if (message.body.includes(original.id))
          insert(sql, 'deliveries', {
            ...message,
            id: `msg_${randomUUID()}`,
            body: message.body.replaceAll(original.id, copy.id),
          });
    });
  }
  await database.close();
}

let tokens = await issuePair(gateway.url);
await each(works, (work) => keep(gateway.url, work));
const ended = works.filter(({ record }) => /completed|failed/i.test(record.status)).length;
for (const agent of agents)
  agent.record = (await ask(gateway.url, agent.user, 'GET', `/api/v1/agents/${agent.id}`)).json;
const users = new Map();
for (const user of USERS)
  users.set(user, {
    secret: (await ask(gateway.url, user, 'GET', '/api/v1/webhooks/secret')).json.secret,
    messages: await messagesOf(gateway.url, user),
  });
await stop(gateway, 'SIGKILL');
const under = { works: WORKS - ended, parts: parts(first) };
tell(`${ended} ended, ${under.works} under way with ${under.parts} parts; killed`);

const secret = readFileSync(join(first, 'service-secret'), 'utf8').trim();
const shared = {
  ...BASE,
  VOXGATE_DATABASE_URL: await postgres.database('trial'),
  VOXGATE_FILES_URL: bucket?.filesUrl ?? `file://${join(root, 'shared')}`,
  VOXGATE_SECRET: secret,
  ...bucket?.keys,
};
const there = await migrate([], { ...shared, VOXGATE_DATA_DIR: first }, KILLS);
const checked = await migrate(['--check'], { ...shared, VOXGATE_DATA_DIR: first }, 0);
tell(`there: ${JSON.stringify(there)}`);

/** All that was promised, asked at each of `urls` in turn. `compare`: what a record has to be beside being there. */
async function verify(name, urls) {
  const counts = { works: 0, addresses: 0, keys: 0, secrets: 0, agents: 0, messages: 0, lost: 0, doubled: 0 };
  const at = (n) => urls[n % urls.length];
  await each(works, async (work, n) => {
    const record = await recordOf(at(n), work);
    const isEnded = /completed|failed/i.test(work.record.status);
    if (record.missing !== undefined) {
      counts.lost += 1;
      return fault(`${name}: work ${work.id} is lost (${record.missing})`);
    }
    if (isEnded && JSON.stringify(record) !== JSON.stringify(work.record))
      fault(`${name}: work ${work.id} is another`);
    else counts.works += 1;
    for (const [address, digest] of Object.entries(work.files)) {
      const found = await digestOf(at(n + 1), address);
      if (found === digest) counts.addresses += 1;
      else fault(`${name}: ${address.replace(/[^/]+(?=\/[^/]+$)/, '…')} is ${found}`);
    }
    const again = await createWork(at(n + 2), work);
    if (again.json?.id === work.id) counts.keys += 1;
    else fault(`${name}: the key of work ${work.id} answers ${again.status} with another work`);
  });
  for (const [n, user] of USERS.entries()) {
    const listed = [];
    for (const kind of ['tts', 'playnotes']) listed.push(...(await listAll(at(n), user, pathOf(kind))));
    const own = works.filter((work) => work.user === user).length;
    if (listed.length !== own || new Set(listed.map(({ id }) => id)).size !== own) {
      counts.doubled += Math.max(0, listed.length - own);
      fault(`${name}: ${user} has ${listed.length} works instead of ${own}`);
    }
    const { json } = await ask(at(n + 1), user, 'GET', '/api/v1/webhooks/secret');
    if (json.secret === users.get(user).secret) counts.secrets += 1;
    else fault(`${name}: ${user} has another webhook secret`);
    const found = await messagesOf(at(n), user);
    for (const [id, before] of users.get(user).messages) {
      const now = found.get(id);
      const isKept =
        now !== undefined &&
        now.type === before.type &&
        now.createdAt === before.createdAt &&
        // It may have been tried once more.
        JSON.stringify(now.attempts.slice(0, before.attempts.length)) === JSON.stringify(before.attempts);
      if (isKept) counts.messages += 1;
      else fault(`${name}: message ${id} is not as before`);
    }
  }
  for (const [n, { user, id, record }] of agents.entries()) {
    const { json } = await ask(at(n), user, 'GET', `/api/v1/agents/${id}`);
    if (JSON.stringify(json) === JSON.stringify(record)) counts.agents += 1;
    else fault(`${name}: agent ${id} is another`);
  }
  for (const url of urls) {
    const answers = [await enter(url, tokens.good.token), await enter(url, tokens.revoked.token)];
    if (answers.join() !== 'open,401') fault(`${name}: the two tokens are answered ${answers.join()}`);
  }
  tell(`${name}: ${JSON.stringify(counts)}`);
  return counts;
}

const instances = await Promise.all(
  Array.from({ length: INSTANCES }, (_, at) => serve(join(root, `instance-${at}`), shared)),
);
const urls = instances.map(({ url }) => url);
const atInstances = await verify('at three instances', urls);
// They go on with what was under way, and tell of it.
upstream.answers = 'whole';
receiver = 'up';
await until('the works under way', async () => {
  for (const work of works)
    if (!/completed|failed/i.test(work.record.status)) {
      work.record = await recordOf(urls[0], work);
      if (!/completed|failed/i.test(work.record.status)) return false;
    }
  return true;
});
await pause(3_000); // their last messages
const failed = works.filter(({ record }) => record.status !== 'completed').length;
if (failed > 0) fault(`${failed} works did not complete`);
await each(works, (work) => keep(urls[0], work));
for (const user of USERS) users.get(user).messages = await messagesOf(urls[1], user);
const repeated = [...taken.values()].filter((times) => times > 1).length;
if (repeated > 0) fault(`${repeated} messages came twice`);
tokens = await issuePair(urls[2]);
for (const instance of instances) await stop(instance, 'SIGTERM');

const back = await migrate(['--back'], { ...shared, VOXGATE_DATA_DIR: second }, KILLS);
const checkedBack = await migrate(['--back', '--check'], { ...shared, VOXGATE_DATA_DIR: second }, 0);
tell(`back: ${JSON.stringify(back)}`);
if (readFileSync(join(second, 'service-secret'), 'utf8').trim() !== secret)
  fault('the new folder has another secret');
// Without the settings of instances, as before.
gateway = await serve(second, BASE);
const afterwards = await verify('in the new folder', [gateway.url]);
await stop(gateway, 'SIGTERM');

await close();
const short = ({ kills, runs, seconds, files }) => ({
  kills,
  runs,
  seconds,
  files: files.carried,
  bytes: files.bytes,
});
console.log(
  JSON.stringify({
    ...{
      trial: 'migrate',
      files: values.files,
      works: WORKS,
      made: MADE,
      under,
      messagesTaken: taken.size,
      repeated,
    },
    ...{ there: short(there), checked: checked.outcome, atInstances },
    ...{ back: short(back), checkedBack: checkedBack.outcome, afterwards, faults },
  }),
);
process.exitCode = faults.length === 0 ? 0 : 1;
