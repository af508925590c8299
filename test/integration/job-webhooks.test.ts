// From a job to the message at its webhook, through the records on disk: signed, sent again, silenced.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

type Message = { readonly type: string; readonly data: { readonly id: string; readonly status: string } };
type Arrival = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly message: Message };
type DeliveryRecord = { readonly id: string; readonly type: string; readonly state: string };

const HEADERS = { authorization: 'Bearer any', 'x-user-id': 'ann' };
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({
    script: speaking,
    env: { VOXGATE_UPSTREAM_KEYS: 'user:key@10000', VOXGATE_PRIVATE_ADDRESSES: 'allowed' },
  });
});
afterAll(() => gateway.close());

let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers = [];
});

async function openReceiver(statusOf: (count: number) => number = () => 204) {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      arrivals.push({ headers: request.headers, body, message: JSON.parse(body) as Message });
      response.writeHead(statusOf(arrivals.length)).end();
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return { arrivals, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function call<T>(
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<T> {
  const response = await fetch(`${gateway.url}/api/v1/${path}`, {
    method,
    headers: { ...HEADERS, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
const createJob = (webHookUrl: string) =>
  call<{ id: string }>('tts', {
    model: 'VoxDialog',
    voice: 'vox:anna',
    text: 'Good morning to you.',
    webHookUrl,
  });
async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const deliveryOf = (type: string, state: string) => async () =>
  (await call<DeliveryRecord[]>('webhooks/deliveries')).find(
    (one) => one.type === type && one.state === state,
  );

it('tells a job its end, signed as the user can verify, and again under the same id when asked to', async () => {
  const { arrivals, url } = await openReceiver();
  const { id } = await createJob(url);
  const isEnd = ({ message }: Arrival) => message.type === 'tts.completed';
  const first = await until(() => arrivals.find(isEnd));
  const { secret } = await call<{ secret: string }>('webhooks/secret');
  const verified = new Webhook(secret).verify(first.body, first.headers as Record<string, string>) as Message;
  expect(verified.data).toMatchObject({ id, status: 'completed' });
  expect(await call(`tts/${id}`)).toMatchObject({ status: 'completed' });

  const messageId = String(first.headers['webhook-id']);
  await until(async () =>
    (await call<DeliveryRecord[]>('webhooks/deliveries')).find(
      (one) => one.id === messageId && one.state === 'delivered',
    ),
  );
  await call(`webhooks/deliveries/${messageId}/replay`, undefined, 'POST');
  const again = await until(() => arrivals.filter(isEnd)[1]);
  expect([again.headers['webhook-id'], again.body]).toEqual([messageId, first.body]);
}, 20_000);

it('sends later what a receiver could not take', async () => {
  let isDown = true;
  const { arrivals, url } = await openReceiver(() => (isDown ? 503 : 204));
  await createJob(url);
  const isEnd = ({ message }: Arrival) => message.type === 'tts.completed';
  const first = await until(() => arrivals.find(isEnd));
  isDown = false;
  const again = await until(() => arrivals.filter(isEnd)[1]);
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(again.body).toBe(first.body);
}, 30_000);

it('sends nothing more to a receiver that is gone for good', async () => {
  const { arrivals, url } = await openReceiver(() => 410);
  const { id } = await createJob(url);
  await until(async () =>
    (await call<{ status: string }>(`tts/${id}`)).status === 'completed' ? true : undefined,
  );
  await until(deliveryOf('tts.completed', 'given-up'));
  const before = arrivals.length;
  await createJob(url).then(({ id: second }) =>
    until(async () =>
      (await call<{ status: string }>(`tts/${second}`)).status === 'completed' ? true : undefined,
    ),
  );
  expect(arrivals.length).toBe(before);
}, 20_000);
