// Replies that are heard while they are made. A program that stops lets them finish, as it does with the turns of
// sessions, and begins no more of them; a busy one lets the present ones go on, and begins no more for the time being.

import type { ServerResponse } from 'node:http';
import { aboutToStop } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { REPLY_WEIGHT } from '../../limits/turn-weight.ts';
import type { AdmissionControl } from '../../session/admission-control.ts';

export type OpenReplies = {
  /** Throws `shutting_down` when it is too late to begin one, `busy` when it is to be asked for again in a moment. */
  add(reply: ServerResponse): void;
  /** Resolves when all have ended, or `deadlineMs` have passed: the rest is cut with its connections. */
  drain(deadlineMs: number): Promise<void>;
};

export function createOpenReplies(
  clock: Clock,
  admission: Pick<AdmissionControl, 'refusal' | 'take'>,
): OpenReplies {
  const open = new Set<ServerResponse>();
  let phase: 'open' | 'draining' = 'open';
  let onEnded = () => {};
  return {
    add(reply) {
      if (phase === 'draining') throw aboutToStop();
      if (reply.closed) return; // the caller has left already
      const refused = admission.refusal('reply', REPLY_WEIGHT);
      if (refused !== undefined) throw refused;
      const place = admission.take(REPLY_WEIGHT);
      place.began();
      open.add(reply);
      reply.once('close', () => {
        open.delete(reply);
        place.leave();
        onEnded();
      });
    },
    drain(deadlineMs) {
      phase = 'draining';
      return new Promise((resolve) => {
        const cancelDeadline = clock.after(deadlineMs, resolve);
        onEnded = () => {
          if (open.size > 0) return;
          cancelDeadline();
          resolve();
        };
        onEnded();
      });
    },
  };
}
