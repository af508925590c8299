// Agents over HTTP: the four endpoints and limits of interface 4.6 and 8, with fields of our own, and the list (ours).

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AgentService } from '../../service/agents/agent-service.ts';
import { readIdempotency } from '../../service/idempotency.ts';
import type { RateRule } from '../../service/key-limits.ts';
import { type AgentProfile, agentPatchSchema, agentProfileSchema } from '../../speech/agent-profile.ts';
import {
  agentSchema,
  agentStatsSchema,
  idSchema,
  type PageQuery,
  pageQuerySchema,
} from '../../speech/service-records.ts';
import { errorReplies } from '../server/error-replies.ts';
import { linkNextPage } from '../server/page-link.ts';
import { idempotencyKeyOf, ownerOf, tellReplayed } from '../server/service-caller.ts';

const paramsSchema = z.object({ agentId: idSchema });
const TAGS = ['Agents'];

export function addAgentRoutes(api: FastifyInstance, agents: AgentService): void {
  const idOf = (request: FastifyRequest) => (request.params as { agentId: string }).agentId;
  const about = (
    rateRule: RateRule,
    summary: string,
    answer: z.ZodType,
    statuses: readonly number[],
    body?: z.ZodType,
  ) => ({
    config: { rateRule },
    schema: {
      summary,
      tags: TAGS,
      params: paramsSchema,
      ...(body === undefined ? {} : { body }),
      response: { 200: answer, ...errorReplies(401, 404, 429, ...statuses) },
    },
  });

  api.post(
    '/api/v1/agents',
    {
      config: { rateRule: 'agents-create' },
      schema: {
        summary: 'Create an agent',
        tags: TAGS,
        body: agentProfileSchema,
        response: { 201: agentSchema, ...errorReplies(400, 401, 413, 415, 422, 429, 503, 507) },
      },
    },
    async (request, reply) => {
      const profile = request.body as AgentProfile;
      const idempotency = readIdempotency(idempotencyKeyOf(request), ['agent', profile]);
      const { record, isNew } = await agents.create(ownerOf(request), profile, idempotency);
      if (!isNew) tellReplayed(reply);
      return reply.code(201).header('Location', `/api/v1/agents/${record.id}`).send(record);
    },
  );
  api.get(
    '/api/v1/agents',
    {
      config: { rateRule: 'ask' },
      schema: {
        summary: 'List agents, newest first (ours)',
        tags: TAGS,
        querystring: pageQuerySchema,
        response: { 200: z.array(agentSchema), ...errorReplies(400, 401, 429) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query as PageQuery;
      const { records, next } = await agents.list(ownerOf(request), { limit, cursor });
      linkNextPage(request, reply, next);
      return records;
    },
  );
  api.patch(
    '/api/v1/agents/:agentId',
    about(
      'agents-patch',
      'Change an agent; a null takes a field away',
      agentSchema,
      [400, 413, 415, 503, 507],
      agentPatchSchema,
    ),
    (request) => agents.patch(ownerOf(request), idOf(request), request.body as Partial<AgentProfile>),
  );
  api.get('/api/v1/agents/:agentId', about('agents-read', 'An agent', agentSchema, []), (request) =>
    agents.find(ownerOf(request), idOf(request)),
  );
  api.get(
    '/api/v1/agent-stats/:agentId',
    about('agent-stats', 'What was spoken with an agent', agentStatsSchema, []),
    (request) => agents.stats(ownerOf(request), idOf(request)),
  );
}
