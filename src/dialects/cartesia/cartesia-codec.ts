// One connection of Cartesia's protocol as commands to the session and messages to the client. A context has exactly one
// terminal message, `done` or an ending `error`, and nothing of it follows; whatever the session says of a context that
// is over stays here.

import { AppError, type ErrorCode } from '../../base/app-error.ts';
import type { DialectAudio, DialectCodec, DialectSink } from '../dialect.ts';
import { errorEvent } from '../error-event.ts';
import type { EventOf, ServerEvent } from '../native-events.ts';
import type { CommandOf } from '../native-messages.ts';
import { type CartesiaContext, createCartesiaContexts } from './cartesia-contexts.ts';
import {
  cancelledMessage,
  chunkMessage,
  doneMessage,
  errorMessage,
  type Failure,
  type FailureName,
  flushDoneMessage,
  keepAliveMessage,
  TOO_MANY_CONTEXTS,
  timestampsMessage,
} from './cartesia-messages.ts';
import { readCartesiaOpening } from './cartesia-opening.ts';
import { createCartesiaPastIds } from './cartesia-past-ids.ts';
import { type CartesiaRequest, readCartesiaRequest } from './cartesia-request.ts';
import { floatSamples } from './float-samples.ts';

type Generate = Extract<CartesiaRequest, { kind: 'generate' }>;
type Refused = Extract<CartesiaRequest, { kind: 'refused' }>;

/** Clients wait 10 s for a message at most; this leaves room for a slow network. */
const QUIET_MS = 2000;
/** Failures of a session after which its connection is closed. */
const FATAL: ReadonlySet<string> = new Set<ErrorCode>([
  'rate_limited',
  'idle_timeout',
  'internal',
  'slow_reader',
]);
/** The session would wait a second for more of the sentence; a caller that gathers sentences itself has none. */
const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*\s*$/;

const isBlank = (text: string): boolean => text.trim() === '';
const failure = (code: ErrorCode, message: string): Failure => errorEvent(new AppError(code, message));

