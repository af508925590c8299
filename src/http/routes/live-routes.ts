// The running sessions of a caller, and the pool of keys for callers that may read metrics.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Credentials } from '../../access/credentials.ts';
import { headerLines } from '../../access/header-lines.ts';
import { SESSION_FORMATS } from '../../speech/audio-format.ts';
import { errorReplies } from '../server/error-replies.ts';
import { maySeeWhatRuns, type OperatorAccess } from '../server/operator-access.ts';
import { noteRequest } from '../server/request-log.ts';
import type { LiveView } from './live-view.ts';
import { BEARER_ONLY } from './token-routes.ts';

export type LiveRoutesOptions = {
  readonly credentials: Credentials;
  /** All open sessions of a user. */
  readonly sessionsOf: (userId: string) => readonly LiveView[] | Promise<readonly LiveView[]>;
  /** Who may see the pool. */
  readonly access: OperatorAccess;
  readonly pool: () => unknown;
};

const count = z.int().min(0);
export const liveSessionSchema = z.object({
  id: z.string(),
  tenant: z.string().describe('The user that it belongs to'),
  dialect: z.string().describe('The wire protocol of its client'),
  ageMs: count,
  turnsUnheard: count,
  turnsEnded: z
    .object({ complete: count, cancelled: count, truncated: count, failed: count })
    .describe('Turns so far, by outcome'),
  bufferedBytes: count,
  format: z.enum(SESSION_FORMATS),
  sampleRate: count.optional().describe('Absent for mp3 as the upstream sends it'),
  onlookers: count,
  leg: z.object({ id: z.string(), kind: z.string(), callSid: z.string().optional() }).optional(),
  process: count.optional().describe('The process that plays it, where there are several'),
  instance: z.string().optional().describe('The instance that has it, where it is another than this one'),
});
const sessionsSchema = z.object({ sessions: z.array(liveSessionSchema) });

export function addLiveRoutes(scope: FastifyInstance, options: LiveRoutesOptions): void {
  const { credentials, sessionsOf } = options;
  const about = { tags: ['Sessions'], security: BEARER_ONLY };
  scope.get(
    '/v1/sessions',
    {
      schema: {
        ...about,
        summary: "The caller's open sessions, those on other instances of the gateway included (ours)",
        response: { 200: sessionsSchema, ...errorReplies(401) },
      },
    },
    async (request) => {
      const tenant = credentials.identify(headerLines(request.raw.rawHeaders));
      noteRequest(request, { tenant });
      return { sessions: await sessionsOf(tenant) };
    },
  );
  scope.get(
    '/v1/pool',
    {
      schema: {
        ...about,
        summary:
          'The state of the upstream keys, with the admin key, or for this machine if it alone is served (ours)',
        response: { 200: z.record(z.string(), z.unknown()), ...errorReplies(401, 403) },
      },
    },
    (request) => {
      maySeeWhatRuns(request, options.access);
      return options.pool();
    },
  );
}
