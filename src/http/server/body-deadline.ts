// How long a request may take to arrive, for each route by itself: Node has one time for all of them, and a book over a
// slow line takes minutes that no other request should get.

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../base/clock.ts';
import { refuseUnreadable } from '../../base/error-reply.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** From the end of the headers to the end of the body; `BODY_MS` unless set. */
    bodyMs?: number;
  }
}

export const BODY_MS = 30_000;
/** 50 MiB at 700 kbit/s. */
export const UPLOAD_MS = 10 * 60_000;

/** A request that is not there in time is answered 408 on its bare socket. No route may give more than `UPLOAD_MS`. */
export function limitBodyTime(app: FastifyInstance, clock: Clock): void {
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    if (raw.complete !== false) return;
    const disarm = clock.after(routeOptions.config?.bodyMs ?? BODY_MS, () => {
      // A body that nobody has read may be complete, and its reply still on the way.
      if (!raw.complete)
        refuseUnreadable(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
    });
    raw.once('end', disarm).once('close', disarm);
  });
}
