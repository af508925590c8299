// Voxgate dials Asterisk: channels that wait in a strict fake of its HTTP server, and servers that are none. Real sockets.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createChanWebSocketSide } from '../../testkit/carriers/chan-websocket-side.ts';
import { dialCarrier } from '../../testkit/carriers/dial-carrier.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { type MediaServer, startMediaServer } from '../../testkit/carriers/media-server.ts';
import type { SimulatedCall } from '../../testkit/carriers/simulated-call.ts';
import { PROCESSES } from '../support/gateway-processes.ts';
import { speaking } from '../support/running-gateway.ts';
import {
  type Answer,
  credentialsOf,
  type RunningService,
  startRunningService,
} from '../support/running-service.ts';
import { createSelfSigned } from '../support/self-signed.ts';

const PATH = '/v1/legs/chan-websocket';
const TEXT = 'Hello there, this is the office.';
const LOGIN = 'voxgate:p%40ss-canary';

let asterisk: MediaServer;
const start = (url: string, env: Record<string, string> = {}): Promise<RunningService> =>
  startRunningService({ script: speaking, env: { VOXGATE_ASTERISK_URL: url, ...env } });
const withLogin = (url: string) => url.replace('://', `://${LOGIN}@`);

/** A channel that waits; the call begins when somebody has come for it. */
const waiting = (connectionId: string, call: { callId: string; token?: string }): Promise<SimulatedCall> =>
  dialCarrier(
    {
      ...CARRIERS['chan-websocket']!,
      side: () => createChanWebSocketSide({ syntax: 'json', format: 'ulaw', frameBytes: 160, connectionId }),
      transport: asterisk.channel(connectionId),
    },
    '',
    { callId: call.callId, token: call.token },
  );
const dial = (service: RunningService, json: unknown, user = 'ann'): Promise<Answer> =>
  service.ask('POST', PATH, { json, user });
const sessionOf = (service: RunningService, user: string) =>
  service.session(undefined, { headers: credentialsOf(user) });

beforeAll(async () => {
  asterisk = await startMediaServer(0);
});
afterAll(() => asterisk.close());

