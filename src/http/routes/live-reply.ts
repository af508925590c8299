// A reply that goes on for as long as an observer reads it. Nothing waits for an observer: what it does not read piles up
// to a bound, and then it is disconnected.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';

export type LiveReply = {
  /** What is written before this is what a new observer is given at once; the head is sent now if it was not. */
  open(): void;
  write(piece: string | Uint8Array): void;
  /** Ends it in order, after what has been written. */
  end(): void;
};

export type LiveReplyOptions = {
  readonly headers: Readonly<Record<string, string>>;
  /** In front of everything. */
  readonly opening: string;
  readonly clock: Clock;
  /** Bytes that may wait beyond what a new observer is given at once. */
  readonly mostBytes: number;
  /** Written when nothing else has been for 15 s, so that no proxy takes the connection for dead. */
  readonly heartbeat: string | undefined;
  /** Nothing more goes out; once. `slow`: because it was not taken. */
  readonly onClosed: (why: 'slow' | 'over') => void;
};

const HEARTBEAT_MS = 15_000;
/** A client that reads nothing does not read the end either. */
const END_MS = 3000;

/** Nothing is sent before the first `write` or `open`: until then the request may still be refused. */
export function createLiveReply(raw: ServerResponse, options: LiveReplyOptions): LiveReply {
  const { clock, mostBytes, heartbeat } = options;
  let joinBytes = 0;
  let phase: 'unsent' | 'joining' | 'open' | 'ending' | 'closed' = 'unsent';
  let cancelTimer = () => {};

  const close = (why: 'slow' | 'over') => {
    if (phase === 'closed') return;
    phase = 'closed';
    cancelTimer();
    options.onClosed(why);
  };
  const begin = () => {
    if (phase !== 'unsent') return;
    phase = 'joining';
    raw.once('close', () => close('over'));
    raw.on('error', () => close('over'));
    raw.writeHead(200, { ...options.headers });
    raw.flushHeaders();
    if (options.opening !== '') write(options.opening);
  };
  const write = (piece: string | Uint8Array) => {
    begin();
    if (phase === 'joining') joinBytes += piece.length;
    else if (phase !== 'open') return;
    if (raw.writableLength > mostBytes + joinBytes) {
      close('slow');
      raw.destroy();
      return;
    }
    raw.write(piece);
    cancelTimer();
    beat();
  };
  const beat = () => {
    if (heartbeat !== undefined) cancelTimer = clock.after(HEARTBEAT_MS, () => write(heartbeat));
  };

  return {
    open() {
      begin();
      if (phase === 'joining') phase = 'open';
      if (raw.destroyed) return close('over');
      cancelTimer();
      beat();
    },
    write,
    end() {
      if (phase === 'ending' || phase === 'closed') return;
      begin();
      phase = 'ending';
      cancelTimer();
      cancelTimer = clock.after(END_MS, () => raw.destroy());
      raw.end();
    },
  };
}
