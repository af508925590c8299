// The answer to bytes that the HTTP parser refused: they never became a request, so there is no reply to send it by.

import type { Socket } from 'node:net';
import { AppError } from './app-error.ts';
import { rawRefusal } from './raw-refusal.ts';

const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come to its end in time.'],
};
const NOT_HTTP = [400, 'The request is not valid HTTP.'] as const;

/** Answers on the bare socket, and closes it. */
export function refuseUnreadable(fault: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || fault.code === 'ECONNRESET') return void socket.destroy();
  const [status, message] = REFUSALS[fault.code ?? ''] ?? NOT_HTTP;
  socket.end(rawRefusal(new AppError('invalid_request', message), status));
}
