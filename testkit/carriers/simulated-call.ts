// One call as a platform brings it to a gateway: it says what the call is, sends 20 ms of the caller every 20 ms, plays what
// it gets by a clock of its own, echoes marks when their time has come, and judges. Strict: whatever its documents do not
// allow is a fault. Nothing here has been tried against a live carrier.

import type { Clock } from '../../src/base/clock.ts';
import { type CallReport, createCallRecord } from './call-record.ts';
import type { CallEvents, CallFrame, CallTransport, CallWire } from './call-transport.ts';
import { type CarrierPlayout, type CarrierRules, createCarrierPlayout } from './carrier-playout.ts';
import type { CarrierCall, CarrierSide } from './carrier-side.ts';

export type SimulatedCall = {
  readonly playout: CarrierPlayout;
  readonly faults: readonly string[];
  /** The speaking side announces that what comes from now on is another turn: only then can stale audio be distinguished. */
  announceTurn(): void;
  digit(digit: string): void;
  /** The caller hangs up. */
  hangUp(): void;
  /** Drops the connection. */
  close(): void;
  readonly closed: Promise<number>;
  report(): CallReport;
};

export type SimulatedCallOptions = {
  readonly side: CarrierSide;
  readonly rules: CarrierRules;
  readonly call: CarrierCall;
  readonly transport: CallTransport;
  readonly url: string;
  readonly clock: Clock;
  /** What the caller says: the `index`th 20 ms in the call's audio; `isSpokenTo`: something has been heard by now. */
  readonly says: (index: number, isSpokenTo: boolean) => Uint8Array;
  readonly lateness?: CallLateness;
};

/** What takes its time in a call, ms. */
export type CallLateness = {
  /** From the connection on until it is said what the call is. */
  readonly startMs?: number | undefined;
  /** From then on until the caller is first heard. */
  readonly firstFrameMs?: number | undefined;
  /** From the first sound that the caller hears until the caller talks, for a second; undefined: never. */
  readonly talkAfterMs?: number | undefined;
};

const TICK_MS = 20;
/** This process was delayed. Frames that it reads then look as if they had been sent together. */
const HELD_UP_MS = 2 * TICK_MS;

/** Resolves when the gateway has taken the call. */
export async function startSimulatedCall(options: SimulatedCallOptions): Promise<SimulatedCall> {
  const { side, rules, call, clock, says, lateness: { startMs = 0, firstFrameMs = 0 } = {} } = options;
  const playout = createCarrierPlayout(rules);
  const record = createCallRecord(
    () => clock.now(),
    () => playout.gaps,
  );
  const faults: string[] = [];
  let marksSent = 0;
  let marksEchoed = 0;
  let wire: CallWire | undefined;
  const early: CallFrame[] = [];
  let stopTicking = () => {};
  let tickedAtMs = Number.POSITIVE_INFINITY;
  let mostHeldUpMs = 0;
  let isOver = false;
  /** When anything has gone either way at last. */
  let spokeAtMs = Number.POSITIVE_INFINITY;
  let tellClosed = (_code: number) => {};
  const closed = new Promise<number>((resolve) => {
    tellClosed = resolve;
  });

  const send = (frames: readonly CallFrame[]) => {
    if (frames.length > 0) spokeAtMs = clock.now();
    for (const frame of frames) wire?.send(frame);
  };
  const tellPassed = () => {
    for (const { name, fate } of playout.takePassed()) {
      marksEchoed += 1;
      send(side.mark(name, fate));
    }
    send(side.flow?.(playout.bufferedMs()) ?? []);
  };
  const noteHoldUp = () => {
    const heldUpMs = clock.now() - tickedAtMs;
    if (heldUpMs > HELD_UP_MS) mostHeldUpMs = Math.max(mostHeldUpMs, heldUpMs);
  };
  const takeMedia = (bytes: Uint8Array) => {
    noteHoldUp();
    const wrong = playout.media(bytes, clock.now(), mostHeldUpMs);
    if (wrong !== undefined) return faults.push(wrong);
    const { length } = bytes;
    record.mediaCame({ bytes: length, ms: length / rules.bytesPerMs, aheadMs: playout.bufferedMs() });
  };
  const take = (frame: CallFrame) => {
    playout.advance(clock.now());
    spokeAtMs = clock.now();
    const order = side.read(frame);
    if (order.kind === 'fault') faults.push(order.what);
    else if (order.kind === 'media') takeMedia(order.bytes);
    else if (order.kind === 'mark') {
      marksSent += 1;
      playout.mark(order.name);
    } else if (order.kind === 'clear') {
      playout.clear();
      record.cleared();
      send(side.cleared?.() ?? []);
    } else if (order.kind === 'hang-up') wire?.close();
    tellPassed();
  };
  const events: CallEvents = {
    onFrame(frame) {
      if (wire === undefined) early.push(frame);
      else take(frame);
    },
    onClosed(code) {
      isOver = true;
      stopTicking();
      tellClosed(code);
    },
  };

  wire = await options.transport(options.url, events);
  let startsAtMs = clock.now() + startMs;
  let isHeardFromMs = Number.POSITIVE_INFINITY;
  const start = () => {
    startsAtMs = Number.POSITIVE_INFINITY;
    isHeardFromMs = clock.now() + firstFrameMs;
    send(side.open(call));
  };
  if (startMs === 0) start();
  early.forEach(take);
  let index = 0;
  let dueMs = clock.now();
  const tick = () => {
    if (isOver) return;
    noteHoldUp();
    tickedAtMs = clock.now();
    playout.advance(clock.now());
    tellPassed();
    if (clock.now() >= startsAtMs) start();
    if (clock.now() >= isHeardFromMs) {
      send([side.inbound(says(index, playout.heard.length > 0), index)]);
      index += 1;
    }
    if (rules.silentMs !== undefined && clock.now() - spokeAtMs >= rules.silentMs) {
      faults.push(`nothing has gone either way for ${rules.silentMs} ms: the call is ended`);
      return wire?.close();
    }
    dueMs += TICK_MS;
    stopTicking = clock.after(Math.max(0, dueMs - clock.now()), tick);
  };
  tick();

  return {
    playout,
    faults,
    announceTurn: record.turnAnnounced,
    digit: (digit) => send(side.digit(digit)),
    hangUp() {
      const goodbye = side.end();
      send(goodbye);
      // A platform that has no message for it closes.
      if (goodbye.length === 0) wire?.close();
    },
    close: () => wire?.close(),
    closed,
    report() {
      const heardBytes = playout.heard.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return {
        heardMs: Math.round(heardBytes / rules.bytesPerMs),
        ...record.figures(),
        clears: playout.clears(),
        marks: { sent: marksSent, echoed: marksEchoed, lost: marksSent - marksEchoed },
        faults,
      };
    },
  };
}
