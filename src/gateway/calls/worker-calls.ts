// Calls over plain TCP whose sockets are in a thread of their own, so that a far side that plays frames as they come gets
// them on time while this thread is busy. This is the gateway's end of it. A thread that dies loses its calls; another
// one listens soon.

import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { sharedClock } from '../../base/shared-clock.ts';
import type { LegFrame } from '../../legs/leg.ts';
import type { CallEvents, CallListener, CallListenerOptions } from './call-listener.ts';
import { CALL_STATE, type CallNews, type CallOrder, type CallThreadData } from './call-messages.ts';
import type { LegWire, WireMeter } from './leg-wire.ts';

export type WorkerCallsOptions = CallListenerOptions & { readonly clock: Clock; readonly program?: URL };

const PROGRAM = new URL('./call-thread.js', import.meta.url);
/** The thread holds hardly any data. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };
/** A thread that died is replaced after this time. */
const REST_MS = 1000;

/** Longer than a peer gets to read its last bytes. */
const STOP_DEADLINE_MS = 3000;

type Address = { readonly host: string; readonly port: number };
type Call = { readonly events: CallEvents; readonly state: Int32Array };

export function createWorkerCalls(options: WorkerCallsOptions): CallListener {
  const { onCall, onFault, clock, program = PROGRAM } = options;
  let worker: Worker | undefined;
  /** Where it listens, once it does. */
  let address: Address | undefined;
  let phase: 'open' | 'drained' | 'closed' = 'open';
  let cancelRest: (() => void) | undefined;

  const wireOf = (order: (message: CallOrder) => void, call: number, state: Int32Array): LegWire => ({
    send: (frame: LegFrame) => order({ kind: 'send', call, frame: Buffer.from(frame as Uint8Array) }),
    bufferedBytes: () => Atomics.load(state, CALL_STATE.buffered),
    close: () => order({ kind: 'end', call }),
    terminate: () => order({ kind: 'terminate', call }),
    meter: ((memory, rules) => {
      order({ kind: 'meter', call, memory, rules });
      return { kick() {}, close: () => order({ kind: 'unmeter', call }) };
    }) satisfies WireMeter,
  });

  const start = (): Worker => {
    const workerData: CallThreadData = { aheadMs: clock.now() - sharedClock.now() };
    const thread = new Worker(program, { name: 'calls', workerData, env: {}, resourceLimits: MEMORY });
    const order = (message: CallOrder) => thread.postMessage(message);
    const calls = new Map<number, Call>();
    let cause: string | undefined;

    const begin = ({ call, address: from, state }: Extract<CallNews, { kind: 'call' }>) => {
      const shared = new Int32Array(state);
      const caller = { address: from, wire: wireOf(order, call, shared) };
      // A call that came in while the gateway was being stopped is not used.
      const events = phase === 'closed' ? undefined : onCall(caller);
      if (events === undefined) order({ kind: 'terminate', call });
      else calls.set(call, { events, state: shared });
    };
    const hear = (news: CallNews) => {
      if (news.kind === 'call') return begin(news);
      if (news.kind === 'listener-fault') return onFault(news.fault);
      if (news.kind === 'listening' || news.kind === 'not-listening') return;
      const call = calls.get(news.call);
      if (call === undefined) return;
      if (news.kind === 'bytes') {
        Atomics.add(call.state, CALL_STATE.taken, news.chunk.length);
        call.events.onBytes(news.chunk);
      } else if (news.kind === 'fault') call.events.onFault(news.fault);
      else {
        calls.delete(news.call);
        call.events.onGone();
      }
    };
    thread.on('message', hear);
    thread.on('error', ({ name }) => {
      cause = name;
    });
    // After all of its messages.
    thread.on('exit', (code) => {
      for (const { events } of calls.values()) events.onGone();
      if (worker !== thread) return;
      worker = undefined;
      onFault(`its thread died: ${cause ?? `exit ${code}`}`);
      listenLater();
    });
    return thread;
  };

  const listenLater = () => {
    if (phase === 'open' && address !== undefined) cancelRest ??= clock.after(REST_MS, listenAgain);
  };
  const listenAgain = () => {
    cancelRest = undefined;
    if (address === undefined || phase !== 'open') return;
    listenAt(address).catch((error: Error) => {
      onFault(error.message);
      listenLater();
    });
  };
  const listenAt = (at: Address) =>
    new Promise<number>((resolve, reject) => {
      worker ??= start();
      const thread = worker;
      const settle = (act: () => void) => {
        thread.off('message', answer);
        thread.off('exit', gone);
        act();
      };
      const gone = () => settle(() => reject(new Error('its thread has ended')));
      const answer = (news: CallNews) => {
        if (news.kind === 'not-listening') settle(() => reject(new Error(news.fault)));
        if (news.kind === 'listening') settle(() => resolve(news.port));
      };
      thread.on('message', answer);
      thread.once('exit', gone);
      thread.postMessage({ kind: 'listen', ...at } satisfies CallOrder);
    });

  const close = async () => {
    phase = 'closed';
    cancelRest?.();
    const thread = worker;
    if (thread === undefined) return;
    thread.postMessage({ kind: 'stop' } satisfies CallOrder);
    worker = undefined;
    await new Promise<void>((resolve) => {
      const disarm = clock.after(STOP_DEADLINE_MS, () => void thread.terminate());
      thread.once('exit', () => {
        disarm();
        resolve();
      });
    });
  };

  return {
    async listen(at) {
      try {
        const port = await listenAt(at);
        address = { host: at.host, port };
        return port;
      } catch (error) {
        if (address === undefined) await close();
        throw error;
      }
    },
    drain() {
      if (phase === 'open') phase = 'drained';
      worker?.postMessage({ kind: 'drain' } satisfies CallOrder);
    },
    close,
  };
}
