// Three instances with PostgreSQL, Redis and a bucket in common behind HAProxy as deploy/ has it: whichever it picks knows what
// the others did. Many more times, with an instance that dies: scripts/balanced-trial.mjs.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createTelnyxSide } from '../../testkit/carriers/telnyx-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { isMissing } from '../support/missing-programs.ts';
import { readPage } from '../support/page-blocks.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { freePort, hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { speaking } from '../support/running-gateway.ts';
import {
  type Ask,
  credentialsOf,
  type RunningService,
  startRunningService,
  VOICE,
} from '../support/running-service.ts';
import { BUCKET, type S3Server, startS3 } from '../support/s3-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const SLOW = { timeout: 240_000 };
const SOON = { timeout: 60_000, interval: 20 };
/** So often is each asked, one after another: once at every instance. */
const TIMES = 3;
const TEXT = 'Good morning.';

const hasAll = hasPostgres && hasRedis && !isMissing('haproxy');
let servers: { readonly postgres: PostgresServer; readonly redis: RedisServer; readonly s3: S3Server };
let instances: RunningService[];
let balancer: ChildProcess | undefined;
let hook: Server;
let url: string;
const folder = scratchFolder('balanced');
const messages: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The file of deploy/, with places of this test. Descriptors for its number of connections are not there everywhere. */
function balancerFile(port: number): string {
  const shipped = readPage('deploy/haproxy.cfg');
  const places: readonly (readonly [RegExp, string])[] = [
    [/maxconn 20000$/m, 'maxconn 500'],
    [/bind :8080$/m, `bind 127.0.0.1:${port}`],
    ...instances.map(
      ({ url: at }, n) =>
        [new RegExp(`(?<=voxgate-${n + 1} )voxgate-${n + 1}:8080$`, 'm'), new URL(at).host] as const,
    ),
  ];
  for (const [place] of places) expect(shipped).toMatch(place);
  return places.reduce((file, [place, mine]) => file.replace(place, mine), shipped);
}

