// Every refusal of the engine in the one documented shape, `{errorMessage, errorId}`: ours, the HTTP framework's
// and those of the HTTP parser, which answers before any route exists.

import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { AppError, type ErrorCode, toAppError, toErrorBody } from '../base/app-error.ts';

/** The framework's own errors (fastify, "Errors"), in our words. */
const FRAMEWORK: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The body must be sent as Content-Type: application/json.',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body must be at most 256 KiB.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty; it must be a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'Content-Length and the length of the body differ.',
  ],
  FST_ERR_BAD_URL: ['invalid_request', 'The request path is not a valid URL path.'],
};

export function fromFramework(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? FRAMEWORK[code] : undefined;
  if (known !== undefined) return new AppError(known[0], known[1]);
  // The JSON parser and rarer checks of the framework: a client's mistake, whatever its wording.
  if (statusCode === 400) return new AppError('invalid_json', 'The body is not valid JSON.');
  return toAppError(thrown);
}

export function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  if (error.code === 'unauthorized') reply.header('WWW-Authenticate', 'Bearer');
  if (error.retryAfterMs !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))));
  return reply.code(error.http).send(toErrorBody(error));
}

const PARSER_STATUS: Readonly<Record<string, readonly [string, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large.'],
};

/** Answers bytes that are not HTTP on the bare socket, and closes it. */
export function answerBadHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, message] = PARSER_STATUS[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP.',
  ];
  const body = JSON.stringify(toErrorBody(new AppError('invalid_request', message)));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
