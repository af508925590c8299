// Two instances on one PostgreSQL, one folder and one secret are one service: what is done at one is known at the other;
// and without PostgreSQL they speak, refuse what they could not keep, and forget nothing.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { speaking } from '../support/running-gateway.ts';
import {
  credentialsOf,
  type RunningService,
  startRunningService,
  VOICE,
} from '../support/running-service.ts';
import { BUCKET, type S3Server, startS3 } from '../support/s3-server.ts';
import { openGate, type Script } from '../support/scripted-upstream.ts';

/** Several gateways and a database on a machine that may have much else to do. */
const SLOW = { timeout: 120_000 };
const SOON = { timeout: 60_000, interval: 50 };

let server: PostgresServer;
let folder: string;
let env: Record<string, string>;
let a: RunningService;
let b: RunningService;
/** What the speech service waits for where a test wants that. */
let gate: { readonly opened: Promise<void>; open(): void } | undefined;
const script: Script = async (reply) => {
  await gate?.opened;
  return speaking(reply);
};

beforeAll(async () => {
  server = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), 'voxgate-shared-'));
  env = {
    VOXGATE_DATABASE_URL: await server.database('instances'),
    VOXGATE_FILES_URL: `file://${folder}`,
    VOXGATE_SECRET: randomBytes(32).toString('base64'),
    VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
  };
  [a, b] = await Promise.all([startRunningService({ env, script }), startRunningService({ env, script })]);
}, SLOW.timeout);
afterAll(async () => {
  await Promise.all([a.close(), b.close()]);
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}, SLOW.timeout);

const job = (text = 'Good morning.') => ({ model: 'VoxDialog', text, voice: VOICE, outputFormat: 'mp3' });
const isOver = ({ status }: Record<string, unknown>) => status === 'completed' || status === 'failed';
const SOURCE = `The old bridge crosses the river below the mill. Boats pass under it from March to November.
In spring the water rises, and the keeper opens the sluice before dawn. He writes the level of each morning into a book.
Twelve such books stand in the town hall. They tell of two floods, one drought and a winter without ice.`;
const playNote = () => ({
  form: {
    synthesisStyle: 'podcast',
    voice1: VOICE,
    voice1Name: 'Ann',
    sourceFile: new Blob([SOURCE]),
  },
});
/** How a session with a token is answered: `open`, or the status of its refusal. */
async function enter(at: RunningService, token: string): Promise<'open' | number> {
  const socket = new WebSocket(at.sessionUrl, ['voxgate.v1', `token.${token}`]);
  socket.on('error', () => {});
  const refused = once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode));
  const opened = once(socket, 'message').then(() => 'open' as const);
  opened.catch(() => {});
  const answer = await Promise.race([refused.catch(() => new Promise<never>(() => {})), opened]);
  socket.terminate();
  return answer;
}

describe('a job that was created at one instance', SLOW, () => {
  it('is polled, listed and fetched at the other, and is the same for the same key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const both = await Promise.all(
      [a, b].map((at) => at.ask('POST', '/api/v1/tts', { json: job(), headers })),
    );
    const ids = new Set(both.map(({ json }) => json.id));
    expect([ids.size, both.map(({ status }) => status)]).toEqual([1, [201, 201]]);
    const [id] = ids;
    const done = await b.until(`/api/v1/tts/${id}`, isOver);
    expect(done.json.status).toBe('completed');
    const listed = await a.ask('GET', '/api/v1/tts');
    expect(JSON.stringify(listed.json)).toContain(String(id));
    const { pathname } = new URL((done.json.output as { url: string }).url);
    const file = await fetch(new URL(pathname, b.url), { headers: { range: 'bytes=0-99' } });
    expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([206, 100]);
    expect((await b.ask('GET', `/api/v1/tts/${id}`, { user: 'bob' })).status).toBe(404);
    const other = await b.ask('POST', '/api/v1/tts', { json: job('Good night.'), headers });
    expect(other.status).toBe(422);
  });

  it('stops where it is being made when it is ended at the other', async () => {
    gate = openGate();
    const { json } = await a.ask('POST', '/api/v1/tts', { json: job() });
    const busy = () => Promise.all([a, b].map((at) => at.metric('voxgate_works_running')));
    await expect.poll(busy, SOON).toContain(1);
    const [running] = await busy();
    const elsewhere = running === 1 ? b : a;
    expect((await elsewhere.ask('DELETE', `/api/v1/tts/${json.id}`)).status).toBeLessThan(300);
    // News, not the lease: that is renewed after 10 s.
    await expect.poll(busy, SOON).toEqual([0, 0]);
    gate.open();
    gate = undefined;
  });
});