beforeAll(async () => {
  if (!hasAll) return;
  const [postgres, redis, s3, port] = await Promise.all([
    startPostgres(),
    startRedis(),
    startS3(),
    freePort(),
  ]);
  servers = { postgres, redis, s3 };
  url = `http://127.0.0.1:${port}`;
  hook = createServer((request, response) => {
    void text(request).then((body) => {
      messages.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(hook, 'listening');
  const shared = {
    VOXGATE_PUBLIC_URL: url,
    VOXGATE_DATABASE_URL: await postgres.database('balanced'),
    VOXGATE_FILES_URL: `s3://${BUCKET}/voxgate?region=us-east-1&endpoint=${encodeURIComponent(s3.endpoint)}`,
    VOXGATE_REDIS_URL: redis.url,
    VOXGATE_SECRET: randomBytes(32).toString('base64'),
    VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
  };
  instances = [];
  // One after another: they share a thread, and the first makes the tables.
  for (const _ of [1, 2, 3]) {
    const peer = await freePort();
    const places = { VOXGATE_PEER_PORT: `${peer}`, VOXGATE_PEER_URL: `http://127.0.0.1:${peer}` };
    instances.push(
      await startRunningService({ env: { ...shared, ...places }, script: speaking, processes: 1 }),
    );
  }
  writeFileSync(join(folder, 'haproxy.cfg'), balancerFile(port));
  // Debian keeps it out of the PATH of users who are not root.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  balancer = spawn('haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db'], { env, stdio: 'ignore' });
  await vi.waitUntil(async () => {
    const known = await Promise.all(instances.map((each) => each.metric('voxgate_instances')));
    return known.every((count) => count === 3);
  }, SOON);
  await vi.waitUntil(async () => (await ask('GET', '/readyz').catch(() => undefined))?.status === 200, SOON);
}, SLOW.timeout);
afterAll(async () => {
  if (!hasAll) return;
  balancer?.kill('SIGKILL');
  hook.close();
  hook.closeAllConnections();
  await Promise.all(instances.map((each) => each.close()));
  await Promise.all(Object.values(servers).map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
}, SLOW.timeout);

type Said = { readonly status: number; readonly json: Record<string, unknown> & { readonly id: string } };
async function ask(method: string, path: string, { user = 'ann', json, headers }: Ask = {}): Promise<Said> {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const body = json === undefined ? null : JSON.stringify(json);
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...credentialsOf(user), ...type, ...headers },
    body,
  });
  const said = await response.text();
  return { status: response.status, json: /^[[{]/.test(said) ? JSON.parse(said) : undefined };
}
/** What each of so many answers is, one after another. */
async function each<T>(task: (n: number) => Promise<T>): Promise<readonly T[]> {
  const answers: T[] = [];
  for (let n = 0; n < TIMES; n++) answers.push(await task(n));
  return answers;
}
const all = <T>(answer: T): readonly T[] => Array.from({ length: TIMES }, () => answer);

type Message = Readonly<Record<string, unknown>> & {
  readonly session: string;
  readonly attachToken: string;
  readonly resume?: { readonly token: string };
};
type Opened = {
  readonly socket: WebSocket;
  /** `open`, or the status of the refusal. */
  readonly answer: 'open' | number;
  event(type: string): Promise<Message>;
};
async function open(path: string, protocols = ['voxgate.v1'], user?: string): Promise<Opened> {
  const headers = user === undefined ? {} : credentialsOf(user);
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocols, { headers });
  const events: Message[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) events.push(JSON.parse(data.toString()));
  });
  socket.on('error', () => {});
  const answer = await new Promise<Opened['answer']>((resolve) => {
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0));
    socket.once('open', () => resolve('open'));
  });
  const find = (type: string) => events.find((event) => event.type === type);
  return {
    socket,
    answer,
    async event(type) {
      await expect.poll(() => find(type), SOON).toBeDefined();
      return find(type)!;
    },
  };
}
/** How a session is answered that is opened and left. */
async function enter(path: string, protocols?: string[], user?: string): Promise<Opened['answer']> {
  const { socket, answer } = await open(path, protocols, user);
  socket.terminate();
  return answer;
}
const withToken = (token: unknown) => ['voxgate.v1', `token.${String(token)}`];