export function createCartesiaCodec({ newId, carryOut, send }: DialectSink): DialectCodec {
  const contexts = createCartesiaContexts();
  const pastIds = createCartesiaPastIds();
  let requestId = '';
  let mostContexts = Number.POSITIVE_INFINITY;
  let captions: 'off' | 'words' = 'off';
  /** The turn that is being opened. */
  let opening: string | undefined;

  const say = (context: CartesiaContext, message: string) => {
    context.quietSinceMs = undefined;
    send(message);
  };
  const done = (context: CartesiaContext) => {
    context.phase = 'over';
    pastIds.free(context.id);
    send(doneMessage(context.id));
  };
  const breakOff = (context: CartesiaContext) => {
    context.phase = 'over';
    if (context.input === 'open') pastIds.hold(context.id, context.firstText);
    else pastIds.free(context.id);
  };
  const fail = (context: CartesiaContext, failed: Failure, name?: FailureName) => {
    breakOff(context);
    send(errorMessage(context.id, 'ends-context', failed, requestId, name));
  };
  /** A context whose turn has not ended by itself takes it along. */
  const dropTurn = (context: CartesiaContext) => {
    if (!context.hasEnded) carryOut({ type: 'cancel', turn: context.turn });
    contexts.forget(context);
  };

  const cancel = (contextId: string, playedMs: number | undefined) => {
    const context = contexts.find(contextId);
    if (context === undefined) return;
    const isOpen = context.phase === 'open';
    if (isOpen) context.phase = 'ending';
    carryOut({ type: 'cancel', turn: context.turn, ...(playedMs !== undefined && { playedMs }) });
    contexts.forget(context);
    if (!isOpen) return;
    breakOff(context);
    send(cancelledMessage(context.id, context.heard));
  };

  /** Nothing to speak under an id that nothing was spoken under: clients wait for the answer all the same. */
  const answerEmpty = ({ contextId, isFlush, input }: Generate) => {
    if (pastIds.has(contextId)) return;
    if (isFlush) send(flushDoneMessage(contextId, 1));
    if (input === 'goes-on') return;
    pastIds.free(contextId);
    send(doneMessage(contextId));
  };

  const open = (request: Generate): CartesiaContext | undefined => {
    const { contextId, transcript, message } = request;
    const read = readCartesiaOpening(message);
    if (!read.ok) {
      pastIds.hold(contextId, transcript);
      send(errorMessage(contextId, 'ends-context', failure('invalid_request', read.message), requestId));
      return undefined;
    }
    const { fields, samples } = read.opening;
    if (captions !== read.opening.captions) {
      captions = read.opening.captions;
      carryOut({ type: 'configure', captions });
    }
    const context = contexts.add({ id: contextId, turn: newId(), samples, firstText: transcript });
    pastIds.forget(contextId);
    opening = context.turn;
    append(context, { type: 'append', turn: context.turn, text: transcript, ...fields });
    opening = undefined;
    const goesOn = request.input === 'goes-on' && !request.isFlush && context.phase === 'open';
    if (goesOn && read.opening.begin === 'at-once' && SENTENCE_END.test(transcript)) {
      context.flushes.askOwn();
      carryOut({ type: 'flush', turn: context.turn });
    }
    return context;
  };
  const append = (context: CartesiaContext, command: CommandOf<'append'>) => {
    // Contexts are heard side by side, as the vendor's are: one that its client has merely left keeps no other waiting.
    carryOut(command, context.turn);
    // Text that was refused is missing in what would follow.
    if (context.phase === 'over' && !context.hasEnded) dropTurn(context);
  };
  const goOn = (context: CartesiaContext, { transcript }: Generate) => {
    if (context.input === 'open') {
      if (transcript !== '') append(context, { type: 'append', turn: context.turn, text: transcript });
    } else if (context.input === 'ended' && !isBlank(transcript)) tellTextEnded(context);
  };
  /** Once, and what was given before is spoken all the same. */
  const tellTextEnded = (context: CartesiaContext) => {
    context.input = 'ended-and-told';
    const ended = failure('turn_ended', 'The text of this context has ended; use another id.');
    say(context, errorMessage(context.id, 'ends-nothing', ended, requestId));
  };

  const flush = (context: CartesiaContext) => {
    const asked = context.flushes.ask();
    if (asked === 'taken') carryOut({ type: 'flush', turn: context.turn });
    if (asked !== 'full') return;
    const full = failure('text_full', 'Too many flushes of this context wait for their answer.');
    say(context, errorMessage(context.id, 'ends-nothing', full, requestId));
  };

  const generate = (request: Generate) => {
    let context = contexts.find(request.contextId);
    if (context?.phase === 'open') goOn(context, request);
    else if (pastIds.takesRest(request)) return;
    else if (isBlank(request.transcript)) return answerEmpty(request);
    else context = open(request);
    const endsText = request.input !== 'goes-on';
    if (context?.phase !== 'open') {
      if (endsText) pastIds.free(request.contextId);
      return;
    }
    if (context.input !== 'open') return;
    if (request.isFlush) flush(context);
    if (!endsText || context.phase !== 'open') return;
    context.input = 'ended';
    carryOut({ type: 'end', turn: context.turn });
  };

  const refuse = ({ contextId, input, code, message }: Refused) => {
    const isNobodys = contextId === '' || contexts.find(contextId)?.phase === 'open';
    if (!isNobodys) {
      if (input !== 'whole' && pastIds.takesRest({ contextId, transcript: '', input })) return;
      if (input === 'goes-on') pastIds.hold(contextId, '');
      else pastIds.free(contextId);
    }
    const reach = isNobodys ? 'ends-nothing' : 'ends-context';
    send(errorMessage(contextId, reach, failure(code, message), requestId));
  };

  const onError = (event: EventOf<'error'>) => {
    const { turn } = event;
    if (turn === undefined) return onSessionError(event);
    const context = contexts.ofTurn(turn);
    if (context?.phase !== 'open') return;
    // It waited so long for text that the session took it to have ended.
    if (event.code === 'turn_ended') tellTextEnded(context);
    else fail(context, event, isOneTooMany(event) ? TOO_MANY_CONTEXTS : undefined);
  };
  /** A gateway that is busy with others is called so. */
  const isOneTooMany = ({ turn, code }: EventOf<'error'>) =>
    opening === turn && code === 'busy' && contexts.open().length > mostContexts;
  const onSessionError = (event: EventOf<'error'>) => {
    if (!FATAL.has(event.code)) send(errorMessage('', 'ends-nothing', event, requestId));
    // A client that waits for an answer gets the reason; one that waits for nothing sees the connection close.
    else for (const context of contexts.open()) fail(context, event);
  };

  const onEnded = (context: CartesiaContext, outcome: EventOf<'ended'>['outcome']) => {
    context.hasEnded = true;
    if (context.phase === 'open') {
      if (outcome === 'complete') done(context);
      else fail(context, failure('internal', 'The context ended early, for a reason that was not told.'));
    }
    if (!context.hasStarted && context.phase === 'over') contexts.forget(context);
  };
  const onHeard = (context: CartesiaContext, event: EventOf<'heard'>) => {
    if (context.phase === 'ending') context.heard = event;
    else contexts.forget(context);
  };

  const onTurnEvent = (context: CartesiaContext, event: ServerEvent) => {
    if (event.type === 'ended') onEnded(context, event.outcome);
    else if (event.type === 'heard') onHeard(context, event);
    else if (event.type === 'started') context.hasStarted = true;
    else if (context.phase !== 'open') return;
    else if (event.type === 'queued') say(context, keepAliveMessage(context.id, { waiting: event }));
    else if (event.type === 'switched') say(context, keepAliveMessage(context.id, { switched: event }));
    else if (event.type === 'caption')
      say(context, timestampsMessage(context.id, context.flushes.number(), event.words));
    else if (event.type === 'flushed') onFlushed(context);
  };
  const onFlushed = (context: CartesiaContext) => {
    const number = context.flushes.answered();
    if (number !== undefined) say(context, flushDoneMessage(context.id, number));
  };

  return {
    receive(frame) {
      const request = readCartesiaRequest(frame);
      if (request.kind === 'cancel') return cancel(request.contextId, request.playedMs);
      if (request.kind === 'generate') return generate(request);
      refuse(request);
    },
    event(event) {
      if (event.type === 'ready') {
        requestId = event.session;
        mostContexts = event.limits.turnsInFlight;
      } else if (event.type === 'error') onError(event);
      else if ('turn' in event) {
        const context = contexts.ofTurn(event.turn);
        if (context !== undefined) onTurnEvent(context, event);
      }
    },
    audio({ turn, bytes }: DialectAudio) {
      const context = contexts.ofTurn(turn);
      if (context?.phase !== 'open') return;
      const sound =
        context.samples === 'float32'
          ? floatSamples(bytes)
          : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      say(context, chunkMessage(context.id, context.flushes.number(), sound));
    },
    tick(nowMs) {
      pastIds.tick(nowMs);
      for (const context of contexts.open()) {
        context.quietSinceMs ??= nowMs;
        if (nowMs - context.quietSinceMs < QUIET_MS) continue;
        context.quietSinceMs = nowMs;
        send(keepAliveMessage(context.id));
      }
    },
  };
}
