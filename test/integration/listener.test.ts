// The public listener as operators and strangers meet it: health, metrics, documents, TLS, and how many may come.
import { request } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../src/app/start.ts';
import { silentLog } from '../../src/base/log.ts';
import { PROCESSES } from '../support/gateway-processes.ts';
import { exchange, openRawSession, upgradeRequest } from '../support/raw-session.ts';
import { type RunningGateway, readMetric, startRunningGateway } from '../support/running-gateway.ts';
import { createSelfSigned, type SelfSigned } from '../support/self-signed.ts';
import { openProbe } from '../support/session-probe.ts';
import { accepted } from '../support/settings.ts';

/** Nothing here takes so long; a test machine may have much else to do. */
const PATIENT = { timeout: 10_000 };

let gateway: RunningGateway;
const start = async (env: Record<string, string> = {}) => {
  gateway = await startRunningGateway({ env });
  return gateway;
};
afterEach(() => gateway.close());

describe('health and documents', () => {
  it('says that it lives and is ready', async () => {
    const { url } = await start();
    for (const path of ['/livez', '/readyz']) {
      const answer = await fetch(url + path);
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
    }
  });

  it('is not ready once it stops, and refuses upgrades with a time to come back', async () => {
    const { url, port } = await start();
    const probe = await gateway.session('leadMs=40');
    probe.send({ type: 'speak', turn: 'a', text: 'Let me finish.' });
    await probe.nextAudio();
    const stopped = gateway.stop(5000);
    expect(await probe.event('goaway')).toEqual({ type: 'goaway', deadlineMs: 5000 });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const refused = await exchange(port, upgradeRequest(port));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    probe.send({ type: 'speak', turn: 'b', text: 'Too late.' });
    expect(await probe.event('error')).toMatchObject({ code: 'shutting_down', turn: 'b', retryable: true });
    expect(await probe.ended('a')).toMatchObject({ outcome: 'complete' });
    expect(await probe.closed).toEqual({ code: 1012, reason: 'shutting_down' });
    await stopped;
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  it('cuts what plays on beyond the deadline, and stopping twice is stopping once', async () => {
    await start();
    const probe = await gateway.session();
    probe.send({ type: 'speak', turn: 'a', text: 'A long goodbye.' });
    await probe.nextAudio();
    await Promise.all([gateway.stop(100), gateway.stop(60_000)]);
    expect((await probe.closed).code).toBe(1012);
  });

  it('exposes metrics that move', async () => {
    const { url } = await start();
    const probe = await gateway.session('pace=burst');
    await probe.speaks('a');
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const scrape = await answer.text();
    expect(readMetric(scrape, 'voxgate_sessions')).toBe(1);
    expect(readMetric(scrape, 'voxgate_turns_total')).toBe(1);
    expect(readMetric(scrape, 'voxgate_audio_seconds_total')).toBeGreaterThan(1);
    expect(readMetric(scrape, 'voxgate_turn_ttfa_seconds_count')).toBe(1);
    expect(readMetric(scrape, 'voxgate_upstream_requests_total')).toBe(1);
    expect(scrape).toContain('voxgate_turns_total{outcome="complete"} 1');
  });

  /** The statuses of what an operator may ask, to a caller on this machine that sends these header lines. */
  const asOperator = async (port: number, ...headers: string[]) => {
    const lines = [
      ...(headers.some((line) => line.startsWith('Host')) ? [] : ['Host: localhost']),
      ...headers,
    ];
    const ask = async (line: string) =>
      (await exchange(port, `${line} HTTP/1.1\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`)).status;
    return {
      looks: await Promise.all(['/metrics', '/v1/pool', '/v1/operator'].map((path) => ask(`GET ${path}`))),
      ends: await ask('DELETE /v1/operator/sessions/none'),
    };
  };
  const each = (status: number) => ({ looks: [status, status, status], ends: status });

  it('is this machine’s to look at where nothing says that others are served', async () => {
    const { port } = await start();
    expect(await asOperator(port)).toEqual({ looks: [200, 200, 200], ends: 404 });
    for (const name of ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP'])
      expect(await asOperator(port, `${name}: 1.2.3.4`), name).toEqual(each(403));
  });

  it('takes an outsider behind a silent proxy on this machine for nobody, where there are API keys', async () => {
    const { port } = await start({ VOXGATE_API_KEYS: 'ann:key', VOXGATE_ADMIN_KEY: '' });
    // Metrics name nobody.
    expect(await asOperator(port)).toEqual({ looks: [200, 403, 403], ends: 403 });
    expect(await asOperator(port, 'Authorization: Bearer key')).toEqual({
      looks: [200, 403, 403],
      ends: 403,
    });
    expect(await asOperator(port, 'X-Forwarded-For: 1.2.3.4')).toEqual(each(403));
  });

  it('is for the admin key where there are API keys, wherever it comes from', async () => {
    const { port } = await start({ VOXGATE_API_KEYS: 'ann:key', VOXGATE_ADMIN_KEY: 'admin' });
    const admin = 'Authorization: Bearer admin';
    expect(await asOperator(port)).toEqual({ looks: [200, 401, 401], ends: 401 });
    expect(await asOperator(port, 'X-Forwarded-For: 1.2.3.4', 'Authorization: Bearer key')).toEqual(
      each(401),
    );
    for (const line of ['Accept: */*', 'X-Forwarded-For: 1.2.3.4', 'Host: voxgate.example'])
      expect(await asOperator(port, line, admin), line).toEqual({ looks: [200, 200, 200], ends: 404 });
  });

  it('tells the protocol as AsyncAPI', async () => {
    const { url } = await start();
    const answer = await fetch(`${url}/asyncapi.json`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await answer.json()).toMatchObject({
      asyncapi: '3.0.0',
      servers: { gateway: { host: new URL(url).host } },
    });
  });
});

describe('the start', () => {
  it('does not wait for a speech service that takes connections and says nothing', {
    timeout: 20_000 * (PROCESSES > 1 ? 4 : 1), // each process has to be loaded, too
  }, async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    await start({ VOXGATE_UPSTREAM_URL: `http://127.0.0.1:${port}` });
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    await expect.poll(() => sockets.size).toBeGreaterThan(0);
    await gateway.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

describe('the admin listener', () => {
  it('ends a session for the admin key, and tells calls', async () => {
    const env = { VOXGATE_API_KEYS: 'ann:key', VOXGATE_ADMIN_KEY: 'admin' };
    await start({ ...env, VOXGATE_ADMIN_PORT: String(await freePort()) });
    const probe = await gateway.session(undefined, { headers: { authorization: 'Bearer key' } });
    const { session } = await probe.event('ready');
    const end = (headers: Record<string, string> = {}) =>
      fetch(`${gateway.adminUrl}/sessions/${session}`, { method: 'DELETE', headers });
    expect(await (await fetch(`${gateway.adminUrl}/calls`)).json()).toEqual([]);
    expect((await end()).status).toBe(401);
    expect((await end({ authorization: 'Bearer key' })).status).toBe(401);
    expect((await end({ authorization: 'Bearer admin' })).status).toBe(204);
    expect(await probe.closed).toEqual({ code: 4410, reason: 'ended_by_operator' });
    expect((await end({ authorization: 'Bearer admin' })).status).toBe(404);
  });

  it('shows sessions and keys without their secrets, to this machine only', async () => {
    const adminPort = await freePort();
    await start({ VOXGATE_ADMIN_PORT: String(adminPort) });
    await gateway.session();
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${gateway.adminUrl}${path}`, { headers });
    expect(await (await get('/sessions')).json()).toMatchObject([{ turnsUnheard: 0, bufferedBytes: 0 }]);
    const pool = await (await get('/pool')).text();
    expect(JSON.parse(pool)).toMatchObject({
      keys: [{ fingerprint: expect.stringMatching(/^k_[0-9a-f]{8}$/) }],
      waiting: 0,
    });
    expect(pool).not.toContain('upstream-key');
    expect((await get('/metrics')).status).toBe(200);
    expect((await get('/nothing')).status).toBe(404);
    expect((await get('/sessions', { forwarded: 'for=1.2.3.4' })).status).toBe(403);
    expect((await get('/sessions', { origin: 'https://evil.example' })).status).toBe(403);
    const rebound = await exchange(
      adminPort,
      'GET /sessions HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(rebound.status).toBe(403);
  });
});

/** A port that is free now; good enough for a listener that cannot be asked for any free one. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

describe('TLS', () => {
  let tls: SelfSigned;
  beforeAll(() => {
    tls = createSelfSigned();
  });
  afterAll(() => tls.remove());

  const get = (url: string, ca: string) =>
    new Promise<number>((resolve, reject) => {
      request(url, { ca }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  it('serves requests and sessions, and its own Origin is https', async () => {
    await start({ VOXGATE_TLS_CERT: tls.certPath, VOXGATE_TLS_KEY: tls.keyPath });
    expect([gateway.url.slice(0, 8), gateway.sessionUrl.slice(0, 6)]).toEqual(['https://', 'wss://']);
    expect(await get(`${gateway.url}/readyz`, tls.cert)).toBe(200);
    const probe = await gateway.session('pace=burst', { ca: tls.cert, headers: { origin: gateway.url } });
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    const wrong = openProbe(gateway.sessionUrl, {
      ca: tls.cert,
      headers: { origin: gateway.url.replace('https', 'http') },
    });
    await expect(wrong).rejects.toThrow(/403/);
  });

  it('has the same guards as plain HTTP: large headers are refused', async () => {
    await start({ VOXGATE_TLS_CERT: tls.certPath, VOXGATE_TLS_KEY: tls.keyPath });
    const answer = await new Promise<string>((resolve) => {
      const socket = connectTls({ port: gateway.port, host: '127.0.0.1', ca: tls.cert }, () => {
        socket.write(`GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ${'a'.repeat(9000)}\r\n\r\n`);
      });
      socket.once('data', (bytes) => resolve(bytes.toString()));
    });
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  it.each([
    [
      'a file that is not there',
      { VOXGATE_TLS_CERT: '/nowhere/cert.pem' },
      /VOXGATE_TLS_CERT names a file.*cert\.pem.*ENOENT/,
    ],
    ['a key for a certificate', { VOXGATE_TLS_CERT: 'KEY' }, /VOXGATE_TLS_CERT and VOXGATE_TLS_KEY must be/],
  ])('%s stops the start and is told by its setting', async (_name, env, message) => {
    await start();
    const paths = {
      VOXGATE_TLS_CERT: env.VOXGATE_TLS_CERT.replace('KEY', tls.keyPath),
      VOXGATE_TLS_KEY: tls.keyPath,
    };
    const { config } = accepted({ env: paths });
    await expect(startGateway({ config, log: silentLog, version: '0' })).rejects.toThrow(message);
  });
});

describe('limits', () => {
  const refusalOf = (parts = {}) => exchange(gateway.port, upgradeRequest(gateway.port, parts));

  it('more connections than it may have: 503 with a time; one that goes makes room', async () => {
    await start({ VOXGATE_MAX_CONNECTIONS: '2' });
    const first = await gateway.session();
    await gateway.session();
    const refused = await refusalOf();
    expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
      503,
      '5',
      expect.stringContaining('BUSY'),
    ]);
    expect(await gateway.metric('voxgate_sessions')).toBe(2);
    first.socket.close();
    await first.closed;
    await expect.poll(() => gateway.metric('voxgate_sessions'), PATIENT).toBe(1);
    await gateway.session();
  });

  it('more connections of one user than he may have: 429, and others come in', async () => {
    await start({ VOXGATE_MAX_CONNECTIONS_PER_USER: '1', VOXGATE_API_KEYS: 'ann:a1,ann:a2,bob:b1' });
    const as = (key: string) => ({ headers: [`Authorization: Bearer ${key}`] });
    const ann = await openRawSession(gateway.port, as('a1'));
    const refused = await refusalOf(as('a2'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.body).toContain('CONNECTION_LIMIT');
    const bob = await openRawSession(gateway.port, as('b1'));
    for (const { socket } of [ann, bob]) socket.destroy();
  });

  it('a session that says nothing is told and closed; one that plays is not idle', async () => {
    await start({ VOXGATE_IDLE_TIMEOUT_MS: '1000' });
    const [idle, playing] = [await gateway.session(), await gateway.session()];
    playing.send({ type: 'speak', turn: 'a', text: 'Longer than a second.' });
    expect(await idle.event('error')).toMatchObject({
      code: 'idle_timeout',
      scope: 'session',
      retryable: true,
    });
    expect(await idle.closed).toEqual({ code: 4408, reason: 'idle_timeout' });
    expect(await playing.ended('a')).toMatchObject({ outcome: 'complete' });
    expect((await playing.closed).code).toBe(4408);
  });

  it('a client that answers pings stays', async () => {
    await start({ VOXGATE_HEARTBEAT_MS: '1000', VOXGATE_PONG_TIMEOUT_MS: '1000' });
    const probe = await gateway.session();
    let pings = 0;
    await new Promise<void>((resolve) => {
      probe.socket.on('ping', () => {
        pings += 1;
        if (pings === 2) resolve();
      });
    });
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
  });

  it('half-open peers and resets in the middle of an upgrade leave nothing behind', async () => {
    await start();
    const half = await Promise.all(
      Array.from(
        { length: 200 },
        (_, n) =>
          new Promise<Socket>((resolve) => {
            const socket = connect(gateway.port, '127.0.0.1', () => {
              socket.write(upgradeRequest(gateway.port).slice(0, n % 2 === 0 ? 40 : undefined));
              resolve(socket);
            });
            socket.on('error', () => {});
          }),
      ),
    );
    const probe = await gateway.session('pace=burst');
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    for (const socket of half) socket.resetAndDestroy();
    await expect.poll(() => gateway.metric('voxgate_sessions'), PATIENT).toBe(1);
    expect(gateway.logLines.filter((line) => line.includes('"error"'))).toEqual([]);
  });
});