describe('what a user has', SLOW, () => {
  it('is one active PlayNote, whichever instances are asked', async () => {
    gate = openGate();
    const answers = await Promise.all(
      [a, b, a, b].map((at) => at.ask('POST', '/api/v1/playnotes', { user: 'bob', ...playNote() })),
    );
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      201, 403, 403, 403,
    ]);
    gate.open();
    gate = undefined;
    const { id } = answers.find(({ status }) => status === 201)!.json;
    const done = await b.until(`/api/v1/playnotes/${id}`, isOver, 'bob');
    expect(done.json).toMatchObject({ status: 'completed' });
  });

  it('is agents, for requests and sessions', async () => {
    const { json } = await a.ask('POST', '/api/v1/agents', {
      json: { name: 'Desk', voice: VOICE, speed: 1.5 },
    });
    expect((await b.ask('GET', `/api/v1/agents/${json.id}`)).json).toMatchObject({
      name: 'Desk',
      speed: 1.5,
    });
    const probe = await b.session(`agent=${json.id}`, { headers: credentialsOf('ann') });
    probe.send({ type: 'configure' });
    expect(await probe.event('configured')).toMatchObject({ synthesis: { speed: 1.5 } });
  });

  it('is tokens, until they are revoked at either', async () => {
    const { json } = await a.ask('POST', '/v1/tokens', { json: { scope: 'speak' } });
    const token = String(json.token);
    expect(await enter(b, token)).toBe('open');
    expect((await b.ask('DELETE', `/v1/tokens/${json.id}`)).status).toBe(204);
    expect(await enter(b, token)).toBe(401);
    await expect.poll(() => enter(a, token), SOON).toBe(401);
    const third = await startRunningService({ env, script });
    expect(await enter(third, token)).toBe(401);
    await third.close();
  });
});

describe('without PostgreSQL', SLOW, () => {
  it('sessions speak, works are refused with a time to come back, and those accepted are made afterwards', async () => {
    gate = openGate();
    const asked = () => a.upstream.requests.length + b.upstream.requests.length;
    const before = asked();
    const { status, json } = await a.ask('POST', '/api/v1/tts', { json: job('Through the outage.') });
    expect(status).toBe(201);
    await expect.poll(asked, SOON).toBeGreaterThan(before);
    await server.kill();
    const refused = await a.ask('POST', '/api/v1/tts', { json: job() });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect((await b.ask('GET', `/api/v1/tts/${json.id}`)).status).toBe(503);
    await expect
      .poll(async () => (await fetch(new URL('/readyz', a.url))).json(), SOON)
      .toEqual({ status: 'ok', without: ['database'] });
    expect(await a.metric('voxgate_database_up')).toBe(0);
    gate.open();
    gate = undefined;
    const probe = await a.session('pace=burst', { headers: credentialsOf('ann') });
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    expect(a.logLines.some((line) => line.includes('database_not_reachable'))).toBe(true);
    await server.start();
    await expect.poll(() => a.metric('voxgate_database_up'), SOON).toBe(1);
    await expect
      .poll(async () => (await a.ask('GET', `/api/v1/tts/${json.id}`)).json?.status, SOON)
      .toBe('completed');
    await expect
      .poll(async () => (await a.ask('POST', '/api/v1/tts', { json: job('Again.') })).status, SOON)
      .toBe(201);
    expect(a.logLines.join('\n')).not.toContain('voxgate@');
  });
});

