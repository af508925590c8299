// A session of the client through real drops: a proxy cuts the connection in the middle of turns, and whoever uses the session
// gets what an unbroken one gives, byte for byte and message for message.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  type ConnectionChange,
  connectSession,
  createVoxgateClient,
  type ServerEvent,
  type SessionClient,
} from '../../packages/client/src/voxgate-client.ts';
import { type ChaosProxy, startChaosProxy } from '../../testkit/chaos/chaos-proxy.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

const KEY = 'key-of-ann';
let gateway: RunningGateway;
/** Everything goes by it. */
let line: ChaosProxy;

beforeAll(async () => {
  gateway = await startRunningGateway({
    script: speaking,
    env: { VOXGATE_API_KEYS: `ann:${KEY}`, VOXGATE_RESUME_MS: '60000' },
  });
  line = await startChaosProxy({ target: `http://127.0.0.1:${gateway.port}`, seed: 1, toxics: [] });
}, 150_000);
afterAll(async () => {
  await line.close();
  await gateway.close();
}, 30_000);

type Kept = {
  readonly session: SessionClient;
  readonly events: ServerEvent[];
  readonly changes: ConnectionChange[];
  readonly audio: Map<string, Uint8Array[]>;
  readonly bytes: (turn: string) => Buffer;
};

async function open(baseUrl: string, query: Readonly<Record<string, string>> = {}): Promise<Kept> {
  const events: ServerEvent[] = [];
  const changes: ConnectionChange[] = [];
  const audio = new Map<string, Uint8Array[]>();
  const voxgate = createVoxgateClient({ baseUrl, apiKey: KEY, userId: 'ann', WebSocket });
  const session = await voxgate.session(
    { format: 'mulaw', seed: '7', ...query },
    {
      onEvent: (event) => void events.push(event),
      onConnection: (change) => void changes.push(change),
      onAudio: (bytes, turn) => void audio.set(turn, [...(audio.get(turn) ?? []), bytes]),
    },
  );
  const bytes = (turn: string) => Buffer.concat(audio.get(turn) ?? []);
  return { session, events, changes, audio, bytes };
}
const dropped = async ({ changes }: Kept): Promise<void> => {
  const before = changes.filter(({ type }) => type === 'resumed').length;
  line.cut();
  await expect.poll(() => changes.filter(({ type }) => type === 'resumed').length).toBe(before + 1);
};
/** What does not depend on when things happened. */
const told = ({ events }: Kept) =>
  events
    .filter(({ type }) => !['queued', 'ready', 'pong', 'underrun', 'configured'].includes(type))
    .map((event) => {
      const {
        turn = '',
        name = '',
        outcome = '',
      } = event as { turn?: string; name?: string; outcome?: string };
      return `${event.type} ${turn} ${name} ${outcome}`.trim();
    })
    .filter((each, at, all) => !each.startsWith('caption') || all[at - 1] !== each);

const TEXT = 'What is said while connections drop is heard to its end.';

