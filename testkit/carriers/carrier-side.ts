// One platform's side of its media socket, for the simulator: what it says of a call, and what it takes from a server.
// Built from its documents, and as strict: anything else that is sent to it is a fault.

export type CarrierOrder =
  | { readonly kind: 'media'; readonly bytes: Uint8Array }
  | { readonly kind: 'mark'; readonly name: string }
  | { readonly kind: 'clear' }
  | { readonly kind: 'hang-up' }
  /** Known, and without effect here. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fault'; readonly what: string };

export type CarrierCall = {
  readonly callId: string;
  readonly token: string | undefined;
};

export type CarrierSide = {
  /** What is sent when the call begins, in order. */
  open(call: CarrierCall): readonly (string | Uint8Array)[];
  /** 20 ms of what the caller says, the `index`th. */
  inbound(bytes: Uint8Array, index: number): string | Uint8Array;
  mark(name: string, fate: 'played' | 'cleared'): readonly (string | Uint8Array)[];
  /** What tells that a clear has been done; absent: nothing does. */
  cleared?(): readonly (string | Uint8Array)[];
  digit(digit: string): readonly (string | Uint8Array)[];
  end(): readonly (string | Uint8Array)[];
  /** What it says of how much waits; asked after each message and each tick. Absent: there is no such thing. */
  flow?(bufferedMs: number): readonly (string | Uint8Array)[];
  read(frame: string | Uint8Array): CarrierOrder;
};
