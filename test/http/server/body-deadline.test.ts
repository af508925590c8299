// Bodies that come slowly, over real sockets: Node and the framework decide what is complete, not a stand-in of ours.

import { connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BODY_MS, limitBodyTime, UPLOAD_MS } from '../../../src/http/server/body-deadline.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

let app: FastifyInstance;
let clock: FakeClock;
let socket: Socket;
let told: string;
/** Of requests that have reached a route. */
let begun: Promise<void>;

beforeEach(async () => {
  clock = createFakeClock();
  app = Fastify({ forceCloseConnections: true });
  begun = new Promise((resolve) => {
    app.addHook('onRequest', async () => {
      setImmediate(resolve);
    });
  });
  limitBodyTime(app, clock);
  app.post('/take', (request) => request.body);
  app.post('/upload', { config: { bodyMs: UPLOAD_MS } }, (request) => request.body);
  await app.listen({ port: 0, host: '127.0.0.1' });
  told = '';
  const { port } = app.server.address() as { port: number };
  socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
});
afterEach(async () => {
  socket.destroy();
  await app.close();
});

const begin = async (path: string) => {
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnu`,
  );
  await begun;
};
const closed = () => new Promise((resolve) => socket.once('close', resolve));
const answered = () => new Promise((resolve) => socket.once('data', resolve));

it('gives a body half a minute, and says so when it is over', async () => {
  await begin('/take');
  clock.advance(BODY_MS);
  await closed();
  expect(told).toMatch(/^HTTP\/1\.1 408 /);
});

it('gives a route that takes files its own time', async () => {
  await begin('/upload');
  clock.advance(UPLOAD_MS - 1);
  const reply = answered();
  socket.write('ll');
  await reply;
  expect(told).toMatch(/^HTTP\/1\.1 200 /);
  const end = closed();
  clock.advance(1);
  app.server.closeAllConnections();
  await end;
});

it('leaves nothing running behind a body that has come, or whose sender has gone', async () => {
  await begin('/take');
  expect(clock.timers).toBe(1);
  const reply = answered();
  socket.write('ll');
  await reply;
  expect(clock.timers).toBe(0);

  socket.write(
    'POST /take HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnu',
  );
  while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  while (clock.timers > 0) await new Promise((resolve) => setImmediate(resolve));
});
