// A refusal as REST tells it, of the gateway and the engine alike: the status of the error table, the one body of the
// service interface (7), and when to come back.

import type { FastifyReply } from 'fastify';
import { type AppError, toErrorBody } from './app-error.ts';

export function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  if (error.code === 'unauthorized') reply.header('WWW-Authenticate', 'Bearer');
  if (error.retryAfterMs !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))));
  return reply.code(error.http).send(toErrorBody(error));
}
