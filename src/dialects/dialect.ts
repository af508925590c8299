// What a wire protocol is to the gateway: which upgrades are its own, where its callers put their key, what a session of
// it begins with, and a codec that translates between its messages and the native commands and events. A codec has no
// socket, no clock and no scheduler: turns, pacing and the pool are the session's, whatever a client speaks.

import type { AppError, ErrorCode } from '../base/app-error.ts';
import type { ServerEvent } from './native-events.ts';
import type { ClientCommand, Preset } from './native-messages.ts';

/** An upgrade as a dialect looks at it. */
export type Upgrade = {
  /** As it came, not decoded and not normalised, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lines by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  /** Subprotocols that the client offers, in its order. */
  readonly protocols: readonly string[];
};

export type Dialect = {
  readonly name: string;
  /** Undefined for a path that is not its own. Looks at no more than it has to: the caller is not known yet. */
  enter(upgrade: Upgrade): DialectEntry | undefined;
};

/** What a client that is back has received. */
export type ResumeClaim = {
  /** The number of the last message; 0: none. */
  readonly after: number;
  /** The first turn whose `ended` it has not received; undefined: none. */
  readonly turn: string | undefined;
  /** Bytes of that turn's audio, decoded. */
  readonly received: number;
};

export type DialectEntry = {
  /** `headers`: Authorization and X-USER-ID as in the native protocol; else the key from wherever this protocol has it. */
  readonly caller: 'headers' | { readonly apiKey: string | undefined };
  /** A token of scope `speak`, in place of other credentials. */
  readonly token?: string;
  /** The upgrade goes on with a session, by its token and in place of other credentials. `claim` throws `invalid_request`. */
  readonly comesBack?: { readonly token: string; readonly claim: () => ResumeClaim };
  /** Whether the session is to outlive its connection; absent: never. Throws as `preset` does. */
  outlives?(): boolean;
  /** The subprotocol that is selected, one of those offered. */
  readonly protocol?: string;
  /** What this protocol calls the fields of the session that a refusal may name. */
  readonly fieldNames?: Readonly<Record<string, string>>;
  /** Headers of a refusal. */
  refusalHeaders?(error: AppError): Readonly<Record<string, string>>;
  /** Headers of the answer that lets the client in; the session's id is that of `ready`. */
  sessionHeaders?(session: string): Readonly<Record<string, string>>;
  /** Over the gateway's own and the agent's settings; voices may be aliases. Throws `invalid_request` naming the parameter. */
  preset(): Preset;
  /** Ends a connection in which nothing is said for so long; absent: the gateway's own limit. */
  readonly idleTimeoutMs?: number;
  /** `side-by-side`: what `carryOut` is given a queue for; absent: turns are heard one after another, as they were named. */
  readonly playout?: 'side-by-side';
  /** `no`: an agent's greeting could not be sent; absent: it is spoken when the session begins. */
  readonly greets?: 'no';
  open(sink: DialectSink): DialectCodec;
};

export type DialectSink = {
  /** Ids for whatever the protocol names: 22 characters of base64url, never the same twice. */
  readonly newId: () => string;
  /**
   * Gives the session a command; its answers come as events, some of them before this returns. `queue`: a turn that it
   * opens is heard behind those that were opened for the same queue, and beside all others.
   */
  readonly carryOut: (command: ClientCommand, queue?: string) => void;
  /** One frame to the client: text as a string, binary as bytes, which are copied. */
  readonly send: (message: string | Uint8Array) => void;
  /**
   * Ends the connection behind what has been sent; turns that are left are cancelled. `failure`: what it ends for, if it
   * should not have.
   */
  readonly close: (code: number, reason: string, failure?: ErrorCode) => void;
};

/** Audio that is due now, in order, whole samples; within a turn every block follows on the one before it. */
export type DialectAudio = {
  readonly turn: string;
  readonly encoding: 'binary' | 'base64';
  readonly seq: number;
  /** Media position of the first sample, ms. */
  readonly atMs: number;
  /** Valid during the call. */
  readonly bytes: Uint8Array;
};

export type DialectCodec = {
  receive(frame: string): void;
  /** True for a frame that takes effect at once although others wait before it, and does no harm when it is read again in its turn; absent: there is none. */
  isUrgent?(frame: string): boolean;
  /** The first one is `ready`. */
  event(event: ServerEvent): void;
  audio(audio: DialectAudio): void;
  /** About once a second, with a monotonic time in ms: for keep-alives and other timers of the protocol. */
  tick?(nowMs: number): void;
  /** The close code for a failure that ends the connection; absent: the product's own. */
  closeCode?(code: ErrorCode): number;
};
