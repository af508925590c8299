// Requests that one process passes on to another, over real sockets: what arrives, who is seen as the peer, and that
// neither side is left waiting for the other.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createFrontServer, type FrontServer } from '../../src/cluster/front-server.ts';
import { createSecretNotes } from '../../src/cluster/peer-note.ts';
import { openPrivateListener, type PrivateListener } from '../../src/cluster/private-listener.ts';
import { createReverseProxy, passUpgradeOn, type ReverseProxy } from '../../src/cluster/reverse-proxy.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
let handle: Handler;
let listener: PrivateListener;
let proxy: ReverseProxy;
let front: FrontServer;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxgate-proxy-'));
  const path = join(folder, 'a.sock');
  const notes = createSecretNotes('of-this-test');
  listener = await openPrivateListener({
    clock: systemClock,
    listen: { path },
    notes,
    onRequest: (asked, response) => handle(asked, response),
  });
  proxy = createReverseProxy({ clock: systemClock, log: silentLog });
  front = createFrontServer({
    tls: undefined,
    maxSockets: 100,
    onRequest: (asked, response) => proxy.forward(asked, response, { at: { socketPath: path }, notes }),
  });
  url = `http://127.0.0.1:${await front.listen({ host: '127.0.0.1', port: 0 })}`;
});
afterEach(async () => {
  await front.close();
  await proxy.close();
  await listener.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What comes back for bytes as they are. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (part: Buffer) => {
    answer += part.toString();
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('a request that is passed on', () => {
  it('arrives as it was sent, with its peer, and without what is between neighbours', async () => {
    let seen: Record<string, unknown> = {};
    handle = ({ method, url: path, rawHeaders, headers, socket }, response) => {
      seen = { method, path, rawHeaders, headers, peer: socket.remoteAddress };
      response.setHeader('X-Two', ['a', 'b']);
      response.end('done');
    };
    const answer = await exchange(
      'GET /a%2Fb?x=1 HTTP/1.1\r\nHost: localhost:1\r\nX-One: 1\r\nx-one: 2\r\nConnection: close, X-Hop\r\n' +
        'X-Hop: me\r\nX-Voxgate-Peer: forged https named 6.6.6.6\r\nTE: trailers\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/X-Two: a\r\nX-Two: b\r\n/);
    expect(seen).toMatchObject({ method: 'GET', path: '/a%2Fb?x=1', peer: '127.0.0.1' });
    const raw = (seen.rawHeaders as string[]).map((part) => part.toLowerCase());
    expect(raw.filter((part) => part === 'x-one').length).toBe(2);
    for (const name of ['x-hop', 'te', 'x-voxgate-peer']) expect(raw).not.toContain(name);
    expect(seen.headers).toMatchObject({ host: 'localhost:1' });
    expect(seen.headers).not.toHaveProperty('x-voxgate-peer');
  });

  it('keeps what shows a proxy, also where Connection names it', async () => {
    let kept: unknown;
    handle = ({ headers }, response) => {
      kept = [headers['x-forwarded-for'], headers['x-real-ip'], headers['x-hop']];
      response.end();
    };
    await exchange(
      'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close, X-Forwarded-For, X-Real-IP, X-Hop\r\n' +
        'X-Forwarded-For: 192.0.2.1\r\nX-Real-IP: 192.0.2.2\r\nX-Hop: me\r\n\r\n',
    );
    expect(kept).toEqual(['192.0.2.1', '192.0.2.2', undefined]);
  });

  it('without a Host has none', async () => {
    let hosts: unknown;
    handle = ({ headers, rawHeaders }, response) => {
      hosts = [headers.host, rawHeaders.some((part) => part.toLowerCase() === 'host')];
      response.end();
    };
    expect(await exchange('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/);
    expect(hosts).toEqual([undefined, false]);
  });

  it('flows both ways while it is made', async () => {
    handle = (asked, response) => {
      asked.on('data', (part: Buffer) => response.write(part.toString().toUpperCase()));
      asked.on('end', () => response.end());
    };
    const asked = request(url, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
    asked.write('one');
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.setEncoding('utf8');
    const heard: string[] = [];
    for await (const part of response) {
      heard.push(part as string);
      if (heard.length === 1) asked.end('two');
    }
    expect(heard).toEqual(['ONE', 'TWO']);
  });

  it('is dropped there when its caller goes', async () => {
    const gone = new Promise<void>((resolve) => {
      handle = (_asked, response) => {
        response.write('begun');
        response.once('close', resolve);
      };
    });
    const controller = new AbortController();
    const reply = await fetch(url, { signal: controller.signal });
    controller.abort();
    await gone;
    await reply.text().catch(() => {});
  });

  it('is cut here when it is cut there', async () => {
    handle = (_asked, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('part');
      setTimeout(() => response.destroy(), 10);
    };
    const reply = await fetch(url);
    await expect(reply.text()).rejects.toThrow();
  });

  it('may be answered before it has come to its end, and the answer arrives', async () => {
    handle = (_asked, response) => {
      response.writeHead(413, { 'content-type': 'text/plain', connection: 'close' });
      response.end('too much');
    };
    const answer = await exchange(
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000000\r\n\r\n${'x'.repeat(200_000)}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
    expect(answer).toContain('too much');
  });

  it('is refused when nobody is there, and the path must be one', async () => {
    await listener.close();
    const reply = await fetch(url);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await exchange('OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400/,
    );
  });

  it('is let in by the private listener with the secret alone', async () => {
    handle = (_asked, response) => response.end('in');
    const ask = (header: Record<string, string>) =>
      new Promise((resolve) => {
        const asked = request({ socketPath: join(folder, 'a.sock'), headers: header }, (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        });
        asked.once('error', () => resolve('cut'));
        asked.end();
      });
    expect(await ask({})).toBe('cut');
    expect(await ask({ 'x-voxgate-peer': 'wrong http named 127.0.0.1' })).toBe('cut');
    expect(await ask({ 'x-voxgate-peer': 'of-this-test http named 127.0.0.1' })).toBe(200);
  });
});

describe('an upgrade for another instance', () => {
  it('is not passed on where another one has its address by now, which closes without a word', async () => {
    const stranger = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as { port: number };
    const asked = { method: 'GET', url: '/v1/session', rawHeaders: [], headers: {}, socket: {} };
    const upgrade = {
      request: asked as unknown as IncomingMessage,
      socket: new PassThrough(),
      head: Buffer.of(),
    };
    await expect(
      passUpgradeOn(upgrade, {
        at: { origin: `http://127.0.0.1:${port}` },
        notes: createSecretNotes('of-this-test'),
      }),
    ).rejects.toThrow('the upgrade is not answered');
    expect(upgrade.socket.destroyed).toBe(false);
    stranger.close();
  });
});
