// The port to what takes calls that come over plain TCP, in this thread or in one that writes their frames in time.

import type { LegWire } from './leg-wire.ts';

/** A connection that has come in. */
export type Caller = {
  /** Where it comes from; undefined when it has gone already. */
  readonly address: string | undefined;
  readonly wire: LegWire;
  /** Stops reading from the far side. */
  readonly pause?: () => void;
  readonly resume?: () => void;
};

/** Events for the owner of a call. */
export type CallEvents = {
  onBytes(chunk: Uint8Array): void;
  onFault(fault: string): void;
  /** Told once. */
  onGone(): void;
};

export type CallListenerOptions = {
  /** Undefined: the call is refused, and its connection cut. */
  readonly onCall: (caller: Caller) => CallEvents | undefined;
  /** The listener itself has failed at something. */
  readonly onFault: (fault: string) => void;
};

export type CallListener = {
  /** Rejects when the address cannot be had. Resolves with the port. */
  listen(at: { readonly host: string; readonly port: number }): Promise<number>;
  /** Takes no more calls; those that are there go on. */
  drain(): void;
  close(): Promise<void> | void;
};
