// The contexts of one socket: what opens, feeds, drains and ends them. Each is reported as final exactly once, after its
// last audio, and nothing of it follows. They play beside each other: one that fails does not end another, and one that
// is not wanted any more does not delay another.

import type { DialectSink } from '../dialect.ts';
import type { EventOf } from '../native-events.ts';
import { type AlignmentClock, createAligner } from './aligner.ts';
import type { ContextMessage } from './client-message.ts';
import { type Context, type ContextTurn, createContext, MAX_VOICES } from './context.ts';
import { createContextText } from './context-text.ts';
import {
  brokeOff,
  type ProtocolError,
  tooManyContexts,
  tooManyVoices,
  toProtocolError,
} from './protocol-error.ts';
import type { ServerMessages } from './server-messages.ts';

// Ids of contexts that are over, the last 256: a second close of one is no second end, though it may say that the listener
// was interrupted; and the rest of a text whose beginning was lost is not spoken as if it were whole.

type PastContext = {
  /** `failed`: it broke off, and its client may still be sending what belongs to it. */
  readonly state: 'over' | 'failed';
  /** Its last turn, which may be in the listener's ear. */
  readonly turn: string | undefined;
};

type PastContexts = {
  set(id: string, context: PastContext): void;
  get(id: string): PastContext | undefined;
  /** The id is in use again. */
  forget(id: string): void;
};

const MAX_KEPT = 256;

function createPastContexts(): PastContexts {
  const past = new Map<string, PastContext>();
  return {
    set(id, context) {
      past.delete(id);
      past.set(id, context);
      if (past.size > MAX_KEPT) past.delete(past.keys().next().value!);
    },
    get: (id) => past.get(id),
    forget: (id) => void past.delete(id),
  };
}

export type Contexts = {
  receive(message: ContextMessage): void;
  /** A message of this context could not be read: the rest of it would be spoken with a hole. */
  spoil(id: string, error: ProtocolError): void;
  /** A turn that is to be heard; undefined for one of which nothing may be told any more. */
  turn(id: string): ContextTurn | undefined;
  /** Audio of the turn is sent, from this media position of it on. */
  sounds(turn: ContextTurn, atMs: number): void;
  /** The turn waits for a place at the speech service. */
  waitsForPlace(turn: ContextTurn): void;
  /** A turn that belongs to no context is not to be heard: an agent's greeting. */
  refuse(turn: string): void;
  failed(turn: ContextTurn, event: EventOf<'error'>): void;
  ended(turn: ContextTurn, event: EventOf<'ended'>): void;
  tick(nowMs: number): void;
  /** The client leaves: all contexts end as by a close. */
  closeAll(): void;
  open(): number;
};

type ContextsOptions = {
  readonly sink: Pick<DialectSink, 'carryOut' | 'send' | 'newId'>;
  readonly messages: ServerMessages;
  readonly alignmentClock: AlignmentClock;
  /** A context to which nothing is said for so long ends. */
  readonly idleMs: number;
  /** A context has ended; `failure` says why, when it should not have. */
  readonly onFinal: (failure: ProtocolError | undefined) => void;
};

/** As the vendor has it. */
const MAX_OPEN = 5;
/**
 * A close behind so much audio since the last flush is no end of what was said, but an interruption. Less may be sent while
 * the flush and the close that belong together are on their way: LiveKit and pipecat end a context by both, back to back.
 */
const INTERRUPTED_MS = 500;

