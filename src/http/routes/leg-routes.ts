// Telephony legs that are dialled on demand: a channel waits in Asterisk for a caller that knows its connection id.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CallLeg } from '../../playout/call-leg.ts';
import { errorReplies } from '../server/error-replies.ts';
import { ownerOf } from '../server/service-caller.ts';

export type LegRoutesOptions = {
  /** Dials the channel that waits for `connectionId`; rejects with the refusal. */
  readonly dial: (
    wanted: {
      readonly userId: string;
      readonly connectionId: string;
      readonly callSid: string | undefined;
    },
    signal: AbortSignal,
  ) => Promise<Pick<CallLeg, 'id' | 'kind' | 'callId'>>;
};

/** Asterisk makes it; being part of a path, it is held to its form. */
const CONNECTION_ID = /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

const dialSchema = z.strictObject({
  connectionId: z
    .string()
    .regex(CONNECTION_ID, 'must be a UUID, as MEDIA_WEBSOCKET_CONNECTION_ID of the channel has it')
    .describe('MEDIA_WEBSOCKET_CONNECTION_ID of the channel'),
  callSid: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('What sessions attach to it by. Default: the id of the channel'),
});
const dialledSchema = z.object({
  leg: z.string(),
  kind: z.literal('chan-websocket'),
  callSid: z.string().describe('What `attach` takes'),
});

export function addLegRoutes(api: FastifyInstance, { dial }: LegRoutesOptions): void {
  api.post(
    '/v1/legs/chan-websocket',
    {
      config: { rateRule: 'ask' },
      schema: {
        summary: 'Dial a channel that waits in Asterisk (chan_websocket, WebSocket/INCOMING)',
        tags: ['Telephony'],
        body: dialSchema,
        response: {
          201: dialledSchema,
          ...errorReplies(400, 401, 403, 404, 409, 413, 415, 429, 501, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const { connectionId, callSid } = request.body as z.infer<typeof dialSchema>;
      const left = new AbortController();
      reply.raw.once('close', () => left.abort(new Error('the client has gone')));
      const leg = await dial({ userId: ownerOf(request), connectionId, callSid }, left.signal);
      return reply.code(201).send({ leg: leg.id, kind: leg.kind, callSid: leg.callId ?? connectionId });
    },
  );
}
