// What an operator sees of the whole gateway and may do there: all sessions, calls and speech services, and the end of one
// session. Ids, counts and user names, never text or keys.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../base/app-error.ts';
import type { LiveCall } from '../../session/live-sessions.ts';
import type { HealthPhase } from '../../upstream/health/service-health.ts';
import type { PoolReport } from '../../upstream/pool/pool-report.ts';
import { errorReplies } from '../server/error-replies.ts';
import {
  mayEndSessions,
  maySeeWhatRuns,
  type OperatorAccess,
  whatEndingTakes,
} from '../server/operator-access.ts';
import { liveSessionSchema } from './live-routes.ts';
import type { LiveView } from './live-view.ts';
import { BEARER_ONLY } from './token-routes.ts';

/** A speech service and the pool of its keys. */
export type ServiceReport = PoolReport & {
  readonly name: string;
  readonly kind: string;
  /** Its origin; absent for the embedded engine. */
  readonly address?: string;
  /** By what was heard of it; absent where there is one service. */
  readonly health?: ServiceHealthReport;
};

export type ServiceHealthReport = {
  readonly state: HealthPhase;
  readonly forMs: number;
  /** In a row. */
  readonly faults: number;
  /** It is out by the word of other processes or instances. */
  readonly by?: 'others';
  /** How long its first speech may take until the next service is asked. */
  readonly askNextAfterMs: number;
  /** The 95th percentile of it. */
  readonly firstSpeechMs?: number;
  /** Where several processes speak: what each has found, the primary (jobs, plain requests) as 0. The rest is of the worst of them. */
  readonly processes?: readonly (Omit<ServiceHealthReport, 'processes'> & { readonly process: number })[];
};

/** Of all processes of the gateway. */
export type OperatorDesk = {
  readonly sessions: () => readonly LiveView[] | Promise<readonly LiveView[]>;
  readonly calls: () => readonly LiveCall[];
  readonly services: () => readonly ServiceReport[] | Promise<readonly ServiceReport[]>;
  /** False when there is no such session. */
  readonly endSession: (id: string) => boolean | Promise<boolean>;
};

export type OperatorRoutesOptions = {
  readonly desk: OperatorDesk;
  readonly access: OperatorAccess;
};

const callSchema = z.object({
  id: z.string(),
  kind: z.string().describe('The platform, as in its path'),
  callSid: z.string().optional(),
  tenant: z.string().optional().describe('Absent until a session has named the call'),
  session: z.string().optional().describe('The session that has it'),
  ageMs: z.int().min(0),
});
const overviewSchema = z.object({
  sessions: z.array(liveSessionSchema),
  calls: z.array(callSchema),
  services: z.array(z.record(z.string(), z.unknown())),
  endingTakes: z
    .enum(['nothing', 'admin-key', 'setting'])
    .describe(
      'What this caller needs to end a session: nothing more, the admin key, or VOXGATE_ADMIN_KEY to be set',
    ),
});
const paramsSchema = z.object({ id: z.string().regex(/^[\w-]{1,64}$/) });

/** Throws `not_found`. */
export async function endForOperator(
  desk: OperatorDesk,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = request.params as { readonly id: string };
  if (!(await desk.endSession(id))) throw new AppError('not_found', 'There is no open session of this id.');
  return reply.code(204).send();
}

export function addOperatorRoutes(scope: FastifyInstance, { desk, access }: OperatorRoutesOptions): void {
  const about = { tags: ['Operator'], security: BEARER_ONLY };
  scope.get(
    '/v1/operator',
    {
      // Before anything is asked of other processes.
      onRequest: async (request) => maySeeWhatRuns(request, access),
      schema: {
        ...about,
        summary:
          'All sessions, calls and speech services, with the admin key, or for this machine if it alone is served (ours)',
        response: { 200: overviewSchema, ...errorReplies(401, 403) },
      },
    },
    async (request, reply) => {
      const [sessions, services] = await Promise.all([desk.sessions(), desk.services()]);
      const sessionOf = new Map(sessions.flatMap(({ id, leg }) => (leg === undefined ? [] : [[leg.id, id]])));
      const calls = desk.calls().map((call) => {
        const session = sessionOf.get(call.id);
        return { ...call, ...(session !== undefined && { session }) };
      });
      reply.header('Cache-Control', 'no-store');
      return { sessions, calls, services, endingTakes: whatEndingTakes(request, access) };
    },
  );
  scope.delete(
    '/v1/operator/sessions/:id',
    {
      onRequest: async (request) => mayEndSessions(request, access),
      schema: {
        ...about,
        summary: 'End one session, with the admin key (ours)',
        params: paramsSchema,
        response: { 204: z.null(), ...errorReplies(400, 401, 403, 404) },
      },
    },
    (request, reply) => endForOperator(desk, request, reply),
  );
}
