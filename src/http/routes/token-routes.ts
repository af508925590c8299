// Tokens for browsers, asked for with a key: to speak in a session of one's own, or to watch one. A connection stays open
// when its token expires; a revoked token lets nobody in, and its observers are closed.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MEDIA, type TokenGrant } from '../../access/caller-tokens.ts';
import type { Credentials } from '../../access/credentials.ts';
import { headerLines } from '../../access/header-lines.ts';
import { MAX_TOKEN_LIFE_MS, type TokenIssuer } from '../../access/token-issuer.ts';
import { AppError, aboutToStop } from '../../base/app-error.ts';
import { fieldMessage } from '../../base/check-fields.ts';
import { wholeFrom } from '../../speech/speech-request.ts';
import { errorReplies } from '../server/error-replies.ts';
import { noteRequest } from '../server/request-log.ts';

export type TokenRoutesOptions = {
  readonly credentials: Credentials;
  readonly tokens: Pick<TokenIssuer, 'issue'>;
  readonly hasSession: (userId: string, id: string) => boolean | Promise<boolean>;
  /** Takes a token of this user back; when it is done, nobody lets anybody in with it. Throws `not_found`. */
  readonly revoke: (userId: string, id: string) => void | Promise<void>;
  readonly unixMs: () => number;
  readonly isStopping: () => boolean;
};

const MAX_S = MAX_TOKEN_LIFE_MS / 1000;
const expiresInSeconds = wholeFrom(1, MAX_S).default(MAX_S).describe('How long one may connect with it');
const SCOPES = { error: 'must be speak or watch' };
const bodySchema = z.discriminatedUnion(
  'scope',
  [
    z.strictObject({ scope: z.literal('speak'), expiresInSeconds }),
    z.strictObject({
      scope: z.literal('watch'),
      session: z.string().min(1).max(64).describe('The session of `ready`'),
      media: z
        .array(z.enum(MEDIA))
        .min(1)
        .max(MEDIA.length)
        .default([...MEDIA]),
      expiresInSeconds,
    }),
  ],
  SCOPES,
);
const issuedSchema = z.object({
  id: z.string().describe('To revoke it by'),
  token: z.string(),
  scope: z.enum(['speak', 'watch']),
  expiresAt: z.iso.datetime(),
});
const paramsSchema = z.object({ id: z.string().regex(/^[\w-]{24}$/) });

export const BEARER_ONLY = [{ bearer: [] }];
const ABOUT = { tags: ['Tokens'], security: BEARER_ONLY };

export function addTokenRoutes(scope: FastifyInstance, options: TokenRoutesOptions): void {
  const { credentials, tokens, hasSession } = options;
  const callerOf = (request: FastifyRequest) => {
    const tenant = credentials.identify(headerLines(request.raw.rawHeaders));
    noteRequest(request, { tenant });
    return tenant;
  };
  const onRequest = async (request: FastifyRequest) => void callerOf(request);

  scope.post(
    '/v1/tokens',
    {
      onRequest,
      schema: {
        ...ABOUT,
        summary: 'A token for a browser, to speak or to watch with (ours)',
        body: bodySchema,
        response: { 201: issuedSchema, ...errorReplies(400, 401, 404, 415, 503) },
      },
    },
    async (request, reply) => {
      if (options.isStopping()) throw aboutToStop();
      const { expiresInSeconds: seconds, ...grant } = request.body as z.output<typeof bodySchema>;
      const userId = callerOf(request);
      if (grant.scope === 'watch' && !(await hasSession(userId, grant.session)))
        throw new AppError(
          'not_found',
          fieldMessage({
            field: 'session',
            allowed: 'there is no open session of this id',
            name: grant.session,
            todo: 'GET /v1/sessions lists them',
          }),
          { field: 'session' },
        );
      const lifeMs = seconds * 1000;
      const issued = tokens.issue(userId, grant satisfies TokenGrant, lifeMs);
      const expiresAt = new Date(options.unixMs() + lifeMs).toISOString();
      return reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send({ ...issued, scope: grant.scope, expiresAt });
    },
  );
  scope.delete(
    '/v1/tokens/:id',
    {
      onRequest,
      schema: {
        ...ABOUT,
        summary: 'Revoke a token (ours)',
        params: paramsSchema,
        response: {
          204: z.null().describe('It lets nobody in any more'),
          ...errorReplies(401, 404, 429, 503, 507),
        },
      },
    },
    async (request, reply) => {
      await options.revoke(callerOf(request), (request.params as z.output<typeof paramsSchema>).id);
      return reply.code(204).send();
    },
  );
}
