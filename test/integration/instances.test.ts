// Two instances with a Redis and a secret in common are one gateway: whichever a client meets, its session is listed, watched,
// ended and come back to, and what is signed or taken back by one holds at the other.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createTelnyxSide } from '../../testkit/carriers/telnyx-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { freePort, hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { type RunningGateway, SPEECH_MS, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

const KEY = 'canary-key-of-ann';
const SECRET = Buffer.alloc(32, 7).toString('base64');
const AS_ANN = { authorization: `Bearer ${KEY}` };

let redis: RedisServer;
let peerPorts: number[];
let instances: RunningGateway[];
const idOf = async (probe: SessionProbe): Promise<string> => (await probe.event('ready')).session;

async function startInstance(peerPort: number, env: Record<string, string> = {}): Promise<RunningGateway> {
  return startRunningGateway({
    processes: 1,
    env: {
      VOXGATE_API_KEYS: `ann:${KEY},bob:key-of-bob`,
      VOXGATE_UPSTREAM_KEYS: 'upstream-user:upstream-key@6000',
      VOXGATE_REDIS_URL: redis.url,
      VOXGATE_SECRET: SECRET,
      VOXGATE_PEER_PORT: String(peerPort),
      VOXGATE_PEER_URL: `http://127.0.0.1:${peerPort}`,
      ...env,
    },
  });
}
const openAt = (gateway: RunningGateway, query?: string) => gateway.session(query, { headers: AS_ANN });
/** What becomes of a client that comes with a token. */
const enter = ({ sessionUrl }: RunningGateway, token: string) =>
  new Promise((resolve) => {
    const socket = new WebSocket(sessionUrl, ['voxgate.v1', `token.${token}`]);
    socket.once('message', () => {
      resolve('let in');
      socket.terminate();
    });
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    socket.on('error', () => {});
  });
const knows = (gateway: RunningGateway, count: number) =>
  vi.waitUntil(async () => (await gateway.metric('voxgate_instances')) === count, {
    timeout: 50_000,
    interval: 50,
  });

