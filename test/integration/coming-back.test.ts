// Coming back over real sockets: through a proxy that drops connections, and with tokens that are not to be used.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type ChaosProxy, startChaosProxy } from '../../testkit/chaos/chaos-proxy.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';

type Message = Readonly<Record<string, unknown>> & { readonly type: string };

const KEY = 'canary-key-of-ann';
let gateway: RunningGateway;
/** Everything goes by it. */
let line: ChaosProxy;

beforeAll(async () => {
  gateway = await startRunningGateway({
    env: { VOXGATE_API_KEYS: `ann:${KEY},bob:key-of-bob`, VOXGATE_RESUME_MS: '60000' },
  });
  line = await startChaosProxy({ target: `http://127.0.0.1:${gateway.port}`, seed: 1, toxics: [] });
}, 150_000);
afterAll(async () => {
  await line.close();
  await gateway.close();
}, 30_000);

class Client {
  readonly messages: Message[] = [];
  readonly audio: Buffer[] = [];
  after = 0;
  token = '';
  first: Message | undefined;
  socket!: WebSocket;
  closed!: Promise<number>;

  open(query: string, options: { protocols?: string[]; key?: string; port?: number } = {}): Promise<Message> {
    const { protocols = ['voxgate.v1'], key, port = line.port } = options;
    const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/session?${query}`, protocols, { headers });
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)));
    return new Promise((resolve, reject) => {
      let isFirst = true;
      socket.on('error', () => {});
      socket.on('unexpected-response', (_request, response) => {
        reject(new Error(String(response.statusCode)));
        socket.terminate();
      });
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) return void this.audio.push(data);
        const message = JSON.parse(data.toString()) as Message;
        if (isFirst) {
          isFirst = false;
          this.first = message;
          const { resume } = message as { resume?: { token: string } };
          this.token = resume?.token ?? '';
          resolve(message);
        }
        if (message.type === 'ack' || message.type === 'session_resumed') return;
        if (message['n'] !== undefined)
          this.after = message['n'] === this.after + 1 ? this.after + 1 : Number.NaN;
        this.messages.push(message);
      });
    });
  }
  said(type: string): Message | undefined {
    return this.messages.find((message) => message.type === type);
  }
  bytes(): number {
    return this.audio.reduce((sum, { length }) => sum + length, 0);
  }
  /** As it is to be asked for. */
  claim(): string {
    const turn = this.said('started') !== undefined && this.said('ended') === undefined ? '&turn=a' : '';
    return `after=${this.after}${turn}&received=${turn === '' ? 0 : this.bytes()}`;
  }
  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
}
const refusal = (opening: Promise<Message>) =>
  opening.then(
    () => 'let in',
    (error: Error) => error.message,
  );

async function speaking(): Promise<Client> {
  const client = new Client();
  await client.open('resumable=1&format=mulaw&seed=7', { key: KEY });
  client.send({ type: 'speak', turn: 'a', text: 'What is said while connections drop.' });
  await expect.poll(() => client.bytes(), { timeout: 10_000 }).toBeGreaterThan(800);
  return client;
}

it('goes on at the very byte after drops, to the end', async () => {
  const plain = new Client();
  expect((await plain.open('format=mulaw', { key: KEY }).catch(() => undefined))?.['resume']).toBeUndefined();
  plain.socket.close();

  const client = await speaking();
  for (const way of ['query', 'subprotocol', 'query'] as const) {
    const before = client.bytes();
    line.cut();
    await client.closed;
    const query = way === 'query' ? `&resume=${client.token}` : '';
    const protocols = way === 'query' ? ['voxgate.v1'] : ['voxgate.v1', `resume.${client.token}`];
    const first = await client.open(client.claim() + query, { protocols });
    expect([first.type, first['exact'], first['taken']]).toEqual(['session_resumed', true, 1]);
    expect(client.socket.protocol).toBe('voxgate.v1');
    await expect
      .poll(() => client.said('ended') !== undefined || client.bytes() > before, { timeout: 10_000 })
      .toBe(true);
  }
  await expect.poll(() => client.said('heard'), { timeout: 20_000 }).toBeDefined();
  const { sentMs } = client.said('ended') as unknown as { sentMs: number };
  expect(client.bytes()).toBe(sentMs * 8);
  client.socket.close(1000);
  await client.closed;
}, 150_000);

it('lets nobody in by a token that does not hold, and the newest connection has the session', async () => {
  const client = await speaking();
  const { token } = client;
  const plain = (query: string) =>
    fetch(`http://127.0.0.1:${gateway.port}/v1/session?${query}`).then(({ status }) => status);
  expect(await plain(`after=1&resume=${token}`)).toBe(426);
  for (const bad of ['x', `${token.slice(0, -4)}AAAA`, ''])
    expect(await refusal(new Client().open(`resume=${bad}`))).toBe('401');
  expect(await refusal(new Client().open(`resume=${token}&after=1000`))).toBe('400');
  expect(await refusal(new Client().open(`resume=${token}&format=mulaw`))).toBe('400');

  const older = client.socket;
  const second = new Client();
  second.after = client.after;
  const first = await second.open(`${client.claim()}&resume=${token}`);
  expect(first.type).toBe('session_resumed');
  expect(await client.closed).toBe(4409);
  expect(older.readyState).toBe(WebSocket.CLOSED);
  second.send({ type: 'ping', id: 'here' });
  await expect.poll(() => second.said('pong'), { timeout: 10_000 }).toBeDefined();
  expect(await refusal(new Client().open(`resume=${token}`))).toBe('401'); // replaced

  second.socket.close(1000);
  await second.closed;
  await expect
    .poll(() => refusal(new Client().open(`resume=${second.token}`)), { timeout: 10_000 })
    .toBe('410');
  expect(await plain(`resume=${second.token}`)).toBe(410);
  const log = gateway.logLines.join('\n');
  for (const secret of [token, second.token, KEY]) expect(log).not.toContain(secret);
}, 150_000);

it('ends with the token that let its client in', async () => {
  const reply = await fetch(`http://127.0.0.1:${gateway.port}/v1/tokens`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}`, 'X-USER-ID': 'ann', 'Content-Type': 'application/json' },
    body: JSON.stringify({ scope: 'speak' }),
  });
  const { id, token } = (await reply.json()) as { id: string; token: string };
  const client = new Client();
  await client.open('resumable=1', { protocols: ['voxgate.v1', `token.${token}`] });
  line.cut();
  await client.closed;
  const revoked = await fetch(`http://127.0.0.1:${gateway.port}/v1/tokens/${id}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${KEY}`, 'X-USER-ID': 'ann' },
  });
  expect(revoked.status).toBe(204);
  await expect
    .poll(() => refusal(new Client().open(`resume=${client.token}`)), { timeout: 10_000 })
    .toBe('401');
}, 150_000);