export function createContexts(options: ContextsOptions): Contexts {
  const { sink, messages } = options;
  const contexts = new Map<string, Context>();
  const past = createPastContexts();
  /** Turns of open contexts in the order in which they are heard. */
  const turns = new Map<string, ContextTurn>();
  /** Turns to be cancelled as soon as the session is not in the middle of something. */
  const unwanted: string[] = [];

  const sayError = (id: string, error: ProtocolError) => sink.send(messages.error(error, id));
  const sayFlushed = (id: string) => {
    if (messages.flushed !== undefined) sink.send(messages.flushed(id));
  };
  const sayFinal = (id: string, as: PastContext, failure: ProtocolError | undefined) => {
    past.set(id, as);
    sink.send(messages.final(id));
    options.onFinal(failure);
  };
  const fail = (context: Context, failure: ProtocolError) => {
    if (context.failure === undefined) sayError(context.id, failure);
    context.failure ??= failure;
  };
  /** Nothing of the context follows; what is left of it is not spoken. */
  const drop = (context: Context) => {
    contexts.delete(context.id);
    for (const turn of context.turns) {
      turns.delete(turn.id);
      unwanted.push(turn.id);
    }
    const { failure, lastEnded: turn } = context;
    sayFinal(context.id, { state: failure === undefined ? 'over' : 'failed', turn }, failure);
  };
  /** Ends a context that has failed. True while it is there. */
  const survives = (context: Context): boolean => {
    if (contexts.get(context.id) !== context) return false;
    if (context.failure === undefined) return true;
    drop(context);
    return false;
  };
  const cancelUnwanted = () => {
    while (unwanted.length > 0) sink.carryOut({ type: 'cancel', turn: unwanted.shift()! });
  };

  /**
   * Clients that are interrupted close the old context and give their words to another one; none of them takes audio of
   * the old one then.
   */
  const letGoInterrupted = () => {
    for (const context of [...contexts.values()]) if (context.phase === 'interrupted') drop(context);
  };
  const text = createContextText({
    sink,
    onTurn(turn) {
      turns.set(turn.id, turn);
      if (turn.id === turn.context.queue) letGoInterrupted();
    },
    onFailure: fail,
    onFlushed: (context) => sayFlushed(context.id),
  });
  /** What was said is heard to its end. */
  const drain = (context: Context) => {
    text.end(context);
    if (!survives(context)) return;
    context.phase = 'draining';
    if (context.turns.length === 0) drop(context);
  };
  /**
   * What was flushed is heard to its end: "If it has already been set to flush it will continue flushing", says the vendor of
   * `close_context` (API reference of multi-stream-input, CloseContext). Nothing is promised for text that was not.
   */
  const close = (context: Context) => {
    if (context.unflushed === 'text') drop(context);
    else drain(context);
  };
  const closeAlone = (context: Context) => {
    close(context);
    if (context.sentToMs - context.flushedAtMs >= INTERRUPTED_MS) context.phase = 'interrupted';
  };
  const feed = (context: Context, { parts, after }: ContextMessage) => {
    for (const part of parts) {
      text.append(context, part);
      if (!survives(context)) return;
    }
    if (after === 'flush') text.flush(context);
    else if (after === 'end') {
      context.unflushed = 'nothing';
      context.flushedAtMs = context.sentToMs;
      text.end(context);
    } else if (after === 'finish') drain(context);
    else if (after === 'close') closeAlone(context);
    survives(context);
  };

  /** Ends the oldest context that its client has closed, of those before `until`; false when there is none. */
  const letGoOldest = (until?: Context): boolean => {
    for (const context of contexts.values()) {
      if (context === until) return false;
      if (context.phase === 'open') continue;
      drop(context);
      return true;
    }
    return false;
  };
  /** Why no context can be opened with this message, if room cannot be made. */
  const refusal = ({ voices }: ContextMessage): ProtocolError | undefined => {
    if (new Set(voices).size > MAX_VOICES) return tooManyVoices(MAX_VOICES);
    if (contexts.size < MAX_OPEN) return undefined;
    return letGoOldest() ? undefined : tooManyContexts(MAX_OPEN);
  };
  const open = (message: ContextMessage) => {
    const { context: id, after } = message;
    const refused = refusal(message);
    if (refused !== undefined) {
      sayError(id, refused);
      return sayFinal(id, { state: after === 'nothing' ? 'failed' : 'over', turn: undefined }, refused);
    }
    past.forget(id);
    const context = createContext(message, createAligner(options.alignmentClock));
    contexts.set(id, context);
    feed(context, message);
  };
  /** To a context that is not open. */
  const begin = (message: ContextMessage) => {
    const { context: id, opens, after } = message;
    const before = past.get(id);
    if (before?.state === 'failed') {
      // The rest of what was lost; behind its flush or close the id is free.
      if (after !== 'nothing') past.set(id, { ...before, state: 'over' });
    } else if (opens) open(message);
    else if (after !== 'close' && after !== 'finish') return;
    else if (before === undefined) sayFinal(id, { state: 'over', turn: undefined }, undefined);
    else if (before.turn !== undefined) {
      // All of it was sent; what the listener has not heard is cleared.
      past.set(id, { state: 'over', turn: undefined });
      unwanted.push(before.turn);
    }
  };

  return {
    receive(message) {
      cancelUnwanted();
      const context = contexts.get(message.context);
      if (context === undefined) begin(message);
      else if (context.phase === 'open') {
        context.quietSinceMs = undefined;
        feed(context, message);
      } else if (message.after === 'close') drop(context);
      cancelUnwanted();
    },
    spoil(id, error) {
      const context = contexts.get(id);
      if (context !== undefined) {
        fail(context, error);
        survives(context);
      } else if (past.get(id)?.state !== 'failed') {
        sayError(id, error);
        sayFinal(id, { state: 'failed', turn: undefined }, error);
      }
      cancelUnwanted();
    },
    turn: (id) => turns.get(id),
    sounds({ context }, atMs) {
      context.sentToMs = context.baseMs + atMs;
    },
    waitsForPlace({ context }) {
      // What the client has closed before gives up its own, if it has one.
      letGoOldest(context);
      cancelUnwanted();
    },
    refuse: (id) => void unwanted.push(id),
    failed(turn, event) {
      // The session takes no more text for it, but plays what it has: the text goes on in another turn.
      if (event.code === 'turn_ended') turn.text = 'ended';
      else fail(turn.context, toProtocolError(event));
    },
    ended(turn, { outcome, sentMs }) {
      const { context } = turn;
      turns.delete(turn.id);
      context.turns.splice(context.turns.indexOf(turn), 1);
      context.baseMs += sentMs;
      context.lastEnded = turn.id;
      if (outcome !== 'complete' || sentMs === 0) fail(context, brokeOff());
      if (context.failure !== undefined) return drop(context);
      for (; turn.flushesOwed > 0; turn.flushesOwed -= 1) sayFlushed(context.id);
      if (context.phase !== 'open' && context.turns.length === 0) drop(context);
    },
    tick(nowMs) {
      cancelUnwanted();
      for (const context of [...contexts.values()]) {
        context.quietSinceMs ??= nowMs;
        // One of which a failure was told that no end followed does not survive this.
        if (!survives(context) || context.phase !== 'open') continue;
        if (nowMs - context.quietSinceMs >= options.idleMs) drain(context);
      }
      cancelUnwanted();
    },
    closeAll() {
      for (const context of [...contexts.values()]) if (context.phase === 'open') close(context);
      cancelUnwanted();
    },
    open: () => contexts.size,
  };
}
