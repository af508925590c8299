// Real sockets. Who calls behind another is taken a turn of the loop later, when what he has said is there.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../src/base/clock.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { refuseUnreadable } from '../../src/base/unreadable-request.ts';
import { HTTP_GUARDS } from '../../src/http/http-server.ts';
import { readWhenTaken } from '../../src/http/read-when-taken.ts';
import { createSelfSigned } from '../support/self-signed.ts';

const HEAD = 'POST /echo HTTP/1.1\r\nHost: here\r\nConnection: close\r\n';
const CALLERS = 8;
const opened: (() => void)[] = [];

const PLENTY = { timeout: 10_000, interval: 2 } as const;

/** Of each connection that a server has taken from now on, how many bytes were read as usual. */
function readLater(server: Server): () => number[] {
  const taken: Socket[] = [];
  server.on('connection', (socket) => taken.push(socket));
  return () => taken.map(({ bytesRead }) => bytesRead);
}

async function open(how: 'at-once' | 'as-usual', answer = echo): Promise<{ server: Server; port: number }> {
  // As the product bounds and answers what is said.
  const server = createServer(HTTP_GUARDS, answer);
  server.on('clientError', refuseUnreadable);
  if (how === 'at-once') readWhenTaken(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port: (server.address() as { port: number }).port };
}

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

function echo(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => response.end(`${request.method} ${Buffer.concat(parts).toString('latin1')}`));
}

function call(port: number, onConnect: (socket: Socket) => void = () => {}): Socket {
  const socket = connect(port, '127.0.0.1', () => onConnect(socket));
  socket.on('error', () => {});
  opened.push(() => socket.destroy());
  return socket;
}

/** What is answered to `parts`, the first of which is there when the caller is taken, by when the connection is closed. */
const say = (port: number, parts: readonly (string | Buffer)[]): Promise<string> =>
  new Promise((resolve) => {
    call(port);
    const answered: Buffer[] = [];
    const sayAll = async () => {
      for (const part of parts) {
        socket.write(part);
        await new Promise((later) => setTimeout(later, 3));
      }
    };
    const socket = call(port, () => void sayAll());
    socket.on('data', (part: Buffer) => answered.push(part));
    socket.on('close', () => resolve(Buffer.concat(answered).toString('latin1')));
  });

/** Without the date. */
const told = (answer: string) => answer.replace(/Date: .*\r\n/g, '');

