// Why a session could not be had, is over, or did not do what it was told: one class, so that a program has one place to look.

import { ERROR_CODES } from './messages.ts';

export type SessionErrorFacts = {
  readonly code: string;
  readonly isRetryable: boolean;
  readonly closeCode?: number | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

export class SessionError extends Error {
  override readonly name = 'SessionError';
  /**
   * As in docs/errors.md (`unauthorized`, `slow_reader` …) where the gateway named one, else `unreachable` (there was no
   * connection), `refused` (something between refused it) or `connection_closed`.
   */
  readonly code: string;
  /** The same call may succeed later without a change. */
  readonly isRetryable: boolean;
  /** Of the WebSocket, when a connection was closed. */
  readonly closeCode: number | undefined;
  /** HTTP status, when the upgrade was refused. */
  readonly status: number | undefined;
  /** Milliseconds after which trying again makes sense, when that is known. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: SessionErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.isRetryable = facts.isRetryable;
    this.closeCode = facts.closeCode;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Closes that are the client's own fault, or somebody's decision (RFC 6455 7.4.1); of our own the reason names the code. */
const FINAL_CLOSES = new Set([1002, 1003, 1007, 1008, 1009, 1010]);
/** Of the network, or of a gateway that is being started. */
const PASSING = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE'],
  ...['UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
]);
const CLIENTS_TO_SLOW_DOWN = 429;

/** Whether the gateway's `code` may pass; undefined when it has no such code. */
const mayPass = (code: string | undefined): boolean | undefined =>
  code !== undefined && Object.hasOwn(ERROR_CODES, code)
    ? ERROR_CODES[code as keyof typeof ERROR_CODES]
    : undefined;

/**
 * Whether the same call may succeed later without a change, from what is known of its end: a code of docs/errors.md goes before the
 * status of a reply, that before a close code, and that before what the system calls a fault of the connection.
 */
export function mayTryAgain(end: {
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly closeCode?: number | undefined;
  readonly systemCode?: string | undefined;
}): boolean {
  const { status, closeCode, systemCode } = end;
  const told = mayPass(end.code);
  if (told !== undefined) return told;
  if (status !== undefined) return status === CLIENTS_TO_SLOW_DOWN || status >= 500;
  if (closeCode !== undefined) return !FINAL_CLOSES.has(closeCode);
  return systemCode !== undefined && PASSING.has(systemCode);
}

type Cause = { readonly code?: unknown; readonly cause?: unknown };
const MAX_CAUSES = 8;
/** `fault`, what caused it, and what caused that. */
function causesOf(fault: unknown): Cause[] {
  const causes: Cause[] = [];
  let at = fault as Cause | undefined;
  while (typeof at === 'object' && at !== null && causes.length < MAX_CAUSES) {
    causes.push(at);
    at = at.cause as Cause | undefined;
  }
  return causes;
}

/** What the system calls the fault of a connection, in `fault` itself or what has caused it. */
export const systemCodeOf = (fault: unknown): string | undefined =>
  causesOf(fault)
    .map(({ code }) => code)
    .find((code) => typeof code === 'string');

/** The connection was closed by the other side, or broke (1006). */
export function closedError(closeCode: number, reason: string, cause?: unknown): SessionError {
  const [named = ''] = reason.split(/[:\s]/, 1);
  const code = mayPass(named) === undefined ? undefined : named;
  const words = reason === '' ? String(closeCode) : `${closeCode}, ${reason}`;
  return new SessionError(`The gateway closed the connection (${words}).`, {
    code: code ?? 'connection_closed',
    isRetryable: mayTryAgain({ code, closeCode }),
    closeCode,
    cause,
  });
}

/** `errorId` is the gateway's; undefined when something between answered. */
export function refusedError(
  words: string,
  told: {
    by: 'gateway' | 'another';
    status: number;
    errorId: string | undefined;
    retryAfterMs: number | undefined;
  },
): SessionError {
  const { by, status, errorId, retryAfterMs } = told;
  const message =
    by === 'gateway' ? `The gateway refused the session: ${words}` : `The session was refused: ${words}.`;
  const code = errorId?.toLowerCase();
  return new SessionError(message, {
    code: code ?? 'refused',
    isRetryable: mayTryAgain({ code, status }),
    status,
    retryAfterMs,
  });
}

export const unreachableError = (fault: Error): SessionError =>
  new SessionError(fault.message, {
    code: 'unreachable',
    isRetryable: mayTryAgain({ systemCode: systemCodeOf(fault) }),
    cause: fault.cause ?? fault,
  });

/** The connection was lost, and there was no way back for as long as the session was kept. */
export const lostError = (forMs: number, last: SessionError): SessionError =>
  new SessionError(
    `The connection was lost and did not come back within ${forMs / 1000} s, for which the gateway keeps the session; ${last.message}`,
    { code: 'session_gone', isRetryable: true, cause: last },
  );

export const closedHere = (): SessionError =>
  new SessionError('The session is closed.', { code: 'connection_closed', isRetryable: true });

export const foreignMessage = (): SessionError =>
  new SessionError(
    'What came is no message of the protocol voxgate.v1; check the address, and the versions at both ends.',
    { code: 'refused', isRetryable: false },
  );

export const tooLarge = (bytes: number, mostBytes: number): SessionError =>
  new SessionError(`The message has ${bytes} bytes, of ${mostBytes} at most; send less at a time.`, {
    code: 'payload_too_large',
    isRetryable: false,
  });

export const tooMuchWaits = (mostBytes: number): SessionError =>
  new SessionError(
    `More than ${mostBytes / 2 ** 20} MiB of messages wait to be acknowledged; send less until the connection is back.`,
    { code: 'too_much_unacknowledged', isRetryable: true },
  );
