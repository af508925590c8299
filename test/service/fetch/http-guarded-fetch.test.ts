// The guard as callers meet it. Connections are noted below undici and TLS, at the socket itself, so that "refused"
// means that not one packet would have left.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { GuardedFetch } from '../../../src/service/fetch/guarded-fetch.ts';
import { createHttpGuardedFetch } from '../../../src/service/fetch/http-guarded-fetch.ts';
import type { NameAnswer, NameLookup } from '../../../src/service/fetch/name-lookup.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { createSelfSigned } from '../../support/self-signed.ts';
import { createFakeInternet, type FakeInternet } from './fake-internet.ts';
import { REFUSED_AS_ANSWERED, REFUSED_AS_WRITTEN } from './ssrf-corpus.ts';

const PUBLIC = '93.184.215.14';
const answers = (...addresses: readonly string[]): NameAnswer[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const never = new AbortController().signal;

let internet: FakeInternet;
let folder: string;
let open: (Server | TcpServer)[] = [];
beforeEach(() => {
  internet = createFakeInternet();
  folder = mkdtempSync(join(tmpdir(), 'voxgate-fetch-'));
});
afterEach(async () => {
  internet.restore();
  rmSync(folder, { recursive: true, force: true });
  await Promise.all(
    open.map((server) => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
  open = [];
});

/** Listens on loopback and gives `address` to it. */
async function serveAt(address: string, server: Server | TcpServer): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  internet.routes.set(address, port);
  return port;
}
const http = (listener: RequestListener) => serveAt(PUBLIC, createServer(listener));
const raw = (says: string) =>
  serveAt(
    PUBLIC,
    createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(says));
    }),
  );

const guarded = (lookup: NameLookup = async () => answers(PUBLIC)): GuardedFetch =>
  createHttpGuardedFetch({ lookup, allowPrivate: 'refused', clock: systemClock });
const path = () => join(folder, 'file');
const download = (fetch: GuardedFetch, url = 'http://source.example/', mostBytes = 1000) =>
  fetch.download(url, { toPath: path(), mostBytes, deadlineMs: 10_000 }, never);
const post = (fetch: GuardedFetch, url = 'http://hook.example/', deadlineMs = 10_000) =>
  fetch.post(url, { headers: { 'webhook-id': 'msg_1' }, body: '{"a":1}', deadlineMs }, never);

