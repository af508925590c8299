// Text-to-speech jobs over HTTP: the creation of interface 4.4, and what it leaves open: turbo, the job by its id, the
// list, cancelling and deleting.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { JobInput, JobOutput } from '../../service/jobs/job-record.ts';
import type { JobService } from '../../service/jobs/job-service.ts';
import type { VoiceDirectory } from '../../service/voice-directory.ts';
import type { WorkQuestions } from '../../service/work-questions.ts';
import { type JobRequest, jobRequestSchema, turboRequestSchema } from '../../speech/job-request.ts';
import { type JobRecord, jobSchema } from '../../speech/service-records.ts';
import type { Work } from '../../storage/works/work.ts';
import { errorReplies } from '../server/error-replies.ts';
import { idempotencyKeyOf, ownerOf, tellReplayed } from '../server/service-caller.ts';
import { aboutOne, addWorkRoutes, idOf } from './work-routes.ts';

export type JobRoutesOptions = {
  readonly jobs: JobService;
  readonly questions: WorkQuestions;
  readonly voices: VoiceDirectory;
  /** The job as this caller is told of it. */
  readonly toRecord: (work: Work, request: FastifyRequest) => JobRecord;
};

/** 50,000 characters of up to 12 bytes (two JSON escapes), and the prompts. */
const BODY_BYTES = 1024 * 1024;
const TAGS = ['Jobs'];

export function addJobRoutes(
  api: FastifyInstance,
  { jobs, questions, voices, toRecord }: JobRoutesOptions,
): void {
  const create = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = request.body as JobRequest;
    const key = idempotencyKeyOf(request);
    const { work, ignored, isNew } = await jobs.create(ownerOf(request), body, key, voices);
    if (!isNew) tellReplayed(reply);
    const all = [
      ...ignored,
      ...voices.ignoredFields.filter((field) => (body as Record<string, unknown>)[field] != null),
    ];
    if (all.length > 0) reply.header('X-Voxgate-Ignored', [...new Set(all)].join(', '));
    const proxy = voices.spokenAs(body.language ?? 'english');
    if (proxy !== undefined) reply.header('X-Voxgate-Spoken-As', proxy);
    return reply.code(201).header('Location', `/api/v1/tts/${work.id}`).send(toRecord(work, request));
  };
  const creation = (summary: string, body: z.ZodType) => ({
    config: { rateRule: 'make' } as const,
    bodyLimit: BODY_BYTES,
    schema: {
      summary,
      tags: TAGS,
      headers: z.object({ 'idempotency-key': z.string().optional() }),
      body,
      response: { 201: jobSchema, ...errorReplies(400, 401, 413, 415, 422, 429, 503, 507) },
    },
  });
  api.post('/api/v1/tts', creation('Create a text-to-speech job', jobRequestSchema), create);
  api.post(
    '/api/v1/tts/turbo',
    creation('Create a job of VoxDialog-turbo (ours)', turboRequestSchema),
    create,
  );

  addWorkRoutes(api, {
    path: '/api/v1/tts',
    tags: TAGS,
    record: jobSchema,
    summaries: {
      list: 'List jobs, newest first (ours)',
      one: 'A job, its progress and its result',
      forget: 'Delete a job and its files (ours)',
    },
    questions,
    toRecord,
    headersOf({ input, output }) {
      const spoken = ((output as JobOutput | undefined)?.servedBy ?? []).map(({ upstream }) => upstream);
      if (spoken.length === 0) return {};
      const { language = 'english' } = (input as JobInput).shown as JobRequest;
      const proxy = spoken.map((service) => voices.spokenAs(language, service)).find(Boolean);
      return {
        'X-Voxgate-Upstream': [...new Set(spoken)].join(', '),
        ...(proxy !== undefined && { 'X-Voxgate-Spoken-As': proxy }),
      };
    },
  });
  api.post(
    '/api/v1/tts/:id/cancel',
    aboutOne('Cancel a job (ours)', TAGS, { 200: jobSchema }),
    async (request) => toRecord(await questions.cancel(ownerOf(request), idOf(request)), request),
  );
}
