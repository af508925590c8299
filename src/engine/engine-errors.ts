// How the engine tells a refusal: the one documented shape, `{errorMessage, errorId}`, and its headers.

import type { FastifyReply } from 'fastify';
import { type AppError, toErrorBody } from '../base/app-error.ts';

export function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  if (error.code === 'unauthorized') reply.header('WWW-Authenticate', 'Bearer');
  if (error.retryAfterMs !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))));
  return reply.code(error.http).send(toErrorBody(error));
}
