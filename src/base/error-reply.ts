// How a refusal is sent, by the gateway and the engine alike: the status of the error table, the one body of the service
// interface (7), and when to retry; as a reply, and as bytes for sockets without a response object.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { AppError, type ErrorCode, toErrorBody } from './app-error.ts';

const errors = new WeakMap<FastifyReply, ErrorCode>();

/** For the log: what the reply refuses its caller with. */
export const errorOf = (reply: FastifyReply): ErrorCode | undefined => errors.get(reply);
export const noteError = (reply: FastifyReply, { code }: AppError): void => void errors.set(reply, code);

export function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  noteError(reply, error);
  if (error.code === 'unauthorized') reply.header('WWW-Authenticate', 'Bearer');
  if (error.retryAfterMs !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))));
  return reply.code(error.http).send(toErrorBody(error));
}

/**
 * For upgrades and requests that could not be read; the connection ends with it. `status` differs from the code's own
 * where HTTP has a narrower one (431 for a header that is too large).
 */
export function rawRefusal(
  error: AppError,
  status: number = error.http,
  headers: Readonly<Record<string, string>> = {},
): string {
  const body = JSON.stringify(toErrorBody(error));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (error.retryAfterMs !== undefined) lines.push(`Retry-After: ${Math.ceil(error.retryAfterMs / 1000)}`);
  if (error.code === 'unauthorized') lines.push('WWW-Authenticate: Bearer');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

// Bytes that the HTTP parser refused never became a request, so there is no reply to answer them by.
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come to its end in time.'],
};
const NOT_HTTP = [400, 'The request is not valid HTTP.'] as const;

/** Answers bytes that were no request on their socket, and closes it. */
export function refuseUnreadable(fault: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || fault.code === 'ECONNRESET') return void socket.destroy();
  const [status, message] = REFUSALS[fault.code ?? ''] ?? NOT_HTTP;
  socket.end(rawRefusal(new AppError('invalid_request', message), status));
}
