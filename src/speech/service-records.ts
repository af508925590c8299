// The shapes of the service's answers (interface 2), with our additions, as schemas: the document at /openapi.json and
// the client's types are made from them.

import { z } from 'zod';
import { agentProfileSchema } from './agent-profile.ts';

const when = z.iso.datetime();
const failure = z.object({ code: z.string(), message: z.string() }).nullable();

export const jobSchema = z
  .object({
    id: z.uuid(),
    createdAt: when,
    input: z.record(z.string(), z.unknown()).describe('The parameters that were used, with the seed'),
    completedAt: when.nullable(),
    output: z
      .object({
        url: z.url(),
        contentType: z.string(),
        fileSize: z.int().describe('Bytes'),
        duration: z.number().describe('Seconds'),
        sampleRate: z.int().describe('Ours: Hz'),
        captionsUrl: z.url().describe('Ours: WebVTT'),
        subtitlesUrl: z.url().describe('Ours: the same as SubRip'),
        servedBy: z
          .array(
            z.object({
              upstream: z.string(),
              voice: z.string().optional(),
              fromMs: z.int(),
              toMs: z.int(),
            }),
          )
          .describe('Ours: which speech services spoke, in ms of the file'),
      })
      .partial()
      .describe('Empty until the job is completed'),
    status: z.enum(['waiting', 'running', 'completed', 'failed', 'cancelled']).describe('Ours'),
    phase: z.string().describe('Ours: what is being done, for people'),
    progress: z.number().min(0).max(1).describe('Ours'),
    error: failure.describe('Ours'),
  })
  .describe('A text-to-speech job (interface 2.2)');

export type JobRecord = z.infer<typeof jobSchema>;

const gender = z.enum(['Male', 'Female']);

export const playNoteSchema = z
  .object({
    id: z.string(),
    ownerId: z.string(),
    name: z.string(),
    sourceFileUrl: z.url(),
    sourceName: z
      .string()
      .describe(
        'Ours: what the source is called: the name of the file that was sent, or of the one at its address',
      ),
    audioUrl: z.url().nullable(),
    synthesisStyle: z.enum(['podcast', 'executive-briefing', 'childrens-story', 'debate']),
    voice1: z.string(),
    voice1Name: z.string().optional(),
    voice1Gender: gender.optional(),
    voice2: z.string().nullable(),
    voice2Name: z.string().nullable(),
    voice2Gender: gender.nullable(),
    webHookUrl: z.url().optional(),
    status: z.enum(['generating', 'completed', 'failed']),
    duration: z.number().nullable().describe('Seconds'),
    requestedAt: when,
    createdAt: when.nullable().describe('When its audio was there'),
    phase: z.string().describe('Ours: what is being done, for people'),
    progress: z.number().min(0).max(1).describe('Ours'),
    error: failure.describe('Ours'),
    scriptUrl: z.url().nullable().describe('Ours: the script with word times, JSON'),
    captionsUrl: z.url().nullable().describe('Ours: WebVTT'),
    subtitlesUrl: z.url().nullable().describe('Ours: the same as SubRip'),
    chaptersUrl: z.url().nullable().describe('Ours: WebVTT'),
  })
  .describe('A PlayNote (interface 2.1)');

export type PlayNoteRecord = z.infer<typeof playNoteSchema>;

export const agentSchema = z
  .object({ ...agentProfileSchema.shape, id: z.string(), createdAt: when, updatedAt: when })
  .describe('An agent: a stored speaking profile (ours)');

export type AgentRecord = z.infer<typeof agentSchema>;

const count = z.int().min(0);

export const agentStatsSchema = z
  .object({
    agentId: z.string(),
    sessions: count,
    turns: count,
    characters: count.describe('Unicode code points of the turns that were spoken'),
    secondsSpoken: z.number().min(0),
    interruptions: count.describe('Turns that were cancelled while they were heard'),
    firstAudioP50Ms: z.number().nullable(),
    firstAudioP95Ms: z.number().nullable(),
  })
  .describe('What was spoken with an agent (ours)');

export type AgentStatsRecord = z.infer<typeof agentStatsSchema>;

export const deliverySchema = z
  .object({
    id: z.string().describe('The webhook-id of every attempt'),
    type: z.string(),
    url: z.string(),
    state: z.enum(['pending', 'delivered', 'given-up']),
    createdAt: when,
    nextAttemptAt: when.nullable(),
    attempts: z.array(
      z.object({ at: when, tookMs: z.number(), status: z.int().nullable(), problem: z.string().nullable() }),
    ),
  })
  .describe('A message to a webhook (ours)');

export type DeliveryRecord = z.infer<typeof deliverySchema>;

/** Of a list; the address of the next page is in the reply's `Link` header. */
export const pageQuerySchema = z.strictObject({
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).default(50),
  cursor: z.string().max(500).optional(),
});
export type PageQuery = z.infer<typeof pageQuerySchema>;

/** What an id can look like: visible ASCII. Stores need not be asked for anything else. */
export const idSchema = z.string().regex(/^[!-~]{1,200}$/);
export const idParamsSchema = z.object({ id: idSchema });
