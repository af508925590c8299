// The origin under which a caller reached us, for the addresses in the reply: the configured one, else that of the
// request itself, since only that caller reads the reply.

import type { FastifyRequest } from 'fastify';

export const reachedOrigin = (
  { protocol, headers }: Pick<FastifyRequest, 'protocol' | 'headers'>,
  publicUrl: string | undefined,
): string => publicUrl?.replace(/\/+$/, '') ?? `${protocol}://${headers.host}`;
