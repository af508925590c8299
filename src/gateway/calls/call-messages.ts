// What passes between the gateway and the thread that has the sockets of calls.

import type { LegRules } from '../../legs/leg.ts';
import type { FrameRingMemory } from '../../playout/frame-ring.ts';

export type CallThreadData = {
  /** What the gateway's clock is ahead of the one that all threads read alike. */
  readonly aheadMs: number;
};

export type CallOrder =
  | { readonly kind: 'listen'; readonly host: string; readonly port: number }
  | { readonly kind: 'drain' }
  /** The thread ends when the last call has. */
  | { readonly kind: 'stop' }
  /** Written now, whatever waits for its time. */
  | { readonly kind: 'send'; readonly call: number; readonly frame: Uint8Array }
  | {
      readonly kind: 'meter';
      readonly call: number;
      readonly memory: FrameRingMemory;
      readonly rules: Pick<LegRules, 'leadMs' | 'stepMs'>;
    }
  | { readonly kind: 'unmeter' | 'end' | 'terminate'; readonly call: number };

export type CallNews =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'not-listening'; readonly fault: string }
  | { readonly kind: 'listener-fault'; readonly fault: string }
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly address: string | undefined;
      readonly state: SharedArrayBuffer;
    }
  | { readonly kind: 'bytes'; readonly call: number; readonly chunk: Uint8Array }
  | { readonly kind: 'fault'; readonly call: number; readonly fault: string }
  | { readonly kind: 'gone'; readonly call: number };

/** A call's state in shared memory, each a 32-bit integer. */
export const CALL_STATE = {
  /** Bytes that the far side has not taken, by the thread. */
  buffered: 0,
  /** Bytes from the far side that the gateway has taken, modulo 2³², by the gateway. */
  taken: 1,
} as const;
export const CALL_STATE_BYTES = 8;
