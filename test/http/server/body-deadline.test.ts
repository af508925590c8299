// Bodies that come slowly, over real sockets: Node and the framework decide what is complete, not a stand-in of ours.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  BODY_MS,
  dropUnreadBodies,
  limitBodyTime,
  MAX_UNREAD_BYTES,
  UPLOAD_MS,
} from '../../../src/http/server/body-deadline.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

let app: FastifyInstance;
let clock: FakeClock;
let socket: Socket;
let told: string;
/** Of requests that have reached a route. */
let begun: Promise<void>;
let lateIsIn: () => void;

beforeEach(async () => {
  clock = createFakeClock();
  app = Fastify({ forceCloseConnections: true });
  begun = new Promise((resolve) => {
    app.addHook('onRequest', async () => {
      setImmediate(resolve);
    });
  });
  // Whatever comes before the body is looked at may take its time.
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.url === '/late') await new Promise((resolve) => raw.once('close', resolve));
  });
  limitBodyTime(app, clock);
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.url === '/late') lateIsIn();
  });
  dropUnreadBodies(app);
  app.addContentTypeParser('application/x-stream', async () => undefined);
  app.post('/refuse', async ({ raw }, reply) => {
    // As a reader of forms does that stops at the first part.
    const form = new PassThrough();
    raw.pipe(form);
    await once(form, 'data');
    return reply.code(400).send('no');
  });
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

it('waits for no body whose sender has gone before it is waited for', async () => {
  const isIn = new Promise<void>((resolve) => {
    lateIsIn = resolve;
  });
  await begin('/late');
  socket.destroy();
  await isIn;
  expect(clock.timers).toBe(0);
});

const statuses = () => [...told.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
const repliedTimes = async (times: number) => {
  while (statuses().length < times) await once(socket, 'data');
};
const postOf = (path: string, type: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`;

it.each([
  ['in the middle of its body', '/refuse', 'application/x-stream', '400'],
  ['because it is too large', '/take', 'application/json', '413'],
])('reads the next request of a connection behind one refused %s', async (_name, path, type, status) => {
  const body = 'x'.repeat(3_000_000);
  socket.write(postOf(path, type, body.length));
  socket.write(body);
  socket.write(`${postOf('/take', 'application/json', 4)}null`);
  await repliedTimes(2);
  expect(statuses()).toEqual([status, '200']);
});

it('closes the connection of a refused body that does not end', async () => {
  const end = closed();
  socket.write(postOf('/refuse', 'application/x-stream', 2 * MAX_UNREAD_BYTES));
  const chunk = Buffer.alloc(1 << 20, 'x');
  let sentBytes = 0;
  const send = () => {
    while (sentBytes < 2 * MAX_UNREAD_BYTES && !socket.destroyed) {
      sentBytes += chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', send);
    }
  };
  socket.on('error', () => undefined);
  send();
  await end;
  expect(statuses()).toEqual(['400']);
  expect(sentBytes).toBeLessThan(2 * MAX_UNREAD_BYTES);
});

it('sends nothing behind the reply of a refused body that stops coming', async () => {
  socket.write(postOf('/refuse', 'application/x-stream', 1000));
  socket.write('x'.repeat(500));
  await repliedTimes(1);
  const end = closed();
  clock.advance(BODY_MS);
  await end;
  expect(statuses()).toEqual(['400']);
});

it('waits no more for the rest of a refused body whose sender has gone', async () => {
  socket.write(postOf('/refuse', 'application/x-stream', 1000));
  socket.write('x'.repeat(500));
  await repliedTimes(1);
  socket.destroy();
  while (clock.timers > 0) await new Promise((resolve) => setImmediate(resolve));
});
