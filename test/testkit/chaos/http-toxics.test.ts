// Each toxic of HTTP as a client of the web sees it, in front of a server that does nothing wrong.
import { connect } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, BODY, closeAll, httpTarget, proxyFor, talk, tcpTarget } from './chaos-fixture.ts';

afterEach(closeAll);

async function timed<T>(act: () => Promise<T>): Promise<T & { readonly ms: number }> {
  const startMs = performance.now();
  const done = await act();
  return { ...done, ms: performance.now() - startMs };
}

/** A toxic that meets nothing, so that requests are read and left as they are. */
const READS_ONLY = 'wrong_type@0';

describe('a request that no toxic meets', () => {
  it('passes whole both ways: method, body, headers that come twice', async () => {
    const target = await httpTarget();
    const proxy = await proxyFor(target.url, [READS_ONLY]);
    const { status, headers, bytes } = await ask(proxy, BODY);
    expect([status, bytes.equals(BODY)]).toEqual([200, true]);
    expect(headers).toMatchObject({ 'content-type': 'audio/mpeg', 'set-cookie': ['a=1', 'b=2'] });
    expect(target.requests).toMatchObject([{ method: 'POST' }]);
    expect(target.requests[0]!.body.equals(BODY)).toBe(true);
    expect(proxy.stats()).toMatchObject({ requests: 1, met: {} });
  });

  it('a target that breaks off in the middle is a reset in the middle, and one that is not there a reset', async () => {
    const half = await tcpTarget((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.resetAndDestroy());
      });
    });
    const { status, broken } = await ask(await proxyFor(half, [READS_ONLY]));
    expect([status, broken]).toEqual([200, expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/)]);
    const gone = await tcpTarget(() => {});
    await closeAll();
    await expect(ask(await proxyFor(gone, [READS_ONLY]))).rejects.toThrow();
  });

  it('an upgrade is handed on with what comes behind it', async () => {
    const target = await tcpTarget((socket) => {
      socket.once('data', (head) => {
        expect(head.toString()).toMatch(/^GET \/ws HTTP\/1\.1\r\n[\s\S]*Upgrade: echo/);
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
        socket.pipe(socket);
      });
    });
    const proxy = await proxyFor(target, [READS_ONLY]);
    const client = connect(proxy.port, '127.0.0.1');
    let text = '';
    client.on('data', (part) => {
      text += part.toString();
    });
    client.write('GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 101/);
    client.write('and on it goes');
    await expect.poll(() => text).toMatch(/and on it goes$/);
    client.destroy();
    await expect.poll(() => proxy.stats().openConnections).toBe(0);
  });
});

describe('corrupt', () => {
  it('changes about one byte in so many of the reply, keeps the length, and does the same again', async () => {
    const { url } = await httpTarget();
    const one = await ask(await proxyFor(url, ['corrupt:every=200']));
    const changed = [...one.bytes].filter((byte, at) => byte !== BODY[at]).length;
    expect(one.bytes.length).toBe(BODY.length);
    expect(changed).toBeGreaterThan(50);
    expect(changed).toBeLessThan(200);
    const again = await ask(await proxyFor(url, ['corrupt:every=200']));
    expect(again.bytes.equals(one.bytes)).toBe(true);
    const other = await ask(await proxyFor(url, ['corrupt:every=200'], { seed: 2 }));
    expect(other.bytes.equals(one.bytes)).toBe(false);
  });

  it('changes the request on the way up', async () => {
    const target = await httpTarget();
    const { bytes } = await ask(await proxyFor(target.url, ['corrupt:every=100:stream=upstream']), BODY);
    expect(bytes.equals(BODY)).toBe(true);
    expect(target.requests[0]!.body.length).toBe(BODY.length);
    expect(target.requests[0]!.body.equals(BODY)).toBe(false);
  });
});

