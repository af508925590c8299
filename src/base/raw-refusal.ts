// A refusal as the bytes of an HTTP/1.1 answer, for sockets without a response object: upgrades, and requests that
// could not be read. The connection ends with it.

import { STATUS_CODES } from 'node:http';
import { type AppError, toErrorBody } from './app-error.ts';

/** `status` differs from the code's own where HTTP has a narrower one (431 for a header that is too large). */
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
