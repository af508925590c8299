// Each toxic of TCP as both ends see it: a real proxy between real sockets.
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, echoTarget, proxyFor, talk, tcpTarget } from './chaos-fixture.ts';

afterEach(closeAll);

const MEGABYTE = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 31) & 0xff));

describe('without a toxic', () => {
  it('every byte comes back, and the end of each direction is its own', async () => {
    const proxy = await proxyFor(await echoTarget(), []);
    const { bytes, end } = await talk(proxy, MEGABYTE);
    expect([bytes.equals(MEGABYTE), end]).toEqual([true, 'fin']);
    expect(proxy.stats()).toMatchObject({
      connections: 1,
      bytes: { upstream: 1 << 20, downstream: 1 << 20 },
      met: {},
    });
    await expect.poll(() => proxy.stats().openConnections).toBe(0);
  });

  it('a target that is not there, and one that resets, is a reset', async () => {
    const gone = await tcpTarget(() => {});
    await closeAll();
    expect(await talk(await proxyFor(gone, []), 'x')).toMatchObject({ end: 'reset' });
    const resets = await tcpTarget((socket) => void socket.once('data', () => socket.resetAndDestroy()));
    expect(await talk(await proxyFor(resets, []), 'x', 'stays')).toMatchObject({ end: 'reset' });
  });

  it('a client that resets is a reset at the target', async () => {
    let onGone: (hadError: boolean) => void = () => {};
    const gone = new Promise<boolean>((resolve) => {
      onGone = resolve;
    });
    const target = await tcpTarget((socket) => {
      socket.once('close', onGone);
      socket.once('data', () => socket.write('go'));
    });
    const proxy = await proxyFor(target, []);
    const client = connect(proxy.port, '127.0.0.1');
    client.write('x');
    client.once('data', () => client.resetAndDestroy());
    expect(await gone).toBe(true);
    await expect.poll(() => proxy.stats().openConnections).toBe(0);
  });

  it.each([[[]], [['latency:latency=50:stream=upstream']]])(
    'a client that closes properly after the target did loses none of its bytes (%j)',
    async (toxics) => {
      let onGone: (got: unknown[]) => void = () => {};
      const gone = new Promise<unknown[]>((resolve) => {
        onGone = resolve;
      });
      const target = await tcpTarget((socket) => {
        let bytes = 0;
        socket.on('data', (chunk) => {
          bytes += chunk.length;
        });
        socket.once('close', (hadError) => onGone([bytes, hadError]));
        socket.end('bye');
      });
      const proxy = await proxyFor(target, toxics);
      const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
      client.once('end', () => client.end(Buffer.alloc(5000)));
      client.resume();
      expect(await gone).toEqual([5000, false]);
      await expect.poll(() => proxy.stats().openConnections).toBe(0);
    },
  );

  it('a reader that stops holds the sender back', async () => {
    let sent = 0;
    const target = await tcpTarget((socket) => {
      const more = () => {
        while (socket.write(MEGABYTE)) sent += 1;
        sent += 1;
        if (sent < 200) socket.once('drain', more);
      };
      more();
    });
    const proxy = await proxyFor(target, []);
    const client = connect(proxy.port, '127.0.0.1');
    client.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const same = sent === before && sent > 0;
          before = sent;
          return same;
        },
        { interval: 150, timeout: 10_000 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(100);
    client.destroy();
  });
});

describe('latency', () => {
  it('delays, and does not slow down', async () => {
    const proxy = await proxyFor(await echoTarget(), ['latency:latency=120']);
    const { bytes, firstMs, ms } = await talk(proxy, MEGABYTE);
    expect(bytes.equals(MEGABYTE)).toBe(true);
    expect(firstMs).toBeGreaterThanOrEqual(119);
    // A delay for each of the chunks that a megabyte comes in would be seconds.
    expect(ms).toBeLessThan(1500);
  });

  it('delays the way up, too, and jitter neither loses nor turns the order', async () => {
    const proxy = await proxyFor(await echoTarget(), [
      'latency:latency=60:stream=upstream',
      'latency:latency=60:jitter=20',
    ]);
    const { bytes, firstMs } = await talk(proxy, MEGABYTE);
    expect(bytes.equals(MEGABYTE)).toBe(true);
    expect(firstMs).toBeGreaterThanOrEqual(99);
  });
});