describe('a channel that waits in Asterisk', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await start(withLogin(asterisk.url));
  });
  afterAll(() => service.close());

  const dialled = async (callId: string, fields: object = {}) => {
    const connectionId = randomUUID();
    const coming = waiting(connectionId, { callId });
    const answer = await dial(service, { connectionId, ...fields });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return { connectionId, answer, call: await coming };
  };

  it('is dialled, spoken to, cut and hung up by the bot', async () => {
    const { call, answer } = await dialled('pbx-1.1');
    expect(answer.json).toEqual({
      leg: expect.any(String) as string,
      kind: 'chan-websocket',
      callSid: 'pbx-1.1',
    });
    const session = await sessionOf(service, 'ann');
    session.send({ type: 'attach', leg: { callSid: 'pbx-1.1' }, inbound: 'forward' });
    expect(await session.event('attached')).toMatchObject({
      leg: (answer.json as unknown as { leg: string }).leg,
      kind: 'chan-websocket',
      callSid: 'pbx-1.1',
      format: 'mulaw',
    });
    await session.event('inbound');
    session.send({ type: 'speak', turn: 'a', text: TEXT });
    expect(await session.event('heard')).toMatchObject({ turn: 'a', playedBy: 'mark', remainingText: '' });
    session.send({ type: 'speak', turn: 'b', text: TEXT });
    await session.event('started', ({ turn }) => turn === 'b');
    session.send({ type: 'cancel', turn: 'b' });
    expect(await session.event('heard', ({ turn }) => turn === 'b')).toMatchObject({ turn: 'b' });
    await expect.poll(() => call.playout.clears()).toBe(1);
    session.send({ type: 'hangup' });
    expect(await session.event('detached')).toMatchObject({ reason: 'hung up' });
    await call.closed;
    expect(call.faults).toEqual([]);
  });

  it('may have a name of the caller’s choice, and the far side’s hang-up is told', async () => {
    const { call, answer } = await dialled('pbx-1.2', { callSid: 'order-7' });
    expect(answer.json).toMatchObject({ callSid: 'order-7' });
    const session = await sessionOf(service, 'ann');
    session.send({ type: 'attach', leg: { callSid: 'order-7' } }, { type: 'speak', turn: 'a', text: TEXT });
    await session.event('started');
    call.hangUp();
    await session.event('detached');
    expect(await session.ended('a')).toMatchObject({ outcome: 'truncated' });
  });

  it('finds a session that waits by the token among its variables', async () => {
    const session = await sessionOf(service, 'ann');
    const { attachToken } = await session.event('ready');
    session.send({ type: 'attach', leg: { token: attachToken } });
    const connectionId = randomUUID();
    const coming = waiting(connectionId, { callId: 'pbx-1.3', token: attachToken });
    expect((await dial(service, { connectionId })).status).toBe(201);
    expect(await session.event('attached')).toMatchObject({ callSid: 'pbx-1.3' });
    (await coming).close();
  });

  it('is the caller’s who has dialled it, and nobody else’s', async () => {
    const { call } = await dialled('pbx-1.4');
    const [bob, ann] = [await sessionOf(service, 'bob'), await sessionOf(service, 'ann')];
    bob.send({ type: 'attach', leg: { callSid: 'pbx-1.4' } }, { type: 'ping', id: '1' });
    await bob.event('pong');
    ann.send({ type: 'attach', leg: { callSid: 'pbx-1.4' } });
    await ann.event('attached');
    expect(bob.events('attached')).toEqual([]);
    call.close();
  });

  it('is refused to a user whose token it does not bring', async () => {
    const session = await sessionOf(service, 'bob');
    const { attachToken } = await session.event('ready');
    for (const token of [attachToken, 'made-up']) {
      const connectionId = randomUUID();
      const coming = waiting(connectionId, { callId: 'pbx-1.5', token });
      expect(await dial(service, { connectionId })).toMatchObject({
        status: 403,
        json: { errorId: 'FORBIDDEN' },
      });
      expect(await (await coming).closed).toBe(4401);
    }
  });

  it('is good for one connection, and one of which nobody knows is not found', async () => {
    const { call, connectionId } = await dialled('pbx-1.6');
    expect(await dial(service, { connectionId })).toMatchObject({
      status: 409,
      json: { errorId: 'LEG_TAKEN' },
    });
    expect(await dial(service, { connectionId: randomUUID() })).toMatchObject({
      status: 404,
      json: { errorId: 'LEG_NOT_FOUND' },
    });
    call.close();
  });

  it.each([
    '',
    '../ari/channels',
    '..%2fari%2fchannels',
    'x',
    '127.0.0.1:9/x',
    'ws://127.0.0.1:9',
    '6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11/../../ari',
    '6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11?x=1',
    '6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11\n',
    '6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11\r\nX: y',
    7,
    null,
  ])('is not looked for by %j', async (connectionId) => {
    const answer = await dial(service, { connectionId });
    expect(answer).toMatchObject({ status: 400, json: { errorId: 'INVALID_REQUEST' } });
    expect(answer.json.errorMessage).toMatch(/connectionId/);
  });

  it('has no address in the request', async () => {
    const answer = await dial(service, { connectionId: randomUUID(), url: 'ws://127.0.0.1:9' });
    expect(answer).toMatchObject({ status: 400, json: { errorId: 'INVALID_REQUEST' } });
  });

  it('needs a key', async () => {
    const response = await fetch(`${service.url}${PATH}`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
  });
});

