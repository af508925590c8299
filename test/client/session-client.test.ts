// The session of `voxgate/client` when it ends: whoever waits, sends or looks is told why, in the same class.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { SessionError } from '../../packages/client/src/session-error.ts';
import { connectSession, type SessionClientOptions } from '../../src/client/voxgate-client.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const READY = {
  type: 'ready',
  session: 's1',
  version: '1',
  attachToken: 't',
  limits: { messageBytes: 1000 },
};

/** A gateway that says `ready`, and the socket of its one client. */
async function openSession(options: Partial<SessionClientOptions> = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const come = new Promise<import('ws').WebSocket>((resolve) => server.once('connection', resolve));
  void come.then((socket) => socket.send(JSON.stringify(READY)));
  const { port } = server.address() as AddressInfo;
  const client = await connectSession({ url: `ws://127.0.0.1:${port}/v1/session`, ...options });
  closers.push(() => client.close());
  return { client, gateway: await come };
}

const listening = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** What the promise rejects with. */
const failure = async (promise: Promise<unknown>): Promise<SessionError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SessionError);
  return error as SessionError;
};
const thrownBy = (act: () => unknown): SessionError => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(SessionError);
    return error as SessionError;
  }
  throw new Error('nothing was thrown');
};

describe('a session that the gateway ends', () => {
  it.each([
    ['dies', 1006, '', 'connection_closed', true],
    ['restarts', 1012, 'shutting_down', 'shutting_down', true],
    ['is told that its client is too slow', 4508, 'slow_reader', 'slow_reader', true],
    ['is given a message that is too large', 1009, '', 'connection_closed', false],
    ['is ended by an operator', 4410, 'ended_by_operator', 'ended_by_operator', false],
    ['closes for reasons of its own', 4999, 'who knows', 'connection_closed', true],
  ] as const)('%s: %i %s', async (_name, closeCode, reason, code, isRetryable) => {
    const { client, gateway } = await openSession();
    expect(client.isOpen()).toBe(true);
    const waiting = [client.next('heard'), client.next('ended', () => false), client.pause('t1')];
    const unwaited = client.next('pong'); // its rejection ends no process
    if (closeCode === 1006) gateway.terminate();
    else gateway.close(closeCode, reason);
    const closed = await client.closed;
    expect(closed).toMatchObject({ code: closeCode, reason, error: { code, closeCode, isRetryable } });
    for (const promise of waiting) expect(await failure(promise)).toBe(closed.error);
    expect(thrownBy(() => client.send({ type: 'ping' }))).toBe(closed.error);
    expect(await failure(client.next('pong'))).toBe(closed.error);
    expect(await failure(client.resume('t1'))).toBe(closed.error);
    expect(closed.error?.message).toBe(
      `The gateway closed the connection (${[closeCode, reason].filter(Boolean).join(', ')}).`,
    );
    expect(client.isOpen()).toBe(false);
    client.close();
    expect((await client.closed).error).toBe(closed.error);
    await unwaited.catch(() => {});
  });

  it('names no fault when this side closed it, and hands nothing on after that', async () => {
    const events: string[] = [];
    const { client, gateway } = await openSession({ onEvent: ({ type }) => void events.push(type) });
    const waiting = client.next('heard');
    client.close();
    gateway.send(JSON.stringify({ type: 'pong' }));
    expect(thrownBy(() => client.send({ type: 'ping' }))).toMatchObject({ code: 'connection_closed' });
    expect(await failure(waiting)).toMatchObject({ code: 'connection_closed', closeCode: undefined });
    expect(await client.closed).toEqual({ code: 1000, reason: '', error: undefined });
    expect(events).toEqual(['ready']);
  });

  it('a message that is too large is not sent, and the session goes on', async () => {
    const { client } = await openSession();
    const speak = (text: string) => client.send({ type: 'speak', turn: 't1', text });
    expect(thrownBy(() => speak('é'.repeat(490)))).toMatchObject({
      code: 'payload_too_large',
      isRetryable: false,
    });
    speak('é'.repeat(400));
    expect(client.isOpen()).toBe(true);
  });

  it('what is refused rejects with its code, and the session goes on', async () => {
    const { client, gateway } = await openSession();
    const paused = client.pause('t1');
    const fields = { code: 'unknown_turn', message: 'no', turn: 't1', scope: 'turn', retryable: false };
    gateway.send(JSON.stringify({ type: 'error', ...fields }));
    expect(await failure(paused)).toMatchObject({ code: 'unknown_turn', isRetryable: false });
    expect(client.isOpen()).toBe(true);
  });
});

describe('a session that cannot be had', () => {
  const dial = (port: number) => connectSession({ url: `ws://127.0.0.1:${port}/v1/session` });

  it.each([
    [401, {}, '{"errorMessage":"no such key","errorId":"UNAUTHORIZED"}', 'unauthorized', false, undefined],
    [503, { 'Retry-After': '7' }, '{"errorMessage":"full","errorId":"BUSY"}', 'busy', true, 7000],
    [502, {}, '<html>Bad Gateway', 'refused', true, undefined],
  ] as const)('is refused with %i', async (status, headers, body, code, isRetryable, retryAfterMs) => {
    const server = createServer();
    server.on('upgrade', (_request, socket) => {
      const lines = Object.entries({ ...headers, 'Content-Length': body.length, Connection: 'close' });
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.end(`HTTP/1.1 ${status} No\r\n${head}\r\n${body}`);
    });
    const error = await failure(dial(await listening(server)));
    expect(error).toMatchObject({ status, code, isRetryable, retryAfterMs });
    expect(error.message).toContain(`refused${code === 'refused' ? '' : ' the session'}: ${status}`);
  });

  it('is not there: that may pass', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const error = await failure(dial(port));
    expect(error).toMatchObject({ code: 'unreachable', isRetryable: true });
    expect(error.message).toMatch(/ECONNREFUSED.*voxgate serve/);
  });

  it('is no gateway', async () => {
    const server = createTcpServer((socket) => socket.end('hello\r\n\r\n'));
    expect(await failure(dial(await listening(server)))).toMatchObject({ code: 'unreachable' });
  });
});