describe.skipIf(!hasRedis)('two instances', () => {
  beforeAll(async () => {
    redis = await startRedis();
    peerPorts = [await freePort(), await freePort()];
    instances = await Promise.all(peerPorts.map((port) => startInstance(port)));
    for (const instance of instances) await knows(instance, 2);
  }, 120_000);
  afterAll(async () => {
    for (const instance of instances) await instance.close();
    await redis.close();
  });

  it('list the sessions of both, each to its own user', async () => {
    const probes = await Promise.all(instances.map((instance) => openAt(instance)));
    const ids = await Promise.all(probes.map(idOf));
    for (const [at, { url }] of instances.entries()) {
      const listed = await (await fetch(`${url}/v1/sessions`, { headers: AS_ANN })).json();
      const sessions = (listed as { sessions: { id: string; instance?: string }[] }).sessions;
      expect(sessions.map(({ id }) => id).sort()).toEqual([...ids].sort());
      for (const { id, instance } of sessions) expect(instance !== undefined).toBe(id !== ids[at]);
      const bob = await fetch(`${url}/v1/sessions`, { headers: { authorization: 'Bearer key-of-bob' } });
      expect(await bob.json()).toEqual({ sessions: [] });
    }
    for (const probe of probes) probe.socket.close();
    await Promise.all(probes.map(({ closed }) => closed));
  });

  it('let onlookers in at either, by key and by a token of either', async () => {
    const [first, second] = instances as [RunningGateway, RunningGateway];
    const probe = await openAt(first);
    const session = await idOf(probe);
    const body = JSON.stringify({ scope: 'watch', session });
    const headers = { ...AS_ANN, 'content-type': 'application/json' };
    const token = await (await fetch(`${second.url}/v1/tokens`, { method: 'POST', headers, body })).json();
    const path = `${second.url}/v1/sessions/${session}/captions.vtt`;
    const watched = await fetch(`${path}?token=${(token as { token: string }).token}`);
    expect(watched.status).toBe(200);
    expect(watched.headers.get('content-type')).toContain('text/vtt');
    expect((await fetch(path, { headers: { authorization: 'Bearer key-of-bob' } })).status).toBe(404);
    probe.send({ type: 'speak', turn: 'a', text: 'Hello there, this is the office.' });
    await probe.event('heard', ({ turn }) => turn === 'a');
    probe.socket.close();
    expect(await watched.text()).toContain('Hello there');
  });

  it('take a token back for both', async () => {
    const [first, second] = instances as [RunningGateway, RunningGateway];
    const headers = { ...AS_ANN, 'content-type': 'application/json' };
    const body = JSON.stringify({ scope: 'speak' });
    const issued = (await (
      await fetch(`${first.url}/v1/tokens`, { method: 'POST', headers, body })
    ).json()) as { id: string; token: string };
    expect(await enter(second, issued.token)).toBe('let in');
    await fetch(`${first.url}/v1/tokens/${issued.id}`, { method: 'DELETE', headers: AS_ANN });
    expect(await enter(second, issued.token)).toBe(401);
    const late = await startInstance(await freePort());
    await expect.poll(() => enter(late, issued.token)).toBe(401);
    await late.close();
  });

  it('end a session for an operator of either', async () => {
    const [first, second] = instances as [RunningGateway, RunningGateway];
    const probe = await openAt(first);
    const id = await idOf(probe);
    const headers = { authorization: 'Bearer admin' };
    const path = `${second.url}/v1/operator/sessions/${id}`;
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(204);
    expect(await probe.closed).toEqual({ code: 4410, reason: 'ended_by_operator' });
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(404);
  });

  it('let a client come back by the other, to its own session', async () => {
    const [first, second] = instances as [RunningGateway, RunningGateway];
    const firstMessage = (socket: WebSocket) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString())));
        socket.once('error', reject);
      });
    const lost = new WebSocket(`${first.sessionUrl}?resumable=1`, 'voxgate.v1', { headers: AS_ANN });
    const { resume, session } = (await firstMessage(lost)) as { resume: { token: string }; session: string };
    lost.terminate();
    const url = `${second.sessionUrl}?resume=${resume.token}&after=1`;
    const back = new WebSocket(url, 'voxgate.v1');
    const said = await firstMessage(back);
    expect(said).toMatchObject({ type: 'session_resumed', session, exact: true });
    // The same address without an upgrade tells that it could go on.
    const plain = await fetch(url.replace(/^ws/, 'http'));
    expect(plain.status).toBe(426);
    back.close();
  });

  it('play to one call in turn, wherever its socket is, and only one of them at a time', async () => {
    const [first, second] = instances as [RunningGateway, RunningGateway];
    const sessions = await Promise.all(instances.map((instance) => openAt(instance)));
    const { attachToken } = await sessions[0]!.event('ready');
    // Its token is of a session of the first, and it comes to the second.
    const call = await dial(
      `ws://127.0.0.1:${second.port}/v1/legs/telnyx/${attachToken}`,
      createTelnyxSide({ format: 'mulaw', sampleRate: 8000 }),
      {
        callId: 'CA1',
      },
    );
    const heardMs = () => call.playout.heard.reduce((sum, { bytes }) => sum + bytes.length / 8, 0);
    for (const [round, session] of [...sessions, ...sessions].entries()) {
      const turn = `turn-${round}`;
      const beforeMs = heardMs();
      session.send({ type: 'attach', leg: { callSid: 'CA1' } });
      // Right behind it: it is for the call.
      call.announceTurn();
      session.send({ type: 'speak', turn, text: 'Hello there, this is the office.' });
      await session.event('started', (event) => event.turn === turn);
      call.digit(String(round));
      expect(await session.event('dtmf', ({ digit }) => digit === String(round))).toBeDefined();
      const heard = await session.event('heard', (event) => event.turn === turn);
      expect(heard).toMatchObject({ playedBy: 'mark', remainingText: '' });
      expect(heardMs() - beforeMs).toBeGreaterThanOrEqual(SPEECH_MS - 60);
      if (round === 3) break;
      session.send({ type: 'detach' });
      await expect.poll(() => session.events('detached').length).toBe(round < 2 ? 1 : 2);
    }
    expect(call.faults).toEqual([]);
    for (const [at, gateway] of [first, second].entries()) {
      const late = await openAt(gateway);
      late.send({ type: 'attach', leg: { callSid: 'CA1' } });
      expect(await late.event('error'), `at ${at}`).toMatchObject({ code: 'leg_taken' });
      late.socket.close();
    }
    sessions[1]!.send({ type: 'hangup' });
    expect(await call.closed).toBe(1000);
    for (const probe of sessions) probe.socket.close();
  });

  it('bring a call to the session that waits for it at the other, and its barge-in', async () => {
    const [first, second] = instances as [RunningGateway, RunningGateway];
    for (const [here, there] of [
      [first, second],
      [second, first],
    ] as const) {
      const session = await openAt(here);
      const { attachToken } = await session.event('ready');
      session.send({ type: 'attach', leg: { token: attachToken } });
      const call = await dial(
        `ws://127.0.0.1:${there.port}/v1/legs/telnyx/${attachToken}`,
        createTelnyxSide({ format: 'mulaw', sampleRate: 8000 }),
        {
          callId: 'CA2',
        },
      );
      await session.event('attached');
      session.send({ type: 'speak', turn: 'cut', text: 'Hello there, this is the office.' });
      await session.event('started');
      await expect.poll(() => call.playout.heard.length).toBeGreaterThan(20);
      session.send({ type: 'cancel', turn: 'cut' });
      const heard = await session.event('heard', ({ turn }) => turn === 'cut');
      expect(heard.playedMs).toBeGreaterThan(0);
      expect(heard.playedMs).toBeLessThan(SPEECH_MS);
      call.hangUp();
      expect(await session.event('detached')).toMatchObject({ reason: 'the call is over' });
      expect(call.faults).toEqual([]);
      session.socket.close();
    }
  });

  it('hear a call out whose socket is at an instance that stops, and end its session', async () => {
    const [first] = instances as [RunningGateway];
    const leaving = await startInstance(await freePort());
    await knows(first, 3);
    const session = await openAt(first);
    const { attachToken } = await session.event('ready');
    const call = await dial(
      `ws://127.0.0.1:${leaving.port}/v1/legs/telnyx/${attachToken}`,
      createTelnyxSide({ format: 'mulaw', sampleRate: 8000 }),
      { callId: 'CA3' },
    );
    session.send({ type: 'attach', leg: { callSid: 'CA3' } });
    await session.event('attached');
    session.send({ type: 'speak', turn: 'a', text: 'Hello there, this is the office.' });
    await session.event('started');
    const stopped = leaving.stop(30_000);
    expect(await session.event('goaway')).toMatchObject({ type: 'goaway' });
    expect(await session.event('heard')).toMatchObject({ playedBy: 'mark', remainingText: '' });
    expect(await session.closed).toEqual({ code: 1012, reason: 'shutting_down' });
    expect(await call.closed).toBe(1012);
    expect(call.faults).toEqual([]);
    await stopped;
    await leaving.close();
    await knows(first, 2);
  });

  it('serve nothing but each other at their port', async () => {
    const [port] = peerPorts as [number];
    const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
      new Promise((resolve) => {
        const asked = request({ host: '127.0.0.1', port, method, path, headers }, (reply) =>
          resolve(reply.statusCode),
        );
        asked.once('error', () => resolve('closed'));
        asked.end();
      });
    for (const path of ['/livez', '/metrics', '/v1/sessions', '/peer/sessions', '/v1/session'])
      for (const headers of [{}, { 'x-voxgate-peer': 'a b c d' }, { ...AS_ANN }])
        expect(await ask('GET', path, headers)).toBe('closed');
  });

  it('believe nothing that others write into Redis', async () => {
    const [first] = instances as [RunningGateway];
    const said = JSON.stringify({ id: 'evil', url: 'http://127.0.0.1:9', version: '1' });
    const entry = JSON.stringify({ said, signature: 'AAAA' });
    await redis.call('HSET', 'voxgate:{instances}:entries', 'evil', entry);
    await redis.call('ZADD', 'voxgate:{instances}:seen', Date.now(), 'evil');
    await redis.call('SET', 'voxgate:{instances}:version', 'changed');
    const known = () => redis.call('GET', 'voxgate:{instances}:version');
    expect(await known()).toBe('changed');
    const instance = await startInstance(await freePort());
    await knows(instance, 3);
    await instance.close();
    await knows(first, 2);
    expect(first.logLines.some((line) => line.includes('evil'))).toBe(false);
  });

  it('go on by themselves while Redis is away, and find each other again', async () => {
    const [first, second] = instances as [RunningGateway, RunningGateway];
    await redis.kill();
    const probe = await openAt(first, 'pace=burst');
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    const id = await idOf(probe);
    await redis.start();
    const path = `${second.url}/v1/sessions/${id}/events`;
    const status = async () => {
      const reply = await fetch(path, { headers: AS_ANN });
      await reply.body?.cancel();
      return reply.status;
    };
    await expect.poll(status).toBe(200);
    probe.socket.close();
  });
});
