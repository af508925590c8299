// The outbox through the guarded connection to real receivers: honest, absent, and lying ones.

import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from 'vitest';
import { webhookSecret } from '../../../src/access/webhook-signature.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { createHttpGuardedFetch } from '../../../src/service/fetch/http-guarded-fetch.ts';
import { createWebhookDispatcher } from '../../../src/service/webhooks/webhook-dispatcher.ts';
import { createDelivery } from '../../../src/service/webhooks/webhook-payload.ts';
import type { DeliveryStore } from '../../../src/storage/delivery-store.ts';
import { createMemoryDeliveryStore } from '../../support/memory-delivery-store.ts';

let closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing) close();
  closing = [];
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const http = (listener: RequestListener) => listen(createServer(listener));
const raw = (onData: (socket: Socket) => void) =>
  listen(createTcpServer({ allowHalfOpen: true }, (socket) => socket.once('data', () => onData(socket))));

it('each receiver gets what it deserves, and none waits for another', async () => {
  const secret = webhookSecret('master', 'ann');
  const verified: unknown[] = [];
  const elsewhere: unknown[] = [];
  const closed = await http(() => {});
  closing.pop()!();
  const receivers = {
    honest: await http((request, response) => {
      void text(request).then((body) => {
        verified.push(new Webhook(secret).verify(body, request.headers as Record<string, string>));
        response.writeHead(204).end();
      });
    }),
    absent: closed,
    silent: await http(() => {}),
    redirecting: await http((request, response) => {
      if (request.url !== '/hook') elsewhere.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    }),
    garbage: await raw((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\0\0\0')),
    endless: await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const pour = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', pour);
      pour();
    }),
    halfClosed: await raw((socket) => socket.end()),
    reset: await raw((socket) => socket.resetAndDestroy()),
    notHttp: await raw((socket) => socket.end('220 mail.example ESMTP\r\n')),
    manyHeads: await raw((socket) => socket.end(`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)}`)),
    gone: await http((_, response) => response.writeHead(410).end()),
    busy: await http((_, response) => response.writeHead(429, { 'retry-after': '120' }).end()),
  };

  const store = createMemoryDeliveryStore();
  const ids = new Map<string, string>();
  for (const [name, port] of Object.entries(receivers)) {
    const event = { type: 'tts.completed', atMs: Date.now(), data: { id: name } } as const;
    const url = `http://127.0.0.1:${port}/hook`;
    const delivery = createDelivery(event, { owner: 'ann', url }, systemRandom);
    ids.set(name, delivery.id);
    store.put(delivery);
  }
  let settled = 0;
  let allSettled: () => void = () => {};
  const done = new Promise<void>((resolve) => (allSettled = resolve));
  const noted: DeliveryStore = {
    ...store,
    async settle(...args) {
      await store.settle(...args);
      settled += 1;
      // All but the silent one, which takes its 15 s.
      if (settled === ids.size - 1) allSettled();
    },
  };
  const fetch = createHttpGuardedFetch({
    lookup: async () => [],
    allowPrivate: 'allowed',
    clock: systemClock,
  });
  const dispatcher = createWebhookDispatcher({
    store: noted,
    fetch,
    secretsOf: () => [secret],
    clock: systemClock,
    unixMs: Date.now,
    random: systemRandom,
    log: silentLog,
    bounds: { atOnce: 16, perHost: 2, perOwner: 16, waiting: 64, waitingEach: 64 },
  });
  await done;
  await dispatcher.stop(0);
  fetch.close();

  const outcome = async (name: string) => {
    const { state, attempts } = (await store.find('ann', ids.get(name)!))!;
    return [state, attempts.length, attempts[0]?.status];
  };
  const outcomes = Object.fromEntries(
    await Promise.all([...ids.keys()].map(async (name) => [name, await outcome(name)] as const)),
  );
  expect(outcomes).toEqual({
    honest: ['delivered', 1, 204],
    absent: ['pending', 1, undefined],
    silent: ['pending', 0, undefined],
    redirecting: ['pending', 1, 307],
    garbage: ['delivered', 1, 200],
    endless: ['delivered', 1, 200],
    halfClosed: ['pending', 1, undefined],
    reset: ['pending', 1, undefined],
    notHttp: ['pending', 1, undefined],
    manyHeads: ['pending', 1, undefined],
    gone: ['given-up', 1, 410],
    busy: ['pending', 1, 429],
  });
  expect(verified).toEqual([expect.objectContaining({ type: 'tts.completed', data: { id: 'honest' } })]);
  expect(elsewhere).toEqual([]);
  const busy = await store.find('ann', ids.get('busy')!);
  expect(busy!.nextAtMs! - busy!.attempts[0]!.atMs).toBeGreaterThanOrEqual(120_000);
  const problems = await Promise.all(
    [...ids.values()].map(async (id) => (await store.find('ann', id))!.attempts[0]?.problem ?? ''),
  );
  expect(problems.join(' ')).not.toMatch(/mail\.example|elsewhere|\/hook/);
});
