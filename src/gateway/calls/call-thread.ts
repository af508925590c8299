// The program of the thread that owns the sockets of calls without a clock: it writes frames on time however busy the
// gateway's thread is, and hands on what the far side sends. It decides nothing.

import { parentPort, workerData } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { sharedClock } from '../../base/shared-clock.ts';
import { createFrameMeter, type FrameMeter } from '../../playout/frame-meter.ts';
import { createPlayoutClock } from '../../playout/playout-clock.ts';
import type { CallEvents, Caller } from './call-listener.ts';
import {
  CALL_STATE,
  CALL_STATE_BYTES,
  type CallNews,
  type CallOrder,
  type CallThreadData,
} from './call-messages.ts';
import type { LegWire } from './leg-wire.ts';
import { createTcpCalls } from './tcp-calls.ts';

type Call = { readonly wire: LegWire; showBuffered(): void; meter: FrameMeter | undefined };

/** When the gateway has this much of a call's input unread, reading from the far side stops. */
const MAX_UNTAKEN_BYTES = 256 * 1024;
/** How often the bytes that the far side has taken are counted, and paused input is checked. */
const LOOK_MS = 50;

const port = parentPort!;
const { aheadMs } = workerData as CallThreadData;
const clock: Clock = { ...sharedClock, now: () => sharedClock.now() + aheadMs };
const tell = (news: CallNews, moved: ArrayBuffer[] = []) => port.postMessage(news, moved);
const calls = new Map<number, Call>();
let last = 0;

const playout = createPlayoutClock({
  clock,
  onFault(_player, fault) {
    throw fault;
  },
});

function take({ address, wire, pause, resume }: Caller): CallEvents {
  const id = ++last;
  const state = new Int32Array(new SharedArrayBuffer(CALL_STATE_BYTES));
  let said = 0;
  let cancelLook: (() => void) | undefined;
  const untaken = () => (said - Atomics.load(state, CALL_STATE.taken)) | 0;
  const look = () => {
    cancelLook = undefined;
    call.showBuffered();
    if (untaken() <= MAX_UNTAKEN_BYTES) resume?.();
    if (wire.bufferedBytes() > 0 || untaken() > MAX_UNTAKEN_BYTES) lookSoon();
  };
  const lookSoon = () => {
    cancelLook ??= clock.after(LOOK_MS, look);
  };
  const call: Call = {
    wire,
    meter: undefined,
    showBuffered() {
      const bufferedBytes = wire.bufferedBytes();
      Atomics.store(state, CALL_STATE.buffered, bufferedBytes);
      if (bufferedBytes > 0) lookSoon();
    },
  };
  calls.set(id, call);
  tell({ kind: 'call', call: id, address, state: state.buffer as SharedArrayBuffer });

  return {
    onBytes(chunk) {
      said = (said + chunk.length) | 0;
      const own = new Uint8Array(chunk);
      tell({ kind: 'bytes', call: id, chunk: own }, [own.buffer]);
      if (untaken() <= MAX_UNTAKEN_BYTES) return;
      pause?.();
      lookSoon();
    },
    onFault: (fault) => tell({ kind: 'fault', call: id, fault }),
    onGone() {
      cancelLook?.();
      call.meter?.close();
      calls.delete(id);
      tell({ kind: 'gone', call: id });
      leaveWhenEmpty();
    },
  };
}

let phase: 'open' | 'stopping' = 'open';
function leaveWhenEmpty(): void {
  if (phase === 'stopping' && calls.size === 0) port.close();
}

const listener = createTcpCalls({
  clock,
  onCall: take,
  onFault: (fault) => tell({ kind: 'listener-fault', fault }),
});

function follow(order: CallOrder): void {
  if (order.kind === 'listen')
    return void listener.listen(order).then(
      (at) => tell({ kind: 'listening', port: at }),
      (error: Error) => tell({ kind: 'not-listening', fault: error.message }),
    );
  if (order.kind === 'drain') return listener.drain();
  if (order.kind === 'stop') {
    listener.drain();
    phase = 'stopping';
    return leaveWhenEmpty();
  }
  const call = calls.get(order.call);
  if (call === undefined) return;
  const write = (frame: Uint8Array) => {
    call.wire.send(frame);
    call.showBuffered();
  };
  if (order.kind === 'send') write(order.frame);
  else if (order.kind === 'meter') {
    const { memory, rules } = order;
    call.meter = createFrameMeter({ memory, rules, write, playout, now: () => clock.now() });
  } else if (order.kind === 'unmeter') call.meter?.close();
  else if (order.kind === 'end') call.wire.close(0, '');
  else call.wire.terminate();
}
port.on('message', follow);