describe('with files in a bucket of S3', SLOW, () => {
  let s3: S3Server;
  let pair: RunningService[];
  let more: Record<string, string>;
  let answered = 0;
  let mayGoOn: (requests: number) => boolean = () => true;
  const slowly: Script = async (reply) => {
    answered += 1;
    if (!mayGoOn(answered)) await new Promise(() => {});
    return speaking(reply);
  };
  beforeAll(async () => {
    s3 = await startS3();
    const place = `s3://${BUCKET}/voxgate?region=us-east-1&endpoint=${encodeURIComponent(s3.endpoint)}`;
    more = { ...env, VOXGATE_DATABASE_URL: await server.database('bucket'), VOXGATE_FILES_URL: place };
    pair = await Promise.all([0, 1].map(() => startRunningService({ env: more, script: slowly })));
  }, SLOW.timeout);
  afterAll(async () => {
    await Promise.all(pair.map((one) => one.close()));
    await s3.close();
  }, SLOW.timeout);

  it('what one made is served by the other', async () => {
    const [one, other] = pair;
    const { json } = await one!.ask('POST', '/api/v1/tts', { json: job() });
    const done = await other!.until(`/api/v1/tts/${json.id}`, isOver);
    const output = done.json.output as { readonly url: string; readonly fileSize: number };
    const { pathname } = new URL(output.url);
    const [whole, range] = await Promise.all([
      fetch(new URL(pathname, one!.url)),
      fetch(new URL(pathname, other!.url), { headers: { range: 'bytes=10-109' } }),
    ]);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect([whole.status, range.status, bytes.length]).toEqual([200, 206, output.fileSize]);
    expect(Buffer.from(await range.arrayBuffer()).equals(bytes.subarray(10, 110))).toBe(true);
    expect((await other!.ask('DELETE', `/api/v1/tts/${json.id}`)).status).toBeLessThan(300);
    expect((await fetch(new URL(pathname, one!.url))).status).toBe(404);
  });

  it('what one began the other ends, from the parts that are there', async () => {
    answered = 0;
    mayGoOn = (requests) => requests === 1;
    const { json } = await pair[0]!.ask('POST', '/api/v1/tts', { json: job('Good morning. '.repeat(200)) });
    await expect.poll(() => answered, SOON).toBe(2);
    const [running, idle] = (await pair[0]!.metric('voxgate_works_running')) === 1 ? [0, 1] : [1, 0];
    mayGoOn = () => true;
    const before = pair[idle]!.upstream.requests.length;
    await pair[running]!.close();
    const done = await pair[idle]!.until(`/api/v1/tts/${json.id}`, isOver);
    expect(done.json).toMatchObject({ status: 'completed' });
    expect(pair[idle]!.upstream.requests.length - before).toBe(1);
    pair = [pair[idle]!];
  });

  it('without it sessions speak, works are refused with a time to come back, and go on afterwards', async () => {
    const [one] = pair;
    await s3.stop();
    const refusal = async () => {
      const { status, headers } = await one!.ask('POST', '/api/v1/tts', { json: job() });
      return [status, Number(headers.get('retry-after')) > 0];
    };
    await expect.poll(refusal, SOON).toEqual([503, true]);
    await expect.poll(() => one!.metric('voxgate_files_up'), SOON).toBe(0);
    const ready = await fetch(new URL('/readyz', one!.url));
    expect(await ready.json()).toEqual({ status: 'ok', without: ['files'] });
    const probe = await one!.session('pace=burst', { headers: credentialsOf('ann') });
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    await s3.start();
    await expect.poll(() => one!.metric('voxgate_files_up'), SOON).toBe(1);
    const again = () => one!.ask('POST', '/api/v1/tts', { json: job('Again.') });
    await expect.poll(async () => (await again()).status, SOON).toBe(201);
    const log = one!.logLines.join('\n');
    expect(log).toContain('files_not_reachable');
    expect(log).not.toContain('S3RVER');
  });
});
