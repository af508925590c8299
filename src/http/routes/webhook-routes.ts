// What users can see and do about their webhooks (ours): the secret that signs them, what was sent when and how it was
// taken, and sending again.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../base/app-error.ts';
import {
  deliverySchema,
  idParamsSchema,
  type PageQuery,
  pageQuerySchema,
} from '../../speech/service-records.ts';
import type { Delivery, DeliveryStore } from '../../storage/delivery-store.ts';
import { errorReplies } from '../server/error-replies.ts';
import { linkNextPage } from '../server/page-link.ts';
import { ownerOf } from '../server/service-caller.ts';

export type WebhookRoutesOptions = {
  readonly deliveries: DeliveryStore;
  /** `whsec_…`, what signs a user's webhooks now. */
  readonly secretOf: (owner: string) => string;
  readonly unixMs: () => number;
  readonly onDelivery: () => void;
};

const TAGS = ['Webhooks'];
const iso = (ms: number) => new Date(ms).toISOString();

const toRecord = ({
  id,
  type,
  url,
  state,
  createdAtMs,
  nextAtMs,
  attempts,
}: Delivery): z.infer<typeof deliverySchema> => ({
  id,
  type,
  url,
  state,
  createdAt: iso(createdAtMs),
  nextAttemptAt: nextAtMs === undefined ? null : iso(nextAtMs),
  attempts: attempts.map(({ atMs, tookMs, status, problem }) => ({
    at: iso(atMs),
    tookMs,
    status: status ?? null,
    problem: problem ?? null,
  })),
});

export function addWebhookRoutes(api: FastifyInstance, options: WebhookRoutesOptions): void {
  const { deliveries } = options;
  const config = { rateRule: 'ask' } as const;
  const errors = errorReplies(401, 404, 429);

  api.get(
    '/api/v1/webhooks/secret',
    {
      config,
      schema: {
        summary: 'The secret that signs your webhooks (Standard Webhooks)',
        tags: TAGS,
        response: { 200: z.object({ secret: z.string() }), ...errors },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return { secret: options.secretOf(ownerOf(request)) };
    },
  );
  api.get(
    '/api/v1/webhooks/deliveries',
    {
      config,
      schema: {
        summary: 'Messages to your webhooks with their attempts, newest first',
        tags: TAGS,
        querystring: pageQuerySchema,
        response: { 200: z.array(deliverySchema), ...errorReplies(400, 401, 429) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query as PageQuery;
      const page = await deliveries.list(ownerOf(request), { limit, cursor });
      linkNextPage(request, reply, page.next);
      return page.deliveries.map(toRecord);
    },
  );
  api.post(
    '/api/v1/webhooks/deliveries/:id/replay',
    {
      config,
      schema: {
        summary: 'Send a message again, with its id',
        tags: TAGS,
        params: idParamsSchema,
        response: { 202: deliverySchema, ...errorReplies(401, 404, 429, 503, 507) },
      },
    },
    async (request, reply) => {
      const { id } = request.params as { id: string };
      const owner = ownerOf(request);
      const isReplayed = await deliveries.replay(owner, id, options.unixMs());
      const delivery = await deliveries.find(owner, id);
      if (!isReplayed || delivery === undefined)
        throw new AppError('not_found', 'There is no message of this id.');
      options.onDelivery();
      return reply.code(202).send(toRecord(delivery));
    },
  );
}