describe('bandwidth', () => {
  it('lets so much through in a second', async () => {
    const proxy = await proxyFor(await echoTarget(), ['bandwidth:rate=100']);
    const { bytes, ms } = await talk(proxy, MEGABYTE.subarray(0, 30_000));
    expect(bytes.length).toBe(30_000);
    expect(ms).toBeGreaterThanOrEqual(295);
  });
});

describe('slow_close', () => {
  it('brings the bytes at once and the end later', async () => {
    const proxy = await proxyFor(await echoTarget(), ['slow_close:delay=150']);
    const { bytes, firstMs, ms } = await talk(proxy, 'hello');
    expect(bytes.toString()).toBe('hello');
    expect(ms - firstMs).toBeGreaterThanOrEqual(140);
  });
});

describe('timeout', () => {
  it('lets nothing through and closes after its time', async () => {
    const proxy = await proxyFor(await echoTarget(), ['timeout:timeout=120']);
    const { bytes, ms, end } = await talk(proxy, 'hello', 'stays');
    expect([bytes.length, end]).toEqual([0, 'fin']);
    expect(ms).toBeGreaterThanOrEqual(119);
  });

  it('0 keeps silent, and ends with the client', async () => {
    const proxy = await proxyFor(await echoTarget(), ['timeout']);
    const client = connect(proxy.port, '127.0.0.1');
    let received = 0;
    client.on('data', (chunk) => {
      received += chunk.length;
    });
    client.write('hello');
    await expect.poll(() => proxy.stats().bytes.upstream).toBe(5);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([received, proxy.stats().openConnections]).toEqual([0, 1]);
    client.end();
    await expect.poll(() => proxy.stats().openConnections).toBe(0);
  });
});

describe('reset_peer and down', () => {
  it('resets after its time, in the middle of whatever goes on', async () => {
    const proxy = await proxyFor(await echoTarget(), ['reset_peer:timeout=120']);
    const { bytes, ms, end } = await talk(proxy, 'hello', 'stays');
    expect([bytes.toString(), end]).toEqual(['hello', 'reset']);
    expect(ms).toBeGreaterThanOrEqual(119);
  });

  it('down: the target never hears of it', async () => {
    let connections = 0;
    const target = await tcpTarget(() => {
      connections += 1;
    });
    const proxy = await proxyFor(target, ['down']);
    expect(await talk(proxy, 'hello')).toMatchObject({ end: 'reset' });
    expect([connections, proxy.stats().met]).toEqual([0, { down: 1 }]);
  });
});

describe('slicer', () => {
  it('cuts into pieces of about the size, in order', async () => {
    const proxy = await proxyFor(await echoTarget(), [
      'slicer:average_size=1000:size_variation=500:delay=3000',
    ]);
    const { bytes, sizes, ms } = await talk(proxy, MEGABYTE.subarray(0, 20_000));
    expect(bytes.equals(MEGABYTE.subarray(0, 20_000))).toBe(true);
    expect(sizes.length).toBeGreaterThan(8);
    expect(new Set(sizes).size).toBeGreaterThan(4);
    expect(ms).toBeGreaterThan(30);
  });
});

describe('limit_data', () => {
  it('closes properly behind exactly so many bytes', async () => {
    const proxy = await proxyFor(await echoTarget(), ['limit_data:bytes=12345']);
    const { bytes, end } = await talk(proxy, MEGABYTE.subarray(0, 50_000), 'stays');
    expect([bytes.length, end]).toEqual([12_345, 'fin']);
    expect(bytes.equals(MEGABYTE.subarray(0, 12_345))).toBe(true);
    expect((await talk(proxy, 'short')).bytes.toString()).toBe('short');
  });
});

describe('toxics together', () => {
  it('one behind the other, in either direction', async () => {
    const proxy = await proxyFor(await echoTarget(), [
      'limit_data:bytes=3000:stream=upstream',
      'slicer:average_size=500',
      'latency:latency=50',
    ]);
    const { bytes, firstMs } = await talk(proxy, MEGABYTE.subarray(0, 2999));
    expect(bytes.length).toBe(2999);
    expect(firstMs).toBeGreaterThanOrEqual(49);
  });
});
