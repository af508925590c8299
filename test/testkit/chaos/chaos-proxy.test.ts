// The proxy as a whole: chance by seed, toxics that change in the middle, and nothing left behind.
import { afterEach, describe, expect, it } from 'vitest';
import { createToxic, readToxic, startChaosProxy } from '../../../testkit/chaos/chaos-proxy.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { ask, BODY, closeAll, echoTarget, httpTarget, proxyFor, talk } from './chaos-fixture.ts';

afterEach(closeAll);

describe('chance', () => {
  it('meets a share of the connections, the same ones again for the same seed', async () => {
    const target = await echoTarget();
    const ends = async (seed: number) => {
      const proxy = await proxyFor(target, ['down@0.5'], { seed });
      const all: string[] = [];
      for (let i = 0; i < 16; i++) all.push((await talk(proxy, 'x')).end);
      return all.join();
    };
    const first = await ends(3);
    expect(new Set(first.split(','))).toEqual(new Set(['fin', 'reset']));
    expect(await ends(3)).toBe(first);
    expect(await ends(4)).not.toBe(first);
  });

  it('of one toxic does not depend on the others, nor on the order in which connections end', async () => {
    const target = await httpTarget();
    const statuses = async (toxics: string[], at: 'once' | 'one by one') => {
      const proxy = await proxyFor(target.url, toxics);
      const calls: Promise<{ status: number }>[] = [];
      for (let i = 0; i < 8; i++) {
        const call = ask(proxy);
        calls.push(call);
        if (at === 'one by one') await call;
      }
      return (await Promise.all(calls)).map(({ status }) => status);
    };
    const alone = await statuses(['dup429:every=1@0.5'], 'one by one');
    expect(new Set(alone)).toEqual(new Set([200, 429]));
    expect(await statuses(['dup429:every=1@0.5', 'wrong_type@0.3'], 'one by one')).toEqual(alone);
    const refused = (all: readonly number[]) => all.filter((status) => status === 429).length;
    expect(refused(await statuses(['dup429:every=1@0.5'], 'once'))).toBe(refused(alone));
  });

  it('0 never meets, 1 always', async () => {
    const target = await echoTarget();
    const proxy = await proxyFor(target, ['down@0', 'slicer@1']);
    for (let i = 0; i < 5; i++) expect((await talk(proxy, 'x')).end).toBe('fin');
    expect(proxy.stats().met).toEqual({ slicer: 5 });
  });
});

describe('setToxics and cut', () => {
  it('are for what comes from now on, and for what is open', async () => {
    const proxy = await proxyFor(await echoTarget(), []);
    const open = talk(proxy, 'hello', 'stays');
    await expect.poll(() => proxy.stats().bytes.downstream).toBe(5);
    proxy.setToxics([readToxic('down')]);
    expect((await talk(proxy, 'x')).end).toBe('reset');
    expect(proxy.stats().openConnections).toBe(1);
    proxy.cut();
    expect(await open).toMatchObject({ end: 'reset' });
    proxy.setToxics([]);
    expect((await talk(proxy, 'x')).bytes.toString()).toBe('x');
  });

  it('a kept connection that is read meets what is set for its next request', async () => {
    const target = await httpTarget();
    const proxy = await proxyFor(target.url, ['wrong_type@0']);
    expect((await ask(proxy)).headers['content-type']).toBe('audio/mpeg');
    proxy.setToxics([readToxic('wrong_type:type=text/plain')]);
    expect((await ask(proxy)).headers['content-type']).toBe('text/plain');
  });
});

describe('close', () => {
  it('leaves no timer and no connection, whatever they wait for', async () => {
    const clock = createFakeClock();
    const target = await echoTarget();
    const toxics = ['latency:latency=60000', 'slow_close:delay=60000:stream=upstream'].map(readToxic);
    const proxy = await startChaosProxy({ target, seed: 0, toxics, clock });
    const calls = [talk(proxy, BODY), talk(proxy, 'x'), talk(proxy, 'y', 'stays')];
    await expect.poll(() => clock.timers).toBeGreaterThanOrEqual(3);
    await proxy.close();
    for (const call of calls) expect(await call).toMatchObject({ end: 'reset' });
    expect([clock.timers, proxy.stats().openConnections]).toEqual([0, 0]);
    await expect(talk(proxy, 'x')).resolves.toMatchObject({ end: 'reset' });
  });

  it('a port that is taken is told, and leaves nothing behind', async () => {
    const { port } = await proxyFor(await echoTarget(), []);
    await expect(
      startChaosProxy({ target: 'http://127.0.0.1:1', seed: 0, toxics: [], port }),
    ).rejects.toThrow(/EADDRINUSE/);
  });
});

describe('a target', () => {
  it.each(['127.0.0.1:80', 'https://example.org', 'http://example.org/path', ''])(
    '%j is refused',
    async (target) => {
      await expect(startChaosProxy({ target, seed: 0, toxics: [] })).rejects.toThrow(
        /the target is .*http:\/\/host/,
      );
    },
  );
});

describe('createToxic', () => {
  it('takes the shape of Toxiproxy', () => {
    const toxic = createToxic({
      type: 'latency',
      stream: 'upstream',
      toxicity: 0.5,
      attributes: { latency: 5 },
    });
    expect(toxic).toMatchObject({ type: 'latency', stream: 'upstream', toxicity: 0.5 });
  });
});
