// Calls whose sockets are in a thread: real sockets, and a test thread that is held up while frames are due.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { CallEvents, Caller, CallListener } from '../../../src/gateway/calls/call-listener.ts';
import { createWorkerCalls } from '../../../src/gateway/calls/worker-calls.ts';
import { createFrameRing } from '../../../src/playout/frame-ring.ts';
import { settle } from '../../support/fake-clock.ts';

const RULES = { leadMs: 60, stepMs: 20 };
const FRAME = new Uint8Array(320).fill(1);

type Taken = {
  readonly caller: Caller;
  readonly said: Uint8Array[];
  readonly faults: string[];
  gone: number;
};

const open: { listener: CallListener; peers: Socket[] }[] = [];
afterEach(async () => {
  for (const { listener, peers } of open.splice(0)) {
    for (const peer of peers) peer.destroy();
    await listener.close();
  }
});

/** However it ends: with a reset, too. */
const closing = (peer: Socket) => new Promise<void>((resolve) => peer.once('close', () => resolve()));

async function start({ program, refuse = false }: { program?: URL; refuse?: boolean } = {}) {
  const taken: Taken[] = [];
  const faults: string[] = [];
  const waiting: ((call: Taken) => void)[] = [];
  const listener = createWorkerCalls({
    clock: systemClock,
    ...(program === undefined ? {} : { program }),
    onFault: (fault) => void faults.push(fault),
    onCall(caller): CallEvents | undefined {
      if (refuse) return undefined;
      const call: Taken = { caller, said: [], faults: [], gone: 0 };
      taken.push(call);
      waiting.shift()?.(call);
      return {
        onBytes: (chunk) => void call.said.push(chunk),
        onFault: (fault) => void call.faults.push(fault),
        onGone() {
          call.gone += 1;
        },
      };
    },
  });
  const peers: Socket[] = [];
  open.push({ listener, peers });
  const port = await listener.listen({ host: '127.0.0.1', port: 0 });
  /** The next call. */
  const comes = () => new Promise<Taken>((resolve) => waiting.push(resolve));
  const dial = async () => {
    const next = comes();
    for (;;) {
      const peer = connect(port, '127.0.0.1');
      peers.push(peer);
      peer.on('error', () => {});
      // Nobody takes it, where a thread has just died: it is cut, or was never there.
      const call = await Promise.race([next, closing(peer)]);
      if (call !== undefined) return { peer, call };
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return { listener, taken, faults, port, peers, comes, dial };
}
const bytesOf = (peer: Socket) => {
  const heard = { bytes: 0 };
  peer.on('data', (chunk: Buffer) => {
    heard.bytes += chunk.length;
  });
  return heard;
};
const until = async (isSo: () => boolean) => {
  for (let round = 0; round < 500 && !isSo(); round += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isSo()).toBe(true);
};
/** Nothing else happens in this thread. */
const holdUp = (ms: number) => {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
};

describe('calls in a thread', () => {
  it('say what they have to say, hear what is sent, and go', async () => {
    const { dial } = await start();
    const { peer, call } = await dial();
    const heard = bytesOf(peer);
    expect(call.caller.address).toBe('127.0.0.1');
    peer.write('hello');
    await until(() => Buffer.concat(call.said).toString() === 'hello');
    call.caller.wire.send(FRAME);
    call.caller.wire.close(1000, '');
    await once(peer, 'end');
    expect(heard.bytes).toBe(FRAME.length);
    await until(() => call.gone === 1);
  });

  it('are written their frames in time while this thread does nothing', async () => {
    const { dial } = await start();
    const { peer, call } = await dial();
    const heard = bytesOf(peer);
    const ring = createFrameRing(FRAME.length, systemClock.now());
    const meter = call.caller.wire.meter!(ring.memory, RULES);
    for (let count = 0; count < 16; count += 1) ring.push(FRAME);
    await until(() => heard.bytes >= 3 * FRAME.length);
    const before = ring.waiting();
    holdUp(200);
    // Ten are due meanwhile; a machine that is busy with much else may owe us half of them.
    expect(before - ring.waiting()).toBeGreaterThanOrEqual(5);
    expect(ring.playsUntilMs()).toBeGreaterThan(systemClock.now() - 200);
    expect(ring.playsUntilMs()).toBeLessThanOrEqual(systemClock.now() + RULES.leadMs + 1);
    const left = ring.takeBack();
    await until(() => heard.bytes === (16 - left) * FRAME.length);
    meter.close();
  });

  it('are cut at once, and the thread that listens is not troubled, when they are refused', async () => {
    const { port, peers, taken } = await start({ refuse: true });
    for (let round = 0; round < 3; round += 1) {
      const peer = connect(port, '127.0.0.1');
      peers.push(peer);
      peer.on('error', () => {});
      await closing(peer);
    }
    expect(taken).toEqual([]);
  });

  it('that say more than this thread takes wait, and nothing they said is lost', async () => {
    const { port, comes } = await start();
    const all = 16 * 1024 * 1024;
    // A thread of its own: it is to go on talking while this one does nothing.
    const talker = new Worker(
      `const { createConnection } = require('node:net');
       const { port, all } = require('node:worker_threads').workerData;
       createConnection(port, '127.0.0.1').end(new Uint8Array(all));`,
      { eval: true, execArgv: [], workerData: { port, all } },
    );
    const call = await comes();
    const taken = () => call.said.reduce((sum, chunk) => sum + chunk.length, 0);
    holdUp(500);
    await settle();
    expect(taken()).toBeLessThan(1024 * 1024);
    await until(() => taken() === all);
    await talker.terminate();
  });

  it('are all lost with the thread, and others are taken soon, at the same port', async () => {
    const { dial, faults } = await start();
    const { call } = await dial();
    // A ring that is none is a fault of ours: the thread does not outlive it.
    call.caller.wire.meter!({ buffer: new SharedArrayBuffer(4), mostBytes: 1, sinceMs: 0 }, RULES);
    await until(() => call.gone === 1);
    expect(faults).toEqual(['its thread died: RangeError']);
    const { peer, call: next } = await dial();
    call.caller.wire.terminate(); // a wire of the old thread is nobody's of the new one
    next.caller.wire.send(FRAME);
    await once(peer, 'data');
    expect(next.gone).toBe(0);
  });

  it('are heard out when the gateway stops', async () => {
    const { dial, listener } = await start();
    const { peer, call } = await dial();
    const heard = bytesOf(peer);
    for (let count = 0; count < 100; count += 1) call.caller.wire.send(FRAME);
    call.caller.wire.close(1000, '');
    await listener.close();
    await until(() => heard.bytes === 100 * FRAME.length);
  });

  it('that come while the gateway is told to stop are nobody’s, and end with the thread', async () => {
    const { port, peers, taken, listener } = await start();
    const peer = connect(port, '127.0.0.1');
    peers.push(peer);
    peer.on('error', () => {});
    const closed = closing(peer);
    holdUp(200); // the thread takes the call, and its news waits
    await listener.close();
    await closed;
    expect(taken).toEqual([]);
  });

  it('cannot be had at a port that is taken, and the fault says so', async () => {
    const { port, listener } = await start();
    await expect(listener.listen({ host: '127.0.0.1', port })).rejects.toThrow();
    const other = createWorkerCalls({ clock: systemClock, onCall: () => undefined, onFault() {} });
    open.push({ listener: other, peers: [] });
    await expect(other.listen({ host: '127.0.0.1', port })).rejects.toThrow(/EADDRINUSE/);
  });
});
