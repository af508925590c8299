// What the gateway says to a client of this protocol. Every message has every field that the strictest client insists
// on, `context_id` always among them; what we tell beyond the vendor's own fields is passed over by all of them.

import { ERROR_TABLE, type ErrorCode } from '../../base/app-error.ts';
import { renamedMessage } from '../field-names.ts';
import type { EventOf } from '../native-events.ts';

/** `status_code` of what more follows on, and of the end. */
export const PARTIAL = 206;
export const COMPLETE = 200;

/** Audio, built without a detour over an object: this is the hot path. */
export const chunkMessage = (contextId: string, flushId: number, sound: Buffer): string =>
  `{"type":"chunk","data":"${sound.toString('base64')}","done":false,"status_code":${PARTIAL},"step_time":0,"context_id":${JSON.stringify(contextId)},"flush_id":${flushId}}`;

/** Times are seconds from the first sample. */
export const wordTimestamps = (
  words: readonly { readonly text: string; readonly startMs: number; readonly endMs: number }[],
) => ({
  words: words.map(({ text }) => text),
  start: words.map(({ startMs }) => startMs / 1000),
  end: words.map(({ endMs }) => endMs / 1000),
});

export const timestampsMessage = (
  contextId: string,
  flushId: number,
  words: EventOf<'caption'>['words'],
): string =>
  JSON.stringify({
    type: 'timestamps',
    done: false,
    status_code: PARTIAL,
    context_id: contextId,
    flush_id: flushId,
    word_timestamps: wordTimestamps(words),
  });

export const flushDoneMessage = (contextId: string, flushId: number): string =>
  JSON.stringify({
    type: 'flush_done',
    flush_done: true,
    flush_id: flushId,
    done: false,
    status_code: PARTIAL,
    context_id: contextId,
  });

/** Why a context cannot begin yet, or go on. */
export type Waiting = Pick<EventOf<'queued'>, 'reason' | 'position' | 'etaMs' | 'atMs'>;

/** From where on another speech service speaks. */
export type Switched = Pick<EventOf<'switched'>, 'from' | 'to' | 'atMs' | 'reason'>;

/** A flush that is not done: clients pass over it, and their timers begin anew. */
export const keepAliveMessage = (
  contextId: string,
  { waiting, switched }: { readonly waiting?: Waiting; readonly switched?: Switched } = {},
): string =>
  JSON.stringify({
    type: 'flush_done',
    flush_done: false,
    flush_id: 0,
    done: false,
    status_code: PARTIAL,
    context_id: contextId,
    ...(waiting && {
      queued: {
        reason: waiting.reason,
        position: waiting.position,
        eta_ms: waiting.etaMs,
        at_ms: waiting.atMs,
      },
    }),
    ...(switched && {
      switched: {
        from: switched.from,
        to: switched.to,
        at_ms: switched.atMs,
        reason: switched.reason,
      },
    }),
  });

export const doneMessage = (contextId: string): string =>
  JSON.stringify({ type: 'done', done: true, status_code: COMPLETE, context_id: contextId });

/** The one answer to a cancel; without `heard` nothing of the context has been. */
export const cancelledMessage = (contextId: string, heard: EventOf<'heard'> | undefined): string =>
  JSON.stringify({
    type: 'done',
    done: true,
    status_code: COMPLETE,
    context_id: contextId,
    cancelled: true,
    audio_played_ms: heard?.playedMs ?? 0,
    text_spoken: heard?.spokenText ?? '',
    ...(heard && { text_remaining: heard.remainingText }),
  });

/** What this protocol calls our fields. */
export const FIELD_NAMES = { text: 'transcript', model: 'model_id' } as const;

export type Failure = Pick<EventOf<'error'>, 'code' | 'message' | 'retryable' | 'retryAfterMs'>;

/** Clients take an error that says `done` for the end of whatever they wait for. */
export type ErrorReach = 'ends-context' | 'ends-nothing';

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_TABLE, code);

/**
 * Clients try again after 5xx only and take 4xx for an empty answer, so what will pass is never told as 4xx; and a voice
 * that the speech service does not know, or the like, is always.
 */
const statusOf = ({ code, retryable }: Failure): number => {
  if (code === 'upstream_rejected') return retryable ? 503 : 422;
  const status = isErrorCode(code) ? ERROR_TABLE[code].http : 500;
  return retryable && status < 500 ? 503 : status;
};

/** How a failure is called; by default after its code. */
export type FailureName = { readonly code: string; readonly title: string };

/** Cartesia's own words for it; its 429 would be taken for an answer without audio. */
export const TOO_MANY_CONTEXTS: FailureName = {
  code: 'concurrency_limited',
  title: 'Too many concurrent requests',
};

const nameOf = (code: string): FailureName => {
  const words = code.replaceAll('_', ' ');
  return { code, title: words.charAt(0).toUpperCase() + words.slice(1) };
};

/** The shape that versions before 2026-03 read (`error`) and the present one (`title`, `message`) in one. */
export const errorMessage = (
  contextId: string,
  reach: ErrorReach,
  failure: Failure,
  requestId: string,
  name = nameOf(failure.code),
): string => {
  const message = renamedMessage(failure.message, FIELD_NAMES);
  return JSON.stringify({
    type: 'error',
    done: reach === 'ends-context',
    error: message,
    title: name.title,
    message,
    error_code: name.code,
    request_id: requestId,
    status_code: statusOf(failure),
    context_id: contextId,
    retryable: failure.retryable,
    ...(failure.retryAfterMs !== undefined && { retry_after_ms: failure.retryAfterMs }),
  });
};
