// What is asked of a job and of a PlayNote in the same way: the list, one by its id, and forgetting it.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { WorkQuestions } from '../../service/work-questions.ts';
import { idParamsSchema, type PageQuery, pageQuerySchema } from '../../speech/service-records.ts';
import type { Work } from '../../storage/works/work.ts';
import { errorReplies } from '../server/error-replies.ts';
import { linkNextPage } from '../server/page-link.ts';
import { ownerOf } from '../server/service-caller.ts';

export type WorkRoutesOptions = {
  /** `/api/v1/…`, where they are listed. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly record: z.ZodType;
  /** What each route is for, in the document. */
  readonly summaries: { readonly list: string; readonly one: string; readonly forget: string };
  readonly questions: WorkQuestions;
  /** The work as this caller is told of it. */
  readonly toRecord: (work: Work, request: FastifyRequest) => unknown;
  /** Of the reply about one. */
  readonly headersOf?: (work: Work) => Readonly<Record<string, string>>;
};

/** A route about one work, by the id in its path. */
export const aboutOne = (summary: string, tags: readonly string[], response: Record<number, z.ZodType>) => ({
  config: { rateRule: 'ask' } as const,
  schema: {
    summary,
    tags,
    params: idParamsSchema,
    response: { ...response, ...errorReplies(401, 404, 429, 503, 507) },
  },
});

export const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;

export function addWorkRoutes(api: FastifyInstance, options: WorkRoutesOptions): void {
  const { path, tags, record, summaries, questions, toRecord } = options;
  api.get(
    path,
    {
      config: { rateRule: 'ask' },
      schema: {
        summary: summaries.list,
        tags,
        querystring: pageQuerySchema,
        response: { 200: z.array(record), ...errorReplies(400, 401, 429) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query as PageQuery;
      const page = await questions.list(ownerOf(request), { limit, cursor });
      linkNextPage(request, reply, page.next);
      return page.works.map((work) => toRecord(work, request));
    },
  );
  api.get(`${path}/:id`, aboutOne(summaries.one, tags, { 200: record }), async (request, reply) => {
    const work = await questions.find(ownerOf(request), idOf(request));
    if (options.headersOf !== undefined) reply.headers(options.headersOf(work));
    return toRecord(work, request);
  });
  api.delete(`${path}/:id`, aboutOne(summaries.forget, tags, { 204: z.null() }), async (request, reply) => {
    await questions.remove(ownerOf(request), idOf(request));
    return reply.code(204).send();
  });
}