describe('what is not of the open internet', () => {
  it('is a corpus of at least 60 addresses', () => {
    expect(new Set([...REFUSED_AS_WRITTEN, ...REFUSED_AS_ANSWERED.map(([url]) => url)]).size).toBeGreaterThan(
      120,
    );
  });

  it.each(REFUSED_AS_WRITTEN)('%s: no name is looked up, nothing is connected to', async (url) => {
    let lookups = 0;
    const fetch = guarded(async () => {
      lookups += 1;
      return answers(PUBLIC);
    });
    await expect(download(fetch, url)).rejects.toMatchObject({ code: 'address_refused' });
    await expect(post(fetch, url)).rejects.toMatchObject({ code: 'address_refused' });
    expect(lookups).toBe(0);
    expect(internet.tried).toEqual([]);
  });

  it.each(REFUSED_AS_ANSWERED)('%s, which is %s: nothing is connected to', async (url, ...addresses) => {
    const fetch = guarded(async () => answers(...addresses));
    await expect(download(fetch, url)).rejects.toMatchObject({ code: 'address_refused' });
    await expect(post(fetch, url)).rejects.toMatchObject({ code: 'address_refused' });
    expect(internet.tried).toEqual([]);
  });

  it.each(REFUSED_AS_WRITTEN.filter((url) => URL.canParse(url)))(
    'a redirect to %s is not followed',
    async (url) => {
      const location = url.replace(/[^!-~]/g, encodeURIComponent);
      await http((_, response) => response.writeHead(302, { location }).end());
      // Some of them are relative when they stand in a Location field, and name the same server.
      const isSame =
        URL.canParse(location, 'http://source.example/') &&
        new URL(location, 'http://source.example/').hostname === 'source.example';
      await expect(download(guarded())).rejects.toMatchObject({
        code: isSame ? 'address_unreachable' : 'address_refused',
      });
      expect(new Set(internet.tried)).toEqual(new Set([PUBLIC]));
    },
  );

  it('a chain of redirects that ends inside is left there', async () => {
    let lookups: string[] = [];
    await http((request, response) => {
      const to = request.url === '/' ? 'https-less.example/b' : 'inside.example/c';
      response.writeHead(301, { location: `//${to}` }).end();
    });
    const fetch = guarded(async (host) => {
      lookups = [...lookups, host];
      return answers(host === 'inside.example' ? '10.0.0.1' : PUBLIC);
    });
    await expect(download(fetch)).rejects.toMatchObject({ code: 'address_refused' });
    expect(lookups).toEqual(['source.example', 'https-less.example', 'inside.example']);
    expect(internet.tried).toEqual([PUBLIC, PUBLIC]);
  });

  it('a name that changes its answer is asked once for a connection, and judged again for the next', async () => {
    await http((_, response) => response.end('fine'));
    let lookups = 0;
    const fetch = guarded(async () => answers(lookups++ === 0 ? PUBLIC : '127.0.0.1'));
    expect((await post(fetch)).status).toBe(200);
    expect([lookups, internet.tried]).toEqual([1, [PUBLIC]]);
    await expect(post(fetch)).rejects.toMatchObject({ code: 'address_refused' });
    expect([lookups, internet.tried]).toEqual([2, [PUBLIC]]);
  });

  it('a name that changes its answer between two redirects to itself gains nothing', async () => {
    await http((_, response) => response.writeHead(307, { location: '/again' }).end());
    let lookups = 0;
    const fetch = guarded(async () => answers(lookups++ === 0 ? PUBLIC : '169.254.169.254'));
    await expect(download(fetch)).rejects.toMatchObject({ code: 'address_refused' });
    expect(internet.tried).toEqual([PUBLIC]);
  });

  it('an answer that comes after the deadline leads to no connection', async () => {
    const clock = createFakeClock();
    let answer: (found: NameAnswer[]) => void = () => {};
    const lookup = () => new Promise<NameAnswer[]>((resolve) => (answer = resolve));
    const fetch = createHttpGuardedFetch({ lookup, allowPrivate: 'refused', clock });
    const outcome = expect(post(fetch, 'http://hook.example/', 5000)).rejects.toMatchObject({
      code: 'address_unreachable',
    });
    await clock.run(5000);
    await outcome;
    answer(answers(PUBLIC));
    await settle();
    expect(internet.tried).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it('errors name the host at most', async () => {
    await http((_, response) => response.writeHead(404).end('echo token-secret'));
    const error = await download(guarded(), 'http://source.example/path-secret?q=query-secret').catch(
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({
      message: 'source.example answered 404; check that it can be reached from outside, and try again.',
    });
    const gone = await download(guarded(), 'http://[2606:4700::1]:8080/?secret').catch(
      (thrown: Error) => thrown,
    );
    expect((gone as Error).message).toMatch(/^2606:4700::1 did not answer as it should \(ECONNREFUSED\);/);
  });
});

describe('download', () => {
  it('follows up to three redirects and writes the file', async () => {
    const seen: unknown[] = [];
    await http((request, response) => {
      const hop = Number(request.url!.slice(1));
      seen.push([request.headers.host, request.headers.authorization, request.headers['accept-encoding']]);
      if (hop < 3) response.writeHead(302, { location: `http://hop${hop + 1}.example/${hop + 1}` }).end();
      else response.writeHead(200, { 'content-type': 'Text/HTML; charset=utf-8' }).end('hello');
    });
    await expect(download(guarded(), 'http://hop0.example/0')).resolves.toEqual({
      contentType: 'text/html; charset=utf-8',
      finalUrl: 'http://hop3.example/3',
      bytes: 5,
    });
    expect(readFileSync(path(), 'utf8')).toBe('hello');
    expect(seen).toEqual([0, 1, 2, 3].map((hop) => [`hop${hop}.example`, undefined, 'identity']));
  });

  it('does not follow a fourth one', async () => {
    let asked = 0;
    await http((_, response) => {
      asked += 1;
      response.writeHead(302, { location: '/' }).end();
    });
    await expect(download(guarded())).rejects.toMatchObject({ code: 'address_unreachable' });
    expect(asked).toBe(4);
  });

  it('refuses what says that it is too large, and what is without saying so', async () => {
    let said = 0;
    await http((request, response) => {
      if (request.url === '/says') response.writeHead(200, { 'content-length': 1001 });
      response.on('error', () => {});
      said = 1;
      response.write('x'.repeat(900));
      response.end('x'.repeat(101));
    });
    for (const url of ['http://source.example/says', 'http://source.example/streams']) {
      await expect(download(guarded(), url)).rejects.toMatchObject({ code: 'payload_too_large' });
      expect(existsSync(path())).toBe(false);
    }
    expect(said).toBe(1);
  });

  it('hangs up on a body without an end', async () => {
    let closed: () => void = () => {};
    const hungUp = new Promise<void>((resolve) => (closed = resolve));
    await http((request, response) => {
      const pour = () => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', pour).on('error', () => {});
      request.socket.on('close', closed);
      pour();
    });
    await expect(download(guarded(), 'http://source.example/', 100_000)).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    await hungUp;
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('unpacks %s, and counts what comes out', async (encoding, pack) => {
    await http((request, response) => {
      const plain = request.url === '/bomb' ? Buffer.alloc(10_000_000) : Buffer.from('hello');
      response.writeHead(200, { 'content-encoding': encoding }).end(pack(plain));
    });
    expect((await download(guarded())).bytes).toBe(5);
    expect(readFileSync(path(), 'utf8')).toBe('hello');
    await expect(download(guarded(), 'http://source.example/bomb', 20_000)).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    expect(existsSync(path())).toBe(false);
  });

  it.each([
    ['gzip', 'this is not gzip'],
    ['br', '\xff\xff\xff\xff'],
    ['zstd', 'x'],
    ['gzip, gzip', 'x'],
    ['__proto__', 'x'],
  ])('does not take %s that it cannot unpack', async (encoding, body) => {
    await http((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
    await expect(download(guarded())).rejects.toMatchObject({
      code: 'address_unreachable',
      message: expect.stringMatching(/packed/),
    });
    expect(existsSync(path())).toBe(false);
  });

  it.each([
    ['a status that is not 200', 'HTTP/1.1 206 Partial\r\ncontent-length: 1\r\n\r\nx'],
    ['a redirect without an address', 'HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['nothing', ''],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'],
    ['a chunk that breaks off', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
    ['a head of 20 KB', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
  ])('leaves no file for %s', async (_, says) => {
    await raw(says);
    await expect(download(guarded())).rejects.toMatchObject({ code: 'address_unreachable' });
    expect(existsSync(path())).toBe(false);
  });

  it('ends a head and a body that do not come in time', async () => {
    const clock = createFakeClock();
    let asked: () => void = () => {};
    await http((request, response) => {
      if (request.url === '/body') response.write('x');
      asked();
    });
    const fetch = createHttpGuardedFetch({
      lookup: async () => answers(PUBLIC),
      allowPrivate: 'refused',
      clock,
    });
    for (const [url, ms] of [
      ['http://source.example/head', 15_000],
      ['http://source.example/body', 60_000],
    ] as const) {
      const arrived = new Promise<void>((resolve) => (asked = resolve));
      const to = { toPath: path(), mostBytes: 100, deadlineMs: 1_000_000 };
      const outcome = fetch.download(url, to, never).catch((error: Error) => error);
      await arrived;
      while (url.endsWith('body') && !existsSync(path())) await settle();
      await clock.run(ms);
      expect(await outcome).toMatchObject({
        code: 'address_unreachable',
        message: expect.stringMatching(`${ms}`),
      });
      expect(existsSync(path())).toBe(false);
      expect(clock.timers).toBe(0);
    }
  });

  it('ends with the reason of its signal, and with close()', async () => {
    let asked: () => void = () => {};
    await http(() => asked());
    const fetch = guarded();
    const to = { toPath: path(), mostBytes: 100, deadlineMs: 10_000 };
    const leave = new AbortController();
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const left = fetch.download('http://source.example/', to, leave.signal).catch((error: Error) => error);
    await arrived;
    leave.abort(new Error('cancelled'));
    expect(await left).toMatchObject({ message: 'cancelled' });

    const again = new Promise<void>((resolve) => (asked = resolve));
    const stopped = fetch.download('http://source.example/', to, never).catch((error: Error) => error);
    await again;
    fetch.close();
    expect(await stopped).toMatchObject({ code: 'shutting_down' });
    await expect(post(fetch)).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('blames the disk, not the address, for a path that cannot be written', async () => {
    await http((_, response) => response.end('hello'));
    const to = { toPath: join(folder, 'missing', 'file'), mostBytes: 100, deadlineMs: 10_000 };
    await expect(guarded().download('http://source.example/', to, never)).rejects.toMatchObject({
      code: 'internal',
    });
  });

  it('goes on to the next address of a name', async () => {
    const port = await http((_, response) => response.end('hello'));
    internet.restore();
    const lookup = async () => answers('127.0.0.2', '::1', '127.0.0.1');
    const fetch = createHttpGuardedFetch({ lookup, allowPrivate: 'allowed', clock: systemClock });
    expect((await download(fetch, `http://source.example:${port}/`)).bytes).toBe(5);
  });
});

describe('post', () => {
  it('sends headers and body, and tells status and Retry-After', async () => {
    const seen: unknown[] = [];
    await http((request, response) => {
      const { method, url, headers } = request;
      void text(request).then((body) => {
        seen.push(method, url, headers.host, headers['webhook-id'], body);
        response.writeHead(429, { 'retry-after': '7' }).end();
      });
    });
    expect(await post(guarded(), 'http://hook.example:8080/a?b')).toEqual({
      status: 429,
      retryAfterMs: 7000,
    });
    expect(seen).toEqual(['POST', '/a?b', 'hook.example:8080', 'msg_1', '{"a":1}']);
  });

  it('does not follow redirects', async () => {
    let asked = 0;
    await http((_, response) => {
      asked += 1;
      response.writeHead(308, { location: '/elsewhere' }).end();
    });
    expect(await post(guarded())).toEqual({ status: 308, retryAfterMs: undefined });
    expect(asked).toBe(1);
  });

  it.each([
    ['garbage in the body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnot a chunk', 200],
    ['a body that breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 200],
    ['a far too long body', `HTTP/1.1 503 No\r\ncontent-length: 999999\r\n\r\n${'x'.repeat(99_999)}`, 503],
  ])('takes the status in spite of %s', async (_, says, status) => {
    await raw(says);
    expect((await post(guarded())).status).toBe(status);
  });

  it('waits a second at most for the rest of an answer', async () => {
    const clock = createFakeClock();
    await http((request, response) => {
      request.resume();
      response.write('and so on');
    });
    const fetch = createHttpGuardedFetch({
      lookup: async () => answers(PUBLIC),
      allowPrivate: 'refused',
      clock,
    });
    const outcome = post(fetch);
    let done: unknown;
    void outcome.then((answer) => (done = answer));
    while (clock.timers < 2 || done === undefined) {
      await clock.run(100);
      if (clock.now() > 9000) break;
    }
    expect(done).toEqual({ status: 200, retryAfterMs: undefined });
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['nothing', ''],
    ['no HTTP', 'hello\r\n'],
    ['half a head', 'HTTP/1.1 200 OK\r\nretry-'],
  ])('fails for a receiver that says %s and hangs up', async (_, says) => {
    await raw(says);
    await expect(post(guarded())).rejects.toMatchObject({ code: 'address_unreachable' });
  });

  it('checks the certificate for the name of the URL, and asks for that name', async () => {
    const identity = createSelfSigned();
    const names: unknown[] = [];
    const server = createTlsServer({ cert: identity.cert, key: identity.key }, (request, response) => {
      names.push((request.socket as TLSSocket & { servername?: string }).servername, request.headers.host);
      response.end();
    });
    const port = await serveAt(PUBLIC, server);
    internet.restore();
    const of = (trusted: string | undefined) =>
      createHttpGuardedFetch({
        lookup: async () => answers('127.0.0.1'),
        allowPrivate: 'allowed',
        clock: systemClock,
        trusted,
      });
    expect((await post(of(identity.cert), `https://localhost:${port}/`)).status).toBe(200);
    expect(names).toEqual(['localhost', `localhost:${port}`]);
    await expect(post(of(identity.cert), `https://other.example:${port}/`)).rejects.toMatchObject({
      message:
        'other.example did not answer as it should (ERR_TLS_CERT_ALTNAME_INVALID); check that it can be reached from outside, and try again.',
    });
    await expect(post(of(undefined), `https://localhost:${port}/`)).rejects.toMatchObject({
      code: 'address_unreachable',
    });
    identity.remove();
  });
});
