// Every failure a caller can meet, in one table: HTTP status, WebSocket close code, whether trying again
// can help, and how far it reaches. docs/errors.md is tested against this table both ways.
// Messages say what happened and, behind a semicolon, what to do; they never hold a key or spoken text.

import { type StorageFault, storageFaultOf } from './storage-fault.ts';

type Row = {
  /** HTTP status when the failure answers a request or an upgrade. */
  readonly http: number;
  /** WebSocket close code when the failure ends a connection (RFC 6455 7.4; 4000–4999 are our own). */
  readonly close: number;
  /** True when the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** What the failure ends: one turn, or the whole session or request. */
  readonly scope: 'turn' | 'session';
  /** What helps, for messages that do not say so themselves; undefined where each names the field and what is allowed there. */
  readonly remedy: string | undefined;
  /** The `errorId` of a REST reply, where the service interface fixes it; else the code in capitals. */
  readonly errorId?: string;
};

const row = (http: number, close: number, retryable: boolean, scope: Row['scope'], remedy?: string): Row => ({
  http,
  close,
  retryable,
  scope,
  remedy,
});

export const ERROR_TABLE = {
  // Input: what the caller sent cannot be used as it is.
  invalid_json: row(400, 1007, false, 'session'),
  invalid_request: row(400, 1008, false, 'session'),
  unknown_type: row(400, 1008, false, 'session'),
  unexpected_binary: row(415, 1003, false, 'session', 'send text frames'),
  payload_too_large: row(413, 1009, false, 'session', 'send less at a time'),
  unsupported: row(501, 1008, false, 'session', 'do without it'),
  not_found: row(404, 4404, false, 'session', 'check the address and the ids in it'),
  upgrade_required: row(426, 1002, false, 'session', 'connect as a WebSocket'),
  method_not_allowed: row(405, 1008, false, 'session', 'use one of them'),
  unsupported_media_type: row(415, 1003, false, 'session'),
  invalid_source: row(422, 1008, false, 'session', 'take another file, or save this one as another kind'),
  address_refused: row(422, 1008, false, 'session', 'give an http or https address of the open internet'),
  address_unreachable: row(
    502,
    1011,
    true,
    'session',
    'check that it can be reached from outside, and try again',
  ),

  // Access.
  unauthorized: row(
    401,
    4401,
    false,
    'session',
    'send Authorization: Bearer with a valid key, or get another token',
  ),
  forbidden: row(403, 4403, false, 'session', 'connect to 127.0.0.1 directly, or set VOXGATE_API_KEYS'),

  // A turn's life.
  turn_open: row(409, 1008, false, 'turn', 'choose another id for a new turn'),
  turn_ended: row(409, 1008, false, 'turn', 'choose another id'),
  unknown_turn: row(404, 1008, false, 'turn', 'check the id, only speak and append open a turn'),
  text_full: row(429, 1013, true, 'turn', 'send the same again after the time given'),
  marks_full: row(429, 1013, true, 'turn', 'send it again when some have come back'),
  text_too_long: row(413, 1009, false, 'turn', 'split it into turns, or append it in pieces'),
  credit_timeout: row(408, 4408, false, 'turn', 'send played while the listener hears the turn'),
  pause_timeout: row(408, 4408, false, 'turn', 'resume in time, or speak the rest in a new turn'),
  cannot_seek: row(409, 1008, false, 'turn', 'speak the paragraph in a new turn'),
  leg_not_found: row(
    404,
    4404,
    true,
    'session',
    'check the id and that the call reaches this gateway, and attach again',
  ),
  leg_taken: row(409, 1008, false, 'session', 'detach it first'),
  leg_codec: row(415, 4415, false, 'session', 'ask the platform for another codec'),
  leg_gone: row(410, 1011, false, 'turn', 'speak again when another call is attached'),
  leg_unreachable: row(
    502,
    1011,
    true,
    'session',
    'check VOXGATE_ASTERISK_URL, and that Asterisk answers there',
  ),

  // Capacity and time.
  busy: row(503, 4503, true, 'turn', 'try again later'),
  rate_limited: row(429, 4429, true, 'session', 'send larger pieces, or less'),
  connection_limit: row(429, 4429, true, 'session', 'close one, or come back later'),
  idle_timeout: row(408, 4408, true, 'session', 'open a session when it is needed'),
  slow_reader: row(408, 4508, true, 'session', 'read as fast as it is heard, and open a new session'),
  shutting_down: row(503, 1012, true, 'session', 'connect again, another instance answers'),
  session_gone: row(410, 4410, false, 'session', 'open a new session'),
  session_taken: row(409, 4409, false, 'session', 'go on with the newer connection'),
  ended_by_operator: row(410, 4410, false, 'session', 'ask the operator before you connect again'),

  // Jobs, PlayNotes and agents.
  active_generation: {
    ...row(403, 4403, true, 'session', 'wait for its end, or delete it'),
    errorId: 'UNAUTHORIZED',
  }, // interface 7
  too_many: row(429, 4429, true, 'session', 'wait for some of them, or delete them'),
  storage_full: row(507, 4507, false, 'session', 'delete jobs and PlayNotes that are no longer needed'), // the user's room: it helps to delete files
  insufficient_storage: row(507, 4507, true, 'session', 'try again later'), // the disk: it helps to wait
  storage_unavailable: row(503, 1013, true, 'session', 'try again later'),
  idempotency_conflict: row(422, 1008, false, 'session', 'take a new key for each new request'),
  range_not_satisfiable: row(416, 1008, false, 'session', 'ask for a range within it'),
  interrupted: row(500, 1011, true, 'session', 'ask for it again'),
  script_failed: row(502, 1011, true, 'session', 'try again later'),

  // The upstream speech service.
  upstream_unreachable: row(
    502,
    1011,
    true,
    'turn',
    'try again, the operator checks VOXGATE_UPSTREAM_URL and the service',
  ),
  upstream_timeout: row(504, 1011, true, 'turn', 'try again, the operator looks at the service'),
  upstream_rejected: row(502, 1011, false, 'turn', 'check voice and fields'),
  upstream_unauthorized: row(502, 1011, false, 'turn', 'the operator checks VOXGATE_UPSTREAM_KEYS'),
  upstream_rate_limited: row(503, 1013, true, 'turn', 'come back later, the operator may add keys'),
  upstream_bad_audio: row(502, 1011, true, 'turn', 'try again, the operator looks at the service'),
  upstream_broken: row(502, 1011, true, 'turn', 'speak the rest again, heard tells which it is'),

  // The embedded engine.
  engine_unavailable: row(503, 1013, true, 'session', 'try again later, the log has the cause'),

  internal: row(500, 1011, true, 'session', 'the log has the cause, please report it'),
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** What happened; what to do. The second half is that of the table unless the message has one of its own. */
function inFull(code: ErrorCode, message: string): string {
  const { remedy } = ERROR_TABLE[code] as Row;
  return remedy === undefined || message.includes(';')
    ? message
    : `${message.replace(/\.$/, '')}; ${remedy}.`;
}

/** A failure with a code from the table. Callers match on `code`, never on the message. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** Milliseconds after which trying again makes sense, when that is known. */
  readonly retryAfterMs: number | undefined;
  /** The field of a request that is wrong, for protocols that tell it beside the message; '' or undefined: none. */
  readonly field: string | undefined;
  /** It is a limit of that speech service: another one may do it. */
  readonly isLimit: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number; field?: string; isLimit?: boolean } = {},
  ) {
    super(inFull(code, message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.field = options.field;
    this.isLimit = options.isLimit === true;
  }

  get http(): number {
    return ERROR_TABLE[this.code].http;
  }

  get retryable(): boolean {
    return ERROR_TABLE[this.code].retryable;
  }
}

/** The REST error body of the service interface: `errorMessage` for people, `errorId` for programs. */
export type ErrorBody = { readonly errorMessage: string; readonly errorId: string };

export const toErrorBody = (error: AppError): ErrorBody => ({
  errorMessage: error.message,
  errorId: (ERROR_TABLE[error.code] as Row).errorId ?? error.code.toUpperCase(),
});

const STOPPING_RETRY_MS = 1000;

/** For new requests to an instance that is about to stop. */
export const aboutToStop = (): AppError =>
  new AppError('shutting_down', 'The gateway is about to stop; try another instance.', {
    retryAfterMs: STOPPING_RETRY_MS,
  });

const STORAGE_RETRY_MS = 30_000;
const STORAGE_ERRORS: Readonly<Record<StorageFault, readonly [ErrorCode, string]>> = {
  full: [
    'insufficient_storage',
    'The disk of this service is full. What was accepted is made when there is room; try again later.',
  ],
  unavailable: ['storage_unavailable', 'The data folder cannot be written at present; try again later.'],
};

/** The disk is full or cannot be written: the same words wherever that is noticed. */
export function storageError(fault: StorageFault, cause?: unknown): AppError {
  const [code, message] = STORAGE_ERRORS[fault];
  return new AppError(code, message, { cause, retryAfterMs: STORAGE_RETRY_MS });
}

export const isStorageError = ({ code }: AppError): boolean =>
  code === 'insufficient_storage' || code === 'storage_unavailable';

/** Anything thrown becomes an AppError; what is not ours is `internal`, with the cause kept for the log. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError && thrown.code !== 'internal') return thrown;
  const fault = storageFaultOf(thrown);
  if (fault !== undefined) return storageError(fault, thrown);
  return thrown instanceof AppError
    ? thrown
    : new AppError('internal', 'Something went wrong inside Voxgate; the log has the cause.', {
        cause: thrown,
      });
}
