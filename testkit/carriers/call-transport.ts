// What a simulated call goes over: a WebSocket, or whatever else a platform dials with. Frames are messages whole, as the
// platform's side reads them.

export type CallFrame = string | Uint8Array;

export type CallWire = {
  /** Nothing once the connection is gone. */
  send(frame: CallFrame): void;
  close(): void;
};

export type CallEvents = {
  onFrame(frame: CallFrame): void;
  /** The WebSocket's close code; 1006 where there is none. */
  onClosed(code: number): void;
};

/** Resolves when the connection stands; rejects with what the gateway answered when it refuses it. */
export type CallTransport = (url: string, events: CallEvents) => Promise<CallWire>;