const post = (body: string) => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`;

describe('reading when taken', () => {
  it('hears a caller in the turn of the loop that takes him', async () => {
    const turnsBetween = async (how: 'at-once' | 'as-usual'): Promise<number[]> => {
      let turn = 0;
      const takenIn = new Map<Socket, number>();
      const between: number[] = [];
      const { server, port } = await open(how, (request, response) => {
        between.push(turn - takenIn.get(request.socket)!);
        response.end();
      });
      server.prependListener('connection', (socket) => takenIn.set(socket, turn));
      for (let caller = 0; caller < CALLERS; caller += 1)
        call(port, (socket) => socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'));
      const endMs = systemClock.now() + 5000;
      await new Promise<void>((resolve) => {
        const work = () => {
          turn += 1;
          if (between.length === CALLERS || systemClock.now() > endMs) resolve();
          else setImmediate(work);
        };
        work();
      });
      // The first ones are taken before they have said anything.
      return between.slice(CALLERS / 2);
    };
    expect(await turnsBetween('at-once')).toEqual([0, 0, 0, 0]);
    expect(Math.min(...(await turnsBetween('as-usual')))).toBeGreaterThan(0);
  });

  it('answers all that can be said as without it', async () => {
    const atOnce = await open('at-once');
    const asUsual = await open('as-usual');
    const large = 'x'.repeat(100_000);
    const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`;
    const kept = post('one').replace('Connection: close\r\n', '');
    const said = {
      whole: [post('hello')],
      large: [post(large)],
      chunked: [chunked],
      pipelined: [kept + post('two')],
      'half a line': [HEAD.slice(0, 9), post('hello').slice(9)],
      'no body yet': [post('hello').slice(0, -5), 'hello'],
      expecting: [`${HEAD}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`, 'ok'],
      'no HTTP': ['\u0016\u0003\u0001 hello\r\n\r\n'],
      'a head just too large': [`${HEAD}X: ${large.slice(0, 8100)}\r\n\r\n`],
      'a head of two reads': [`${HEAD}X: ${large.slice(0, 12_000)}\r\n\r\n`],
      'a head far too large': [`${HEAD}X: ${large}\r\n\r\n`],
      'a method that is none': [`HELLO${HEAD}\r\n`],
      'a path that is none': [HEAD.replace('/echo', '/ec ho')],
      'what is not met': [`${HEAD}Expect: the-unexpected\r\n\r\n`.repeat(3)],
      'more than is answered at once': [kept.repeat(200) + post('last')],
    };
    const later = readLater(atOnce.server);
    for (const [name, parts] of Object.entries(said)) {
      const [here, there] = [await say(atOnce.port, parts), await say(asUsual.port, parts)];
      expect([name, told(here)]).toEqual([name, told(there)]);
      expect(here).toMatch(/^HTTP\/1\.1 (100|200|400|417|431) /);
      expect(later().at(-1)).toBeLessThan(parts.join('').length);
    }
  });

  it('loses and repeats no byte, wherever a request is cut', async () => {
    const { server, port } = await open('at-once');
    const later = readLater(server);
    const drawn = seededNumbers(44, 0);
    const body = Array.from({ length: 3000 }, (_, at) => String.fromCharCode(33 + (at % 90))).join('');
    const request = post(body);
    const cuts = Array.from({ length: 60 }, () => Math.floor(drawn() * request.length));
    for (const cut of cuts) {
      const answer = await say(port, [request.slice(0, cut), request.slice(cut)]);
      expect([cut, answer.split('\r\n\r\n')[1]]).toEqual([cut, `POST ${body}`]);
    }
    const early = later().filter((bytes) => bytes > 0 && bytes < request.length);
    expect(early.length).toBeGreaterThan(cuts.length / 2);
  });

  it('hands on an upgrade, and what was sent behind it in one go', async () => {
    const { server, port } = await open('at-once');
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) =>
      socket.on('message', (text: Buffer) => socket.send(`${text.toString()}!`)),
    );
    const upgrade =
      'GET / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n';
    const masked = (opcode: number, text: string) =>
      Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
    const answer = await say(port, [
      Buffer.concat([Buffer.from(upgrade), masked(1, 'hello')]),
      Buffer.concat([masked(1, 'again'), masked(8, '')]),
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
    expect(answer.split('\r\n\r\n')[1]).toBe('\x81\x06hello!\x81\x06again!\x88\x00');
  });

  it('leaves alone what is read by TLS', async () => {
    const signed = createSelfSigned();
    const server = createTlsServer(signed, echo);
    signed.remove();
    readWhenTaken(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push(() => server.close());
    const { port } = server.address() as { port: number };
    const ask = () =>
      new Promise((resolve, reject) => {
        const target = { port, host: '127.0.0.1', method: 'POST', agent: false, rejectUnauthorized: false };
        const asking = tlsRequest(target, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asking.on('error', reject);
        asking.end('hello');
      });
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  it('is not harmed by those who have gone, or been sent away, when they are taken', async () => {
    const { server, port } = await open('at-once');
    let taken = 0;
    server.prependListener('connection', (socket) => {
      taken += 1;
      if (taken % 3 === 0) socket.destroy();
    });
    for (let caller = 0; caller < 12; caller += 1) call(port, (socket) => socket.resetAndDestroy());
    for (let caller = 0; caller < 12; caller += 1) call(port, (socket) => socket.end());
    await vi.waitFor(() => expect(taken).toBe(24), PLENTY);
    const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await vi.waitFor(async () => expect(await connections()).toBe(0), PLENTY);
    taken = 0;
    expect(await say(port, [post('still here')])).toMatch(/POST still here$/);
  });
});
