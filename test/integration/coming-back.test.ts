// Coming back over real sockets: through a proxy that drops connections, and with tokens that are not to be used.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Credentials } from '../../src/access/credentials.ts';
import { createResumeTokens, type ResumeToken } from '../../src/access/resume-tokens.ts';
import { checkResume } from '../../src/gateway/sockets/admit-upgrade.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { dialCarrier } from '../../testkit/carriers/dial-carrier.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
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
/** What an upgrade is answered with that does not become a session. */
const refusal = (opening: Promise<Message>) =>
  opening.then(
    () => 'let in',
    (error: Error) => error.message,
  );

async function speaking(): Promise<Client> {
  const client = new Client();
  await client.open('resumable=1&format=mulaw&seed=7', { key: KEY });
  client.send({ type: 'speak', turn: 'a', text: 'What is said while connections drop.' });
  while (client.bytes() <= 800) await new Promise((resolve) => setTimeout(resolve, 20));
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

describe('a token', () => {
  let mine: Client;
  let foreign: Client;
  let another: Client;
  beforeAll(async () => {
    mine = await speaking();
    foreign = new Client();
    await foreign.open('resumable=1', { key: 'key-of-bob' });
    another = new Client();
    await another.open('resumable=1', { key: KEY });
  }, 150_000);
  afterAll(() => {
    for (const client of [mine, foreign, another]) client.socket.close(1000);
  });

  const changed = (token: string, change: (payload: Record<string, unknown>) => object) => {
    const bytes = Buffer.from(token, 'base64url');
    const payload = JSON.parse(bytes.subarray(16).toString()) as Record<string, unknown>;
    const json = Buffer.from(JSON.stringify({ ...payload, ...change(payload) }));
    return Buffer.concat([bytes.subarray(0, 16), json]).toString('base64url');
  };
  const signedElsewhere = (token: string) => {
    const payload = JSON.parse(Buffer.from(token, 'base64url').subarray(16).toString()) as ResumeToken;
    return createResumeTokens(['the secret of another gateway']).sign(payload);
  };

  it.each<readonly [what: string, query: () => string, status: string]>([
    ['of nothing', () => 'resume=', '401'],
    ['that is no token', () => 'resume=..%2F..%2Fetc', '401'],
    ['that is too long', () => `resume=${'A'.repeat(5000)}`, '401'],
    ['cut short', () => `resume=${mine.token.slice(0, -3)}`, '401'],
    [
      'with another session in it',
      () => `resume=${changed(mine.token, () => ({ session: another.first!['session'] }))}`,
      '401',
    ],
    ['with another user in it', () => `resume=${changed(mine.token, () => ({ userId: 'bob' }))}`, '401'],
    ['with a higher number in it', () => `resume=${changed(mine.token, () => ({ number: 2 }))}`, '401'],
    ['signed elsewhere', () => `resume=${signedElsewhere(mine.token)}`, '401'],
    ['that legs bring', () => `resume=${String(mine.said('ready')!['attachToken'])}`, '401'],
    ['given twice', () => `resume=${mine.token}&resume=${mine.token}`, '400'],
    ['with a claim of more than was said', () => `resume=${mine.token}&after=100000`, '400'],
    [
      'with a claim of more audio than was sent',
      () => `resume=${mine.token}&turn=a&received=99999999`,
      '400',
    ],
    ['with audio of no turn', () => `resume=${mine.token}&received=1`, '400'],
    ['with a number that is none', () => `resume=${mine.token}&after=-1`, '400'],
    ['with settings', () => `resume=${mine.token}&format=raw`, '400'],
  ])('%s lets nobody in', async (_what, query, status) => {
    expect(await refusal(new Client().open(query(), { port: gateway.port }))).toBe(status);
    // Nor by anybody else's key beside it.
    expect(await refusal(new Client().open(query(), { port: gateway.port, key: 'key-of-bob' }))).toBe(status);
  });

  it('opens its own session and no other, whatever else is shown', async () => {
    const client = new Client();
    const first = await client.open(`after=1&resume=${foreign.token}`, { key: KEY });
    expect(first['session']).toBe(foreign.said('ready')!['session']);
    expect(await foreign.closed).toBe(4409);
    client.send({ type: 'ping', id: 'of bob' });
    await expect.poll(() => client.said('pong'), { timeout: 10_000 }).toBeDefined();
    expect(client.audio).toEqual([]);
    expect([mine, another].map(({ socket }) => socket.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    foreign = client;
  });

  it('used by two at once leaves the session with one of them', async () => {
    const { token } = another;
    const both = [new Client(), new Client()];
    for (const client of both) client.after = 1;
    await Promise.all(both.map((client) => client.open(`after=1&resume=${token}`)));
    const fenced = await Promise.race(both.map(async (client) => [client, await client.closed] as const));
    expect(fenced[1]).toBe(4409);
    another = both.find((client) => client !== fenced[0])!;
    another.send({ type: 'ping', id: 'still here' });
    await expect.poll(() => another.said('pong'), { timeout: 10_000 }).toBeDefined();
    // Now only the newest of the three holds.
    for (const old of [token, fenced[0].token])
      expect(await refusal(new Client().open(`after=1&resume=${old}`))).toBe('401');
  });

  it('is nowhere in the log, nor is a key', async () => {
    const log = gateway.logLines.join('\n');
    for (const { token } of [mine, foreign, another]) {
      expect(token.length).toBeGreaterThan(20);
      expect(log).not.toContain(token);
      expect(log).not.toContain(token.slice(0, 22));
    }
    for (const secret of [KEY, 'key-of-bob', 'after=1']) expect(log).not.toContain(secret);
  });

  it('holds no longer than the key that its session was opened with', () => {
    const tokens = createResumeTokens(['a secret of this test']);
    const token = tokens.sign({ session: 's', userId: 'ann', key: 'key-1', number: 1 });
    const check = (isThere: boolean, revoked: readonly string[] = []) =>
      checkResume(token, {
        resumeTokens: tokens,
        credentials: { hasKey: () => isThere } as unknown as Credentials,
        tokens: { isRevoked: (id) => revoked.includes(id) },
      });
    expect(check(true)).toMatchObject({ session: 's', userId: 'ann' });
    expect(() => check(false)).toThrow(/revoked/);
  });
});

it('keeps so many sessions of a user, and ends the one that has waited longest', async () => {
  const small = await startRunningGateway({
    env: { VOXGATE_API_KEYS: `ann:${KEY}`, VOXGATE_MAX_DETACHED_PER_USER: '2' },
  });
  const port = { port: small.port };
  const clients = [new Client(), new Client(), new Client()];
  for (const client of clients) await client.open('resumable=1', { key: KEY, ...port });
  for (const client of clients) {
    client.socket.terminate();
    await client.closed;
    const lost = clients.filter(({ socket }) => socket.readyState === WebSocket.CLOSED).length;
    await expect
      .poll(() => small.logLines.filter((line) => line.includes('session_detached')).length, {
        timeout: 10_000,
      })
      .toBe(lost);
  }
  const back = clients.map(({ token }) => new Client().open(`after=1&resume=${token}`, port));
  expect(await refusal(back[0]!)).toBe('410');
  for (const opening of back.slice(1)) expect((await opening).type).toBe('session_resumed');
  expect(await small.metric('voxgate_sessions_gone_total')).toBe(1);
  await small.close();
}, 150_000);

// The same speech to two calls, one of whose bots loses its connection again and again.
it('calls over Twilio and AudioSocket hear all of a turn while their bots are away', async () => {
  const audioSocketPort = await freePort();
  const calls = await startRunningGateway({ env: { VOXGATE_AUDIOSOCKET_PORT: String(audioSocketPort) } });
  const flaky = await startChaosProxy({ target: `http://127.0.0.1:${calls.port}`, seed: 1, toxics: [] });
  const dialTo = (kind: 'twilio' | 'audiosocket', callId: string) => {
    const carrier = CARRIERS[kind]!;
    // A test that is held up reads late what came in time.
    const rules = { ...carrier.rules, mostBufferedMs: 600_000 };
    const url =
      kind === 'twilio'
        ? `ws://127.0.0.1:${calls.port}/v1/legs/twilio`
        : `tcp://127.0.0.1:${audioSocketPort}`;
    return dialCarrier({ ...carrier, rules }, url, { callId, token: undefined });
  };
  const attached = async (kind: 'twilio' | 'audiosocket', callId: string, port: number) => {
    const bot = new Client();
    await bot.open('resumable=1', { port });
    const attach = { type: 'attach', leg: kind === 'twilio' ? { callSid: callId } : { token: callId } };
    if (kind === 'audiosocket') bot.send(attach);
    if (kind === 'audiosocket') await expect.poll(() => bot.after, { timeout: 10_000 }).toBe(1);
    const carrier = await dialTo(kind, callId);
    if (kind === 'twilio') bot.send(attach);
    await expect.poll(() => bot.said('attached'), { timeout: 10_000 }).toBeDefined();
    bot.send({ type: 'speak', turn: 'a', text: 'Hello there, this is the office.', seed: 7 });
    await expect.poll(() => bot.said('started'), { timeout: 10_000 }).toBeDefined();
    return { bot, carrier };
  };
  const [steady, twilio, steadySocket, audioSocket] = await Promise.all([
    attached('twilio', 'CA1', calls.port),
    attached('twilio', 'CA2', flaky.port),
    attached('audiosocket', '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162', calls.port),
    attached('audiosocket', '1b8f3c9e-6a2d-4f10-9d57-1c2e3f405162', flaky.port),
  ]);
  for (let drop = 0; drop < 3; drop += 1) {
    flaky.cut();
    await Promise.all([twilio, audioSocket].map(({ bot }) => bot.closed));
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const { bot } of [twilio, audioSocket]) {
      const back = await bot.open(`${bot.claim()}&resume=${bot.token}`, { port: flaky.port });
      expect([back.type, back['exact']]).toEqual(['session_resumed', true]);
    }
  }
  const all = [steady, twilio, steadySocket, audioSocket];
  for (const { bot } of all) await expect.poll(() => bot.said('heard'), { timeout: 20_000 }).toBeDefined();
  const soundOf = ({ carrier }: (typeof all)[number]) =>
    Buffer.concat(carrier.playout.heard.map(({ bytes }) => bytes)).filter(
      (byte) => byte !== 0xff && byte !== 0,
    );
  const of = (each: (typeof all)[number]) => Buffer.from(soundOf(each)).toString('base64');
  await expect.poll(() => of(twilio) === of(steady), { timeout: 10_000 }).toBe(true);
  await expect.poll(() => of(audioSocket) === of(steadySocket), { timeout: 10_000 }).toBe(true);
  expect(soundOf(twilio).length).toBeGreaterThan(10_000);
  expect(soundOf(audioSocket).length).toBeGreaterThan(20_000);
  for (const { bot, carrier } of all) {
    expect(bot.said('ended')).toMatchObject({ turn: 'a', outcome: 'complete' });
    expect(bot.bytes()).toBe(0);
    carrier.hangUp();
    bot.socket.close(1000);
  }
  await flaky.close();
  await calls.close();
}, 150_000);
