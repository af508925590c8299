// What is going on: the sessions of a caller, and the pool of keys for whoever may read metrics.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Credentials } from '../access/credentials.ts';
import { headerLines } from '../access/header-lines.ts';
import type { Clock } from '../base/clock.ts';
import type { LiveSession, LiveSessions } from '../session/live-sessions.ts';
import { SESSION_FORMATS } from '../speech/audio-format.ts';
import { errorReplies } from './error-replies.ts';
import { mayReadMetrics } from './metrics-access.ts';
import { BEARER_ONLY } from './token-routes.ts';

export type LiveRoutesOptions = {
  readonly credentials: Credentials;
  readonly sessions: LiveSessions;
  readonly clock: Clock;
  readonly adminKey: string | undefined;
  readonly pool: () => unknown;
};

const count = z.int().min(0);
const sessionsSchema = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      ageMs: count,
      turnsUnheard: count,
      bufferedBytes: count,
      format: z.enum(SESSION_FORMATS),
      sampleRate: count.optional().describe('Absent for mp3 as the upstream sends it'),
      onlookers: count,
      leg: z.object({ kind: z.string(), callSid: z.string().optional() }).optional(),
    }),
  ),
});

function viewOf(live: LiveSession, nowMs: number) {
  const { id, openedAtMs, turnsUnheard, bufferedBytes, session } = live;
  const { leg, sound, audience } = session;
  return {
    id,
    ageMs: Math.round(nowMs - openedAtMs),
    turnsUnheard,
    bufferedBytes,
    ...sound,
    onlookers: audience.onlookers,
    ...(leg !== undefined && {
      leg: { kind: leg.kind, ...(leg.callSid !== undefined && { callSid: leg.callSid }) },
    }),
  };
}

export function addLiveRoutes(scope: FastifyInstance, options: LiveRoutesOptions): void {
  const { credentials, sessions, clock } = options;
  const about = { tags: ['Sessions'], security: BEARER_ONLY };
  scope.get(
    '/v1/sessions',
    {
      schema: {
        ...about,
        summary: "The caller's open sessions on this instance (ours)",
        response: { 200: sessionsSchema, ...errorReplies(401) },
      },
    },
    (request) => {
      const userId = credentials.identify(headerLines(request.raw.rawHeaders));
      const mine = [...sessions()].filter((session) => session.userId === userId);
      return { sessions: mine.map((session) => viewOf(session, clock.now())) };
    },
  );
  scope.get(
    '/v1/pool',
    {
      schema: {
        ...about,
        summary: 'The state of the upstream keys, for this machine or with the admin key (ours)',
        response: { 200: z.record(z.string(), z.unknown()), ...errorReplies(401, 403) },
      },
    },
    (request) => {
      mayReadMetrics(request, options.adminKey);
      return options.pool();
    },
  );
}
