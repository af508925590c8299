// The origin under which a caller reached us, for the addresses in his reply: the configured one, else that of his own
// request, which nobody but him reads.

import type { FastifyRequest } from 'fastify';

export const reachedOrigin = (
  { protocol, headers }: Pick<FastifyRequest, 'protocol' | 'headers'>,
  publicUrl: string | undefined,
): string => publicUrl?.replace(/\/+$/, '') ?? `${protocol}://${headers.host}`;