describe('dup429', () => {
  it('answers every third request itself', async () => {
    const target = await httpTarget();
    const proxy = await proxyFor(target.url, ['dup429:every=3:retry_after=7']);
    const replies = [await ask(proxy), await ask(proxy, BODY), await ask(proxy, BODY), await ask(proxy)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
    expect(replies[2]!.headers['retry-after']).toBe('7');
    expect(JSON.parse(replies[2]!.bytes.toString())).toMatchObject({ errorId: 'RATE_LIMITED' });
    expect(target.requests.length).toBe(3);
  });

  it('says nothing of a time unless it is asked to', async () => {
    const { status, headers } = await ask(await proxyFor((await httpTarget()).url, ['dup429:every=1']));
    expect([status, headers['retry-after']]).toEqual([429, undefined]);
  });
});

describe('what services are reported to do', () => {
  it('silent200: the head, and the body late or never', async () => {
    const { url } = await httpTarget();
    const { ms, bytes } = await timed(() => proxyFor(url, ['silent200:time=80']).then((proxy) => ask(proxy)));
    expect(ms).toBeGreaterThanOrEqual(79);
    expect(bytes.equals(BODY)).toBe(true);
    const silent = await proxyFor(url, ['silent200']);
    const { statusCode, body } = await request(silent.url);
    let received = 0;
    body
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([statusCode, received]).toEqual([200, 0]);
    body.destroy();
  });

  it('empty_success: 200, a type, and no byte, without asking the target', async () => {
    const target = await httpTarget();
    const { status, headers, bytes, broken } = await ask(
      await proxyFor(target.url, ['empty_success:type=audio/wav']),
      BODY,
    );
    expect([status, headers['content-type'], bytes.length, broken]).toEqual([200, 'audio/wav', 0, undefined]);
    expect(target.requests).toEqual([]);
  });

  it('quota401', async () => {
    const { status, bytes } = await ask(await proxyFor((await httpTarget()).url, ['quota401']));
    expect([status, JSON.parse(bytes.toString())]).toMatchObject([
      401,
      { detail: { status: 'quota_exceeded' } },
    ]);
  });

  it('slow_refusal: 429 after its time', async () => {
    const proxy = await proxyFor((await httpTarget()).url, ['slow_refusal:from=80:to=90']);
    const { ms, status } = await timed(() => ask(proxy));
    expect(status).toBe(429);
    expect(ms).toBeGreaterThanOrEqual(79);
  });

  it('stale_socket: the second request on a connection finds it reset', async () => {
    const proxy = await proxyFor((await httpTarget()).url, ['stale_socket']);
    const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const client = connect(proxy.port, '127.0.0.1');
    let text = '';
    client.on('data', (part) => {
      text += part.toString('latin1');
    });
    client.write(get);
    await expect.poll(() => text).toMatch(/\r\n0\r\n\r\n$/);
    const end = new Promise<string | undefined>((resolve) => {
      client.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    });
    client.write(get);
    expect(await end).toBe('ECONNRESET');
  });
});

describe('wrong_type', () => {
  it('names another type and leaves the body', async () => {
    const { url } = await httpTarget();
    const { status, headers, bytes } = await ask(await proxyFor(url, ['wrong_type:type=text/plain']));
    expect([status, headers['content-type'], bytes.equals(BODY)]).toEqual([200, 'text/plain', true]);
  });
});

describe('early_end', () => {
  it('by a last chunk: nothing tells that something is missing', async () => {
    const { url } = await httpTarget();
    const { status, headers, bytes, broken } = await ask(await proxyFor(url, ['early_end:bytes=5000']));
    expect([status, bytes.length, broken]).toEqual([200, 5000, undefined]);
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, 'chunked']);
    expect(bytes.equals(BODY.subarray(0, 5000))).toBe(true);
  });

  it('by closing: neither length nor chunks', async () => {
    const proxy = await proxyFor((await httpTarget()).url, ['early_end:bytes=5000:ending=close']);
    const { bytes, end } = await talk(proxy, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'stays');
    const [head = '', ...body] = bytes.toString('latin1').split('\r\n\r\n');
    expect(end).toBe('fin');
    expect(head).not.toMatch(/content-length|transfer-encoding/i);
    expect(body.join('\r\n\r\n').length).toBe(5000);
  });

  it('leaves a shorter body alone', async () => {
    const { bytes } = await ask(await proxyFor((await httpTarget()).url, ['early_end:bytes=999999']));
    expect(bytes.equals(BODY)).toBe(true);
  });
});

describe('toxics of both kinds', () => {
  it('meet the same reply', async () => {
    const proxy = await proxyFor((await httpTarget()).url, [
      'latency:latency=80',
      'early_end:bytes=100',
      'slicer',
    ]);
    const startMs = performance.now();
    const { bytes } = await ask(proxy);
    expect(bytes.length).toBe(100);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(79);
    expect(proxy.stats().met).toEqual({ latency: 1, early_end: 1, slicer: 1 });
  });
});
