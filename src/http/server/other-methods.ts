// A path that there is, with a method that it has not: 405 with `Allow`, for paths with parameters too, which the
// framework answers like a path that there is not.

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError } from '../../base/app-error.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Watches the routes added to `api` from here on; `close` adds the refusals for the methods that were left out. */
export function refuseOtherMethods(api: FastifyInstance): { close(): void } {
  const allowed = new Map<string, Set<string>>();
  let phase: 'watching' | 'closed' = 'watching';
  api.addHook('onRoute', ({ url, method }) => {
    if (phase === 'closed') return;
    const methods = allowed.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    if (methods.has('GET')) methods.add('HEAD');
    allowed.set(url, methods);
  });
  return {
    close() {
      phase = 'closed';
      for (const [url, methods] of allowed) {
        const others = METHODS.filter((method) => !methods.has(method));
        const allow = [...methods].sort().join(', ');
        const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
          reply.header('Allow', allow);
          throw new AppError('method_not_allowed', `This path is for ${allow}.`);
        };
        // Before the body, which may be of any kind and length.
        api.route({ method: others, url, schema: { hide: true }, onRequest: refuse, handler: refuse });
      }
    },
  };
}
