// What a fault can touch: the gate before anything is spoken, the job, or the bytes of the reply. A fault is set when
// the engine starts, never by a request, so that a caller cannot tell a faulty service from a real one.

import type { Clock } from '../../src/base/clock.ts';
import type { FaultyCaller, FaultyManner, Instead } from '../../src/engine/fault-plan.ts';

export type GateCall = {
  readonly caller: FaultyCaller;
  /** In place of the limit that the gate was given, once that has changed. */
  readonly perMinute: number | undefined;
  /** Requests of this caller that are under way, this one included. */
  readonly inFlight: number;
  /** How many requests came on this connection before. */
  readonly onConnectionBefore: number;
};

export type GateAnswer = {
  /** Headers of the reply, whichever it will be. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly instead?: Instead;
  /** Before `instead` is answered. */
  readonly afterMs?: number;
  /** The connection is reset in place of an answer. */
  readonly isCutOff?: boolean;
};

export type FaultTools = {
  readonly clock: Clock;
  /** Milliseconds since 1970: some services count by the minute of the wall clock, and Retry-After may be a date. */
  readonly unixMs: () => number;
  /** 0 to 1, seeded. */
  readonly number: () => number;
};

export type FaultyReply = FaultTools & {
  readonly bytesPerSecond: number;
  /** Resolves after `ms`, for Infinity never; rejects when the connection has gone. */
  readonly wait: (ms: number) => Promise<void>;
  /** Sends the head of the reply, before the first byte of its body. */
  readonly sendHead: () => void;
  /** Resets the TCP connection. */
  readonly reset: () => void;
};

export type Bytes = AsyncIterable<Uint8Array>;

export type MannerChange = (manner: FaultyManner, caller: FaultyCaller) => FaultyManner;

/** How one fault acts. A gate and a change are made once and may remember; a body gets one request each. */
export type FaultEffect =
  | { readonly at: 'gate'; readonly createGate: (tools: FaultTools) => (call: GateCall) => GateAnswer }
  | { readonly at: 'limit'; readonly afterMs: number; readonly perMinute: number }
  | {
      readonly at: 'job';
      /** As of a body. */
      readonly bytes: 'all' | 'others';
      readonly createChange: (tools: FaultTools) => MannerChange;
    }
  | {
      readonly at: 'body';
      /** `all`: it only comes later; else what is sent is not what was made. */
      readonly bytes: 'all' | 'others';
      readonly bend: (body: Bytes, reply: FaultyReply) => Bytes;
    };

export type Fault = {
  /** As in the table of faults. */
  readonly name: string;
  readonly effect: FaultEffect;
  /** The part of the requests that it meets, above 0 and at most 1. */
  readonly share: number;
};
