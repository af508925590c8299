// Three gateways of the compiled program behind HAProxy round robin, with PostgreSQL, Redis, files in common, a webhook and a speech
// service that a trial scripts. Each has a path of its own to its servers, which can be cut.

import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBalancer } from './balancer.mjs';
import { startPaths } from './cut-path.mjs';
import { MAX_MS } from './resumable-client.mjs';
import { endOfTrial, startServing } from './serving-gateway.mjs';
import { listen } from './spoken-upstream.mjs';

register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { startPostgres } = await import('../test/support/postgres-server.ts');
const { freePort, startRedis } = await import('../test/support/redis-server.ts');
const { BUCKET, S3_KEYS, startS3 } = await import('../test/support/s3-server.ts');
const { startScriptedUpstream } = await import('../test/support/scripted-upstream.ts');
const { speaking } = await import('../test/support/running-gateway.ts');
const { BODY_BYTES_FIELD } = await import('../src/speech/body-bytes.ts');

const PROGRAM = resolve(import.meta.dirname, '../dist/main.js');
const INSTANCES = 3;
const ADMIN = 'key-of-the-operator';

/** Speech as long as its text. It is cut to size, maybe in the middle of a sound: its length is told, so that it is not taken for cut. */
export function speak(reply) {
  let bytes = 0;
  return speaking({
    ...reply,
    start: () => reply.start(200, { 'content-type': 'audio/mpeg', trailer: BODY_BYTES_FIELD }),
    write(chunk) {
      bytes += chunk.length;
      reply.write(chunk);
    },
    end: () => reply.end({ [BODY_BYTES_FIELD]: `${bytes}` }),
  });
}

export const headersOf = (user) => ({ authorization: `Bearer key-of-${user}`, 'x-user-id': user });

/** What `ask` answers of a reply over HTTP; `base`: the address asked, `form`: makes a body anew for each attempt. */
async function ask(base, user, method, at, { json, form, headers = {} } = {}) {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(new URL(at, base), {
    method,
    headers: { ...headersOf(user), ...type, ...headers },
    body: form?.() ?? (json === undefined ? undefined : JSON.stringify(json)),
    signal: AbortSignal.timeout(5000),
  });
  const said = Buffer.from(await response.arrayBuffer());
  const json_ = /^application\/json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    said,
    json: json_ ? JSON.parse(said.toString()) : undefined,
  };
}

export async function until(what, isSo, maxMs = 3 * MAX_MS) {
  const endMs = performance.now() + maxMs;
  for (;;) {
    const found = await isSo();
    if (found) return found;
    if (performance.now() > endMs) throw new Error(`still waiting: ${what}`);
    await pause(200);
  }
}

/**
 * `script`: of the speech service; `onHook`: takes a message to the webhook; `files`: `folder` or `s3`; `env`: settings of all.
 * All of them have found each other when it resolves.
 */
export async function startInstances({ users, script, onHook, files, env }) {
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-instances-'));
  const [postgres, redis] = [await startPostgres(), await startRedis()];
  const s3 = files === 's3' ? await startS3() : undefined;
  const upstream = await startScriptedUpstream(script);
  const hook = await listen(onHook);
  const children = new Set();
  const keep = (child) => {
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  const servers = [upstream, hook, redis, postgres, ...(s3 === undefined ? [] : [s3])];
  const close = endOfTrial({ children, servers, folder });
  const paths = startPaths();
  keep(paths.child);

  const databaseUrl = await postgres.database('trial');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const shared = {
    ...S3_KEYS,
    VOXGATE_API_KEYS: users.map((user) => `${user}:key-of-${user}`).join(','),
    VOXGATE_ADMIN_KEY: ADMIN,
    VOXGATE_SECRET: randomBytes(32).toString('base64'),
    VOXGATE_UPSTREAM_URL: upstream.url.origin,
    VOXGATE_UPSTREAM_MAX_IN_FLIGHT_PER_KEY: '200',
    VOXGATE_WORD_TIMES: 'never',
    VOXGATE_FFMPEG: 'off',
    VOXGATE_PRIVATE_ADDRESSES: 'allowed',
    VOXGATE_BUSY_AT: '0',
    VOXGATE_WORKS_AT_ONCE: '2',
    VOXGATE_WORKS_PER_USER: '1000',
    VOXGATE_MAKE_PER_MINUTE: '0',
    VOXGATE_ASK_PER_MINUTE: '0',
    VOXGATE_LOG_LEVEL: process.env.VOXGATE_LOG_LEVEL ?? 'error',
    ...env,
  };
  const places = [];
  for (let at = 0; at < INSTANCES; at += 1)
    places.push({
      ...{ at, port: await freePort(), peerPort: await freePort() },
      redis: await paths.open(redis.port),
      postgres: await paths.open(Number(new URL(databaseUrl).port)),
      ...(s3 === undefined ? {} : { s3: await paths.open(s3.port) }),
    });
  async function serve(place) {
    const at = (path) => `127.0.0.1:${path.port}`;
    const s3Url = () =>
      `s3://${BUCKET}/trial?endpoint=${encodeURIComponent(`http://${at(place.s3)}`)}&region=us-east-1`;
    const own = {
      VOXGATE_DATABASE_URL: databaseUrl.replace(/127\.0\.0\.1:\d+/, at(place.postgres)),
      VOXGATE_REDIS_URL: `redis://${at(place.redis)}`,
      VOXGATE_FILES_URL: files === 's3' ? s3Url() : `file://${join(folder, 'shared')}`,
      VOXGATE_PEER_PORT: `${place.peerPort}`,
      VOXGATE_PEER_URL: `http://127.0.0.1:${place.peerPort}`,
    };
    const dataDir = join(folder, `${place.at}`);
    const { child, url: base } = await startServing(PROGRAM, dataDir, { ...shared, ...own }, place.port);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => process.stderr.write(`${place.at}: ${part}`));
    return Object.assign(place, { child: keep(child), url: base });
  }
  await Promise.all(places.map(serve));
  keep(startBalancer({ folder, port, urls: places.map((place) => place.url) }));

  const bearer = { headers: { authorization: `Bearer ${ADMIN}` } };
  const scrape = async ({ url: base }) => {
    const { said } = await ask(base, users[0], 'GET', '/metrics', bearer).catch(() => ({ said: '' }));
    return said.toString();
  };
  const allFound = (maxMs) =>
    until(
      'three instances that know each other',
      async () => {
        for (const place of places)
          if (!(await scrape(place)).includes(`\nvoxgate_instances ${INSTANCES}\n`)) return false;
        return true;
      },
      maxMs,
    );
  await allFound();
  await pause(2500); // the balancer knows them, too
  return {
    ...{ url, places, upstream, hookUrl: `${hook.url}/`, serve, allFound, scrape, close },
    /** At the balancer unless `base` says where. */
    ask: (user, method, at, { base = url, ...more } = {}) => ask(base, user, method, at, more),
  };
}
