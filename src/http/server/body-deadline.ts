// How a request's body ends. How long it may take to arrive, for each route by itself: Node has one time for all of them,
// and a book over a slow line takes minutes that no other request should get. And what becomes of a body that nobody reads.

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

/** Requests that have their reply, and whose body has not ended yet. */
const answered = new WeakSet<object>();

/** A request that is not there in time is answered 408 on its bare socket. No route may give more than `UPLOAD_MS`. */
export function limitBodyTime(app: FastifyInstance, clock: Clock): void {
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    // Of one whose sender has gone already nothing tells the end any more.
    if (raw.complete !== false || raw.closed) return;
    const { socket } = raw;
    const disarm = clock.after(routeOptions.config?.bodyMs ?? BODY_MS, () => {
      // A body that nobody has read may be complete, and its reply still on the way.
      if (raw.complete) return;
      if (answered.has(raw)) raw.destroy();
      else refuseUnreadable(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
    });
    // Its time would keep a gateway that stops. Node tells nothing of a body whose reply has gone when its socket closes.
    const over = () => {
      disarm();
      socket.off('close', over);
    };
    raw.once('end', over).once('close', over);
    socket.once('close', over);
  });
}

/** Of a body whose request is answered already; a source of the largest size that may be set fits in. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * A request refused in the middle of its body leaves the rest on the connection, and the caller's next request stands
 * behind it. The rest is read and dropped; a body without an end closes the connection.
 */
export function dropUnreadBodies(app: FastifyInstance): void {
  // The framework closes a connection whose body is too large while the rest is on its way, which may take the reply along.
  app.addHook('onSend', async ({ raw }, reply) => {
    if (!raw.complete && reply.statusCode === 413) reply.removeHeader('connection');
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.destroyed) return;
    answered.add(raw);
    let leftBytes = MAX_UNREAD_BYTES;
    raw.unpipe();
    raw.on('data', ({ length }: Buffer) => {
      leftBytes -= length;
      if (leftBytes < 0) raw.destroy();
    });
    raw.resume();
  });
}
