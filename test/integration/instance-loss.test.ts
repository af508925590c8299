// An instance is killed: its resumable sessions go on at the other one, to the byte, and a call that it had is told as lost.
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Gateway } from '../../src/app/gateway.ts';
import { createTelnyxSide } from '../../testkit/carriers/telnyx-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { startGatewayProcesses } from '../support/gateway-processes.ts';
import { freePort, hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';

const KEY = 'key-of-ann';
const SECRET = Buffer.alloc(32, 7).toString('base64');
const TEXT = 'A canary text that takes a while to say.';

type Message = Readonly<Record<string, unknown>> & { readonly type: string; readonly n?: number };

class Client {
  readonly messages: Message[] = [];
  readonly audio: Buffer[] = [];
  after = 0;
  socket!: WebSocket;

  open(gateway: Gateway, query: string): Promise<Message> {
    const headers = { Authorization: `Bearer ${KEY}` };
    this.socket = new WebSocket(`${gateway.sessionUrl}?${query}`, 'voxgate.v1', { headers });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return void this.audio.push(data);
      const message = JSON.parse(data.toString()) as Message;
      this.after = message.n ?? this.after;
      this.messages.push(message);
    });
    return new Promise((resolve, reject) => {
      this.socket.on('error', reject);
      this.socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as Message));
    });
  }
  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
  said = (type: string) => this.messages.findLast((each) => each.type === type);
  saidSoon = (type: string) =>
    vi.waitUntil(() => this.said(type), { timeout: 40_000, interval: 20 }) as Promise<Message>;
  bytes = () => Buffer.concat(this.audio);
  comeBack(gateway: Gateway): Promise<Message> {
    const { token } = this.messages[0]!['resume'] as { token: string };
    return this.open(gateway, `resume=${token}&after=${this.after}&turn=a&received=${this.bytes().length}`);
  }
}

describe.skipIf(!hasRedis)('an instance that is killed', () => {
  let redis: RedisServer;
  let kept: RunningGateway;
  let lost: Awaited<ReturnType<typeof startGatewayProcesses>>;
  const lines: string[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    const env = async () => {
      const peer = await freePort();
      return {
        VOXGATE_API_KEYS: `ann:${KEY}`,
        VOXGATE_UPSTREAM_KEYS: 'upstream-user:upstream-key@6000',
        VOXGATE_REDIS_URL: redis.url,
        VOXGATE_SECRET: SECRET,
        VOXGATE_PEER_PORT: String(peer),
        VOXGATE_PEER_URL: `http://127.0.0.1:${peer}`,
      };
    };
    kept = await startRunningGateway({ processes: 1, env: await env() });
    lost = await startGatewayProcesses(
      {
        ...(await env()),
        VOXGATE_PORT: '0',
        VOXGATE_UPSTREAM_URL: kept.upstream.url.origin,
        VOXGATE_WORD_TIMES: 'never',
        VOXGATE_BUSY_AT: '0',
      },
      (line) => lines.push(line),
    );
    await vi.waitUntil(async () => (await kept.metric('voxgate_instances')) === 2, { timeout: 50_000 });
  }, 150_000);
  afterAll(async () => {
    await lost.stop(0);
    await kept.close();
    await redis.close();
  });

  it('loses no session that was acknowledged, and its call is told', async () => {
    const clients = [new Client(), new Client(), new Client()] as const;
    const [, second, inCall] = clients;
    for (const client of clients) await client.open(lost, 'resumable=1');
    const attachToken = String(inCall.messages[0]!['attachToken']);
    const call = await dial(
      `${lost.url.replace('http', 'ws')}/v1/legs/telnyx/${attachToken}`,
      createTelnyxSide({ format: 'mulaw', sampleRate: 8000 }),
      { callId: 'CA1' },
    );
    inCall.send({ type: 'attach', leg: { callSid: 'CA1' } });
    await inCall.saidSoon('attached');
    for (const client of clients) client.send({ type: 'speak', turn: 'a', text: TEXT });
    for (const client of clients)
      await vi.waitUntil(() => client.said('ack')?.['n'] === (client === inCall ? 2 : 1), {
        timeout: 20_000,
      });
    await vi.waitUntil(() => second.bytes().length > 1600, { timeout: 20_000 });
    const gone = clients.map(({ socket }) => once(socket, 'close'));
    lost.child.kill('SIGKILL');
    await Promise.all(gone);
    for (const client of clients) {
      const taken = client === inCall ? 2 : 1;
      expect(await client.comeBack(kept)).toMatchObject({ type: 'session_resumed', taken });
    }
    const whole = await kept.session('', { headers: { Authorization: `Bearer ${KEY}` } });
    whole.send({ type: 'speak', turn: 'a', text: TEXT });
    await whole.ended('a');
    for (const client of clients.slice(0, 2)) {
      expect((await client.saidSoon('ended'))['outcome']).toBe('complete');
      expect(client.bytes().equals(whole.audioOf('a'))).toBe(true);
      await client.saidSoon('heard');
      expect(client.messages.filter(({ type }) => type === 'started')).toHaveLength(1);
    }
    expect(await inCall.saidSoon('detached')).toMatchObject({ callSid: 'CA1', reason: 'instance_lost' });
    expect(await kept.metric('voxgate_sessions_taken_over_total')).toBe(3);
    for (const { socket } of clients) socket.close(1000);
    await call.closed;
    expect([...kept.logLines, ...lines].join('\n')).not.toContain('canary');
  }, 150_000);
});