describe('a session that comes back', () => {
  it('gives every byte and every message of two turns, as one without a drop does', async () => {
    const speak = async (kept: Kept, drop: () => Promise<void>) => {
      const { session, bytes } = kept;
      const heard = session.next('heard', ({ turn }) => turn === 'b');
      session.send({ type: 'speak', turn: 'a', text: TEXT });
      session.send({ type: 'mark', turn: 'a', name: 'end of a' });
      await expect.poll(() => bytes('a').length).toBeGreaterThan(2000);
      await drop();
      // Said while the connection is gone, too: repeated, and taken once.
      session.send({ type: 'append', turn: 'b', text: 'Token by token ' });
      session.send({ type: 'append', turn: 'b', text: 'it goes on.' });
      await drop();
      session.send({ type: 'end', turn: 'b' });
      await expect.poll(() => bytes('b').length).toBeGreaterThan(2000);
      await drop();
      await heard;
      session.close();
      await session.closed;
    };
    const [whole, broken] = await Promise.all([
      open(gateway.url, { captions: 'words' }),
      open(line.url, { captions: 'words' }),
    ]);
    await Promise.all([speak(whole, async () => {}), speak(broken, () => dropped(broken))]);
    for (const turn of ['a', 'b']) expect(broken.bytes(turn).equals(whole.bytes(turn))).toBe(true);
    expect(told(broken)).toEqual(told(whole));
    const resumed = broken.changes.filter((change) => change.type === 'resumed');
    expect(resumed.map(({ exact }) => exact)).toEqual([true, true, true]);
    expect(broken.changes[0]).toMatchObject({ type: 'reconnecting', attempt: 1, error: { closeCode: 1006 } });
    expect(whole.changes).toEqual([]);
  });

  it('sends what was said without a connection: an interrupt, pause and seek take effect once', async () => {
    const kept = await open(line.url);
    const { session, bytes } = kept;
    session.send({ type: 'speak', turn: 'a', text: `${TEXT}\n\n${TEXT}\n\n${TEXT}` });
    await expect.poll(() => bytes('a').length).toBeGreaterThan(1000);
    line.cut();
    await expect.poll(() => kept.changes.length).toBeGreaterThan(0);
    expect(session.isOpen()).toBe(true);
    const paused = session.pause('a');
    const sought = session.seek('a', 2);
    const resumed = session.resume('a');
    expect((await paused).turn).toBe('a');
    expect((await sought).paragraph).toBe(2);
    await resumed;
    line.cut();
    const [ended, heard] = [session.next('ended'), session.next('heard')];
    session.send({ type: 'cancel', turn: 'a', playedMs: 100 });
    expect((await ended).outcome).toBe('cancelled');
    expect((await heard).playedMs).toBeGreaterThan(0);
    const before = bytes('a').length;
    session.send({ type: 'ping', id: 'after' });
    await session.next('pong');
    expect(bytes('a').length).toBe(before);
    expect(kept.events.filter(({ type }) => type === 'error')).toEqual([]);
    session.close();
  });

  it('uses the WebSocket that Node 22 has, and says so where there is none', async () => {
    const voxgate = createVoxgateClient({ baseUrl: line.url, apiKey: KEY, userId: 'ann' });
    const changes: ConnectionChange[] = [];
    let bytes = 0;
    const opening = voxgate.session(
      {},
      {
        onConnection: (change) => void changes.push(change),
        onAudio: ({ length }) => {
          bytes += length;
        },
      },
    );
    if (!('WebSocket' in globalThis)) {
      await expect(opening).rejects.toMatchObject({
        code: 'unreachable',
        message: /Node has one from version 22/,
      });
      return;
    }
    const session = await opening;
    session.send({ type: 'speak', turn: 'a', text: TEXT });
    await expect.poll(() => bytes).toBeGreaterThan(800);
    line.cut();
    const { sentMs } = await session.next('ended');
    expect(bytes).toBe(sentMs * 8);
    expect(changes.map(({ type }) => type)).toEqual(['reconnecting', 'resumed']);
    session.close();
    const wrong = createVoxgateClient({ baseUrl: line.url, apiKey: 'wrong', userId: 'ann' });
    await expect(wrong.session()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('is opened with a token as in a browser, and ends with it', async () => {
    const owner = createVoxgateClient({ baseUrl: gateway.url, apiKey: KEY, userId: 'ann' });
    const issued = await owner.tokens.create({ scope: 'speak' });
    const changes: ConnectionChange[] = [];
    const voxgate = createVoxgateClient({ baseUrl: line.url, token: async () => issued.token, WebSocket });
    const session = await voxgate.session({}, { onConnection: (change) => void changes.push(change) });
    const waiting = session.next('heard');
    line.cut();
    await expect.poll(() => changes.map(({ type }) => type)).toEqual(['reconnecting', 'resumed']);
    await owner.tokens.revoke(issued.id);
    line.cut();
    const { error } = await session.closed;
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, isRetryable: false });
    await expect(waiting).rejects.toBe(error);
    expect(() => session.send({ type: 'ping' })).toThrow(error!.message);
    expect(session.isOpen()).toBe(false);
  });
});

describe('a session whose gateway has gone', () => {
  const READY = {
    type: 'ready',
    n: 1,
    session: 's1',
    version: '1',
    attachToken: 't',
    limits: { messageBytes: 1000 },
  };
  /** One that keeps its session for `forMs`, and lets its only client in once. */
  async function openOnce(forMs: number) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const come = once(server, 'connection') as Promise<[WebSocket]>;
    void come.then(([socket]) => socket.send(JSON.stringify({ ...READY, resume: { token: 'A', forMs } })));
    const { port } = server.address() as AddressInfo;
    const attempts: number[] = [];
    const client = await connectSession({
      url: `ws://127.0.0.1:${port}/v1/session`,
      WebSocket,
      resumable: true,
      onConnection: (change) => change.type === 'reconnecting' && attempts.push(change.attempt),
    });
    const [socket] = await come;
    return { client, socket, server, attempts };
  }

  it('tries until the session is kept no longer, and says so', async () => {
    const { client, server, socket, attempts } = await openOnce(700);
    server.close();
    socket.terminate();
    const { error, code } = await client.closed;
    expect([error?.code, code]).toEqual(['session_gone', 1006]);
    expect(error?.message).toMatch(
      /^The connection was lost and did not come back within 0\.7 s.*ECONNREFUSED/,
    );
    expect(attempts.length).toBeGreaterThan(1);
  });

  it.each([
    [4409, 'session_taken'],
    [1012, 'shutting_down'],
    [4410, 'ended_by_operator'],
  ])('does not come back after %i %s', async (closeCode, reason) => {
    const { client, server, socket, attempts } = await openOnce(60_000);
    socket.close(closeCode, reason);
    expect((await client.closed).error).toMatchObject({ code: reason, closeCode });
    expect(attempts).toEqual([]);
    server.close();
  });

  it('can be closed while it comes back', async () => {
    const { client, server, socket } = await openOnce(60_000);
    server.close();
    socket.terminate();
    await expect.poll(() => socket.readyState).toBe(WebSocket.CLOSED);
    client.close();
    expect((await client.closed).error).toBeUndefined();
  });
});
