// Where the next page of a list is (RFC 8288): the list itself stays the plain array that the interface has.

import type { FastifyReply, FastifyRequest } from 'fastify';

export function linkNextPage(request: FastifyRequest, reply: FastifyReply, next: string | undefined): void {
  if (next === undefined) return;
  const path = request.url.split('?', 1)[0]!;
  const query = new URLSearchParams(request.query as Record<string, string>);
  query.set('cursor', next);
  reply.header('Link', `<${path}?${query.toString()}>; rel="next"`);
}