describe('dialling', () => {
  let service: RunningService;
  const servers: { close(): void; closeAllConnections?(): void }[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections?.();
    }
    await service.close();
  });
  const listening = async (server: Server): Promise<number> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const connectionId = randomUUID();

  it('is not offered until Asterisk’s address is set', async () => {
    service = await start('');
    expect(await dial(service, { connectionId })).toMatchObject({
      status: 501,
      json: { errorId: 'UNSUPPORTED' },
    });
  });

  it('tells of a server that is not there, and never of its password', async () => {
    service = await start(withLogin(`ws://127.0.0.1:${await freePort()}`));
    const answer = await dial(service, { connectionId });
    expect(answer).toMatchObject({ status: 502, json: { errorId: 'LEG_UNREACHABLE' } });
    expect(answer.json.errorMessage).toMatch(/ECONNREFUSED/);
    expect(`${answer.text}${service.logLines.join()}`).not.toMatch(/canary|127\.0\.0\.1/);
  });

  it('tells of one that is no Asterisk, that sends elsewhere, or that speaks another subprotocol', async () => {
    const seen: string[] = [];
    let status = 200;
    const server = createServer();
    const port = await listening(server);
    server.on('upgrade', (request, socket) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      socket.end(
        `HTTP/1.1 ${status} x\r\nLocation: ws://127.0.0.1:${port}/secret\r\nContent-Length: 0\r\n\r\n`,
      );
    });
    service = await start(`${withLogin(`ws://127.0.0.1:${port}`)}/pbx/`);
    for (status of [200, 302, 401, 500]) {
      const answer = await dial(service, { connectionId });
      expect(answer).toMatchObject({ status: 502, json: { errorId: 'LEG_UNREACHABLE' } });
      expect(answer.json.errorMessage).toContain(String(status));
    }
    const login = Buffer.from(decodeURIComponent(LOGIN)).toString('base64');
    expect(new Set(seen)).toEqual(new Set([`/pbx/media/${connectionId} Basic ${login}`]));
    server.removeAllListeners('upgrade');
    const others = new WebSocketServer({ noServer: true, handleProtocols: () => false });
    server.on('upgrade', (request, socket, head) => others.handleUpgrade(request, socket, head, () => {}));
    expect((await dial(service, { connectionId })).json.errorMessage).toMatch(/subprotocol media/);
  });

  it('trusts no certificate that nobody has signed', async () => {
    const own = createSelfSigned();
    const port = await listening(createTlsServer({ cert: own.cert, key: own.key }));
    own.remove();
    service = await start(`wss://127.0.0.1:${port}`);
    const answer = await dial(service, { connectionId });
    expect(answer).toMatchObject({ status: 502, json: { errorId: 'LEG_UNREACHABLE' } });
    expect(answer.json.errorMessage).toMatch(/SELF_SIGNED|CERT/);
  });

  it('tells at once of a channel in a codec that is not served, by what came and what is served', async () => {
    const server = createServer();
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'media' });
    const closes: (readonly [number, string])[] = [];
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.send('{"event":"MEDIA_START","format":"opus"}');
        opened.on('close', (code, reason) => closes.push([code, reason.toString()]));
      }),
    );
    service = await start(`ws://127.0.0.1:${await listening(server)}`);
    const answer = await dial(service, { connectionId });
    const words = 'opus came; served: PCMU, PCMA, L16 of 8000 to 192000 Hz in steps of 25';
    expect(answer).toMatchObject({ status: 415, json: { errorId: 'LEG_CODEC', errorMessage: words } });
    await expect.poll(() => closes).toEqual([[4415, `leg_codec: ${words}`]]);
  });

  it('gives up one that says nothing, or not what the call is', async () => {
    const silent = createServer();
    silent.on('upgrade', () => {});
    const dumb = createServer();
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'media' });
    const closes: number[] = [];
    dumb.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.send('{"event":"QUEUE_DRAINED"}');
        opened.on('close', (code) => closes.push(code));
      }),
    );
    service = await start(`ws://127.0.0.1:${await listening(silent)}`);
    const other = await start(`ws://127.0.0.1:${await listening(dumb)}`);
    for (const answer of await Promise.all([service, other].map((each) => dial(each, { connectionId })))) {
      expect(answer).toMatchObject({ status: 502, json: { errorId: 'LEG_UNREACHABLE' } });
      expect(answer.json.errorMessage).toMatch(/within 5 s/);
    }
    await other.close();
    await expect.poll(() => closes).toEqual([4408]);
  }, 30_000);

  // Room for legs is divided among processes, so that no call waits for another process to be let in.
  it.skipIf(PROCESSES > 1)('is bounded by the legs that there may be, those under way included', async () => {
    const silent = createServer();
    silent.on('upgrade', () => {});
    service = await start(`ws://127.0.0.1:${await listening(silent)}`, { VOXGATE_MAX_CONNECTIONS: '1' });
    const first = dial(service, { connectionId });
    await new Promise((resolve) => silent.once('upgrade', resolve));
    expect(await dial(service, { connectionId })).toMatchObject({ status: 503, json: { errorId: 'BUSY' } });
    silent.close();
    silent.closeAllConnections();
    await first;
  });

  it('ends with a gateway that stops, and with a caller who leaves', async () => {
    const silent = createServer();
    const ends: string[] = [];
    silent.on('upgrade', (_request, socket) => {
      socket.on('error', () => {});
      socket.once('end', () => ends.push('closed'));
      socket.resume();
    });
    const port = await listening(silent);
    service = await start(`ws://127.0.0.1:${port}`);
    const leaving = new AbortController();
    const left = service.open('POST', PATH, { json: { connectionId }, signal: leaving.signal });
    left.catch(() => {});
    await new Promise((resolve) => silent.once('upgrade', resolve));
    leaving.abort();
    await expect.poll(() => ends).toEqual(['closed']);
    const under = dial(service, { connectionId });
    await new Promise((resolve) => silent.once('upgrade', resolve));
    const stopped = service.stop(10_000);
    expect(await under).toMatchObject({ status: 503, json: { errorId: 'SHUTTING_DOWN' } });
    await stopped;
    await expect.poll(() => ends).toEqual(['closed', 'closed']);
  });
});
