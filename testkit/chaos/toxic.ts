// What a toxic can touch: a whole connection, the bytes of one direction, the bodies of HTTP messages, or the answer to
// a request. The words are Toxiproxy's: upstream is from the client to the target, downstream the way back.

import type { Clock } from '../../src/base/clock.ts';

export type Stream = 'upstream' | 'downstream';

export type Bytes = AsyncIterable<Uint8Array>;

export type ToxicTools = {
  readonly clock: Clock;
  /** 0 to 1; the same for the same seed, toxic and connection (or request). */
  readonly number: () => number;
  /** Resolves after `ms`, for Infinity never; rejects once the connection (or request) is over. */
  readonly wait: (ms: number) => Promise<void>;
};

export type ConnectionTools = ToxicTools & {
  /** Closes both sides properly, behind what has been written. */
  readonly close: () => void;
  /** Resets both sides. */
  readonly reset: () => void;
};

/** An answer that the target is not asked for, or how its own is changed. */
export type ReplyChange = {
  readonly instead?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** Before it is answered; by default 0. */
    readonly afterMs?: number;
  };
  /** The connection is reset in place of an answer. */
  readonly isCutOff?: boolean;
  readonly contentType?: string;
  /** The body ends without a fault after so many bytes, by a last chunk or by closing the connection. */
  readonly end?: { readonly afterBytes: number; readonly by: 'chunk' | 'close' };
};

export type ToxicEffect =
  /** The connection is reset, and the target never called. */
  | { readonly at: 'accept' }
  | { readonly at: 'connection'; readonly begin: (tools: ConnectionTools) => void }
  | { readonly at: 'bytes'; readonly bend: (bytes: Bytes, tools: ConnectionTools) => Bytes }
  | { readonly at: 'body'; readonly bend: (body: Bytes, tools: ToxicTools) => Bytes }
  | { readonly at: 'reply'; readonly change: (request: MetRequest) => ReplyChange };

export type MetRequest = {
  /** Counts all requests of the proxy from 1. */
  readonly requestNumber: number;
  /** How many requests came on its connection before. */
  readonly onConnectionBefore: number;
  /** As of `ToxicTools`. */
  readonly number: () => number;
};

export type Toxic = {
  readonly type: string;
  readonly stream: Stream;
  /** The part of the connections (or requests) that meet it, 0 to 1. */
  readonly toxicity: number;
  readonly effect: ToxicEffect;
};

/** A toxic that has met a connection or a request, with the chance that is its own there. */
export type MetToxic = { readonly toxic: Toxic; readonly number: () => number };
