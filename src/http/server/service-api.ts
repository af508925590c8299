// The speech service on the public listener: its routes under /api/v1, checked by the same schemas that make the document
// at /openapi.json. Credentials come first, then the key's limit, then the body.

import multipart from '@fastify/multipart';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Credentials } from '../../access/credentials.ts';
import { aboutToStop } from '../../base/app-error.ts';
import type { AgentService } from '../../service/agents/agent-service.ts';
import type { KeyLimits } from '../../service/key-limits.ts';
import { listedVoiceSchema } from '../../speech/listed-voice.ts';
import { addAgentRoutes } from '../routes/agent-routes.ts';
import { addFileRoutes, type FileRoutesOptions } from '../routes/file-routes.ts';
import { addJobRoutes, type JobRoutesOptions } from '../routes/job-routes.ts';
import { addLegRoutes, type LegRoutesOptions } from '../routes/leg-routes.ts';
import { addPlayNoteRoutes, type PlayNoteRoutesOptions } from '../routes/playnote-routes.ts';
import { addSpeechRoute, type SpeechRouteOptions } from '../routes/speech-route.ts';
import { addWebhookRoutes, type WebhookRoutesOptions } from '../routes/webhook-routes.ts';
import { checkBySchema } from './check-by-schema.ts';
import { errorReplies } from './error-replies.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { ownerOf, requireCaller } from './service-caller.ts';

// An instance that is about to stop accepts nothing more: what it took now would wait in its folder until somebody starts
// on that again. It still answers questions.

const QUESTIONS = ['GET', 'HEAD', 'OPTIONS'];

/** Every route of `api` from here on. */
function refuseWhileStopping(api: FastifyInstance, isStopping: () => boolean): void {
  api.addHook('onRequest', async ({ method }) => {
    if (isStopping() && !QUESTIONS.includes(method)) throw aboutToStop();
  });
}

export type ServiceApiOptions = {
  readonly version: string;
  readonly credentials: Credentials;
  readonly limits: KeyLimits;
  readonly isStopping: () => boolean;
  readonly speech: SpeechRouteOptions;
  readonly jobs: JobRoutesOptions;
  readonly playNotes: PlayNoteRoutesOptions;
  readonly agents: AgentService;
  readonly webhooks: WebhookRoutesOptions;
  readonly files: FileRoutesOptions;
  readonly legs: LegRoutesOptions;
};

/** The header's name is an apiKey scheme to OpenAPI; both are needed at once (interface 5). */
const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer' },
  userId: { type: 'apiKey', in: 'header', name: 'X-USER-ID' },
  watchToken: { type: 'apiKey', in: 'query', name: 'token' },
} as const;

export async function addServiceApi(app: FastifyInstance, options: ServiceApiOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Voxgate speech service',
        version: '1.0.0',
        description: `Speech, jobs, PlayNotes, agents and webhooks of Voxgate ${options.version}.`,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: SECURITY },
      security: [{ bearer: [], userId: [] }],
    },
    transform: jsonSchemaTransform,
  });
  await app.register(multipart);
  await app.register(async (api) => {
    checkBySchema(api);
    const patterns = refuseOtherMethods(api);
    requireCaller(api, options.credentials, options.limits);
    refuseWhileStopping(api, options.isStopping);
    api.get(
      '/api/v1/voices',
      {
        config: { rateRule: 'ask' },
        schema: {
          summary: 'The voices that there are (ours)',
          tags: ['Speech'],
          response: { 200: z.array(listedVoiceSchema), ...errorReplies(401, 429, 502) },
        },
      },
      (request) => options.speech.voices.list({ tenant: ownerOf(request) }),
    );
    addSpeechRoute(api, options.speech);
    addJobRoutes(api, options.jobs);
    addPlayNoteRoutes(api, options.playNotes);
    addAgentRoutes(api, options.agents);
    addWebhookRoutes(api, options.webhooks);
    addLegRoutes(api, options.legs);
    patterns.close();
  });
  addFileRoutes(app, options.files);
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
}