describe.skipIf(!hasAll)('three instances behind HAProxy', SLOW, () => {
  it('are one for a job, its file and its key', async () => {
    const job = { model: 'VoxDialog', text: TEXT, voice: VOICE, webHookUrl: `${addressOf(hook)}/` };
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all(all(job).map((json) => ask('POST', '/api/v1/tts', { json, headers })));
    expect(answers.map(({ status }) => status)).toEqual(all(201));
    const [id, ...others] = new Set(answers.map(({ json }) => json.id));
    expect(others).toEqual([]);
    const poll = () => ask('GET', `/api/v1/tts/${id}`);
    expect(await each(async () => (await poll()).status)).toEqual(all(200));
    await expect.poll(async () => (await poll()).json.status, SOON).toBe('completed');
    const { output } = (await poll()).json as { output?: { url: string; fileSize: number } };
    expect(output!.url).toContain(url);
    const file = async () => {
      const response = await fetch(output!.url);
      return [response.status, (await response.arrayBuffer()).byteLength];
    };
    expect(await each(file)).toEqual(all([200, output!.fileSize]));
  });

  it('are one for webhooks and their secret', async () => {
    const secrets = await each(async () => (await ask('GET', '/api/v1/webhooks/secret')).json.secret);
    expect(new Set(secrets).size).toBe(1);
    await expect.poll(() => messages.length, SOON).toBeGreaterThan(0);
    const key = Buffer.from(String(secrets[0]).slice('whsec_'.length), 'base64');
    for (const { headers, body } of messages) {
      const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
      const signature = createHmac('sha256', key).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    }
  });

  it('are one for an agent, for requests and sessions', async () => {
    const json = { name: 'Clerk', voice: VOICE };
    const { id } = (await ask('POST', '/api/v1/agents', { json })).json;
    expect(await each(async () => (await ask('GET', `/api/v1/agents/${id}`)).status)).toEqual(all(200));
    expect(await each(() => enter(`/v1/session?agent=${id}`, undefined, 'ann'))).toEqual(all('open'));
  });

  it('are one for a token, until it is taken back', async () => {
    const { token, id } = (await ask('POST', '/v1/tokens', { json: { scope: 'speak' } })).json;
    const enterAll = () => each(() => enter('/v1/session', withToken(token)));
    expect(await enterAll()).toEqual(all('open'));
    expect((await ask('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
    await expect.poll(enterAll, SOON).toEqual(all(401));
  });

  it('are one for who looks on', async () => {
    const watched = await open('/v1/session', undefined, 'bob');
    const { session } = await watched.event('ready');
    const json = { scope: 'watch', session };
    const { token } = (await ask('POST', '/v1/tokens', { user: 'bob', json })).json;
    const look = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(new URL(path, url), { headers });
      await response.body?.cancel();
      return response.status;
    };
    const captions = `/v1/sessions/${session}/captions.vtt?token=${String(token)}`;
    expect(await each(() => look(captions))).toEqual(all(200));
    const events = `/v1/sessions/${session}/events`;
    expect(await each(() => look(events, credentialsOf('bob')))).toEqual(all(200));
    const list = async () => JSON.stringify((await ask('GET', '/v1/sessions', { user: 'bob' })).json);
    for (const listed of await each(list)) expect(listed).toContain(session);
    watched.socket.terminate();
  });

  it('are one for a session that comes back', async () => {
    const comeBack = async () => {
      const lost = await open('/v1/session?resumable=1', undefined, 'cat');
      const { resume } = await lost.event('ready');
      lost.socket.terminate();
      const back = await open(`/v1/session?after=1&resume=${resume!.token}`);
      if (back.answer !== 'open') return back.answer;
      const { exact } = await back.event('session_resumed');
      back.socket.close(1000);
      return exact;
    };
    expect(await each(comeBack)).toEqual(all(true));
  });

  it('are one for a call and its session', async () => {
    const call = async (n: number) => {
      const speaker = await open('/v1/session', undefined, 'dan');
      const say = (message: object) => speaker.socket.send(JSON.stringify(message));
      const { attachToken } = await speaker.event('ready');
      const side = createTelnyxSide({ format: 'mulaw', sampleRate: 8000 });
      const path = `${url.replace('http', 'ws')}/v1/legs/telnyx/${attachToken}`;
      const called = await dial(path, side, { callId: `CA${n}` });
      say({ type: 'attach', leg: { callSid: `CA${n}` } });
      await speaker.event('attached');
      called.announceTurn();
      say({ type: 'speak', turn: 'a', text: TEXT });
      const { remainingText } = await speaker.event('heard');
      say({ type: 'hangup' });
      const code = await called.closed;
      speaker.socket.terminate();
      return [remainingText, code, called.faults.length];
    };
    expect(await Promise.all(all(0).map((_, n) => call(n)))).toEqual(all(['', 1000, 0]));
  });

  it('have all been asked over HTTP, and have refused nothing', async () => {
    for (const instance of instances) {
      const scrape = await instance.scrape();
      const statuses = [
        ...scrape.matchAll(/^voxgate_http_requests_total\{route="\/(?:api|v1)[^}]*status="(\d+)"\} [1-9]/gm),
      ];
      expect(new Set(statuses.map(([, status]) => status))).toContain('200');
      for (const [line, status] of statuses) expect(status, line).toMatch(/^2/);
    }
  });
});
