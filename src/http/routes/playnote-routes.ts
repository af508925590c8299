// PlayNotes over HTTP (interface 4.1–4.3), and deleting, which the interface leaves open.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { checkFields } from '../../base/check-fields.ts';
import type { PlayNoteService } from '../../service/playnotes/playnote-service.ts';
import type { VoiceDirectory } from '../../service/voice-directory.ts';
import type { WorkQuestions } from '../../service/work-questions.ts';
import { type PlayNoteFields, playNoteFieldsSchema } from '../../speech/playnote-request.ts';
import { type PlayNoteRecord, playNoteSchema } from '../../speech/service-records.ts';
import { resolveVoices } from '../../speech/voice-aliases.ts';
import type { Work } from '../../storage/works/work.ts';
import type { WorkFiles } from '../../storage/works/work-files.ts';
import { UPLOAD_MS } from '../server/body-deadline.ts';
import { errorReplies } from '../server/error-replies.ts';
import { type Form, receiveForm } from '../server/receive-upload.ts';
import { idempotencyKeyOf, ownerOf, tellReplayed } from '../server/service-caller.ts';
import { addWorkRoutes } from './work-routes.ts';

export type PlayNoteRoutesOptions = {
  readonly playNotes: PlayNoteService;
  readonly questions: WorkQuestions;
  readonly voices: VoiceDirectory;
  readonly files: WorkFiles;
  readonly mostSourceBytes: number;
  /** The PlayNote as this caller is told of it. */
  readonly toRecord: (work: Work, request: FastifyRequest) => PlayNoteRecord;
};

const TAGS = ['PlayNotes'];
/** The form as the document shows it; what comes is read and checked by the handler, while it comes. */
const FORM = z.strictObject({
  ...playNoteFieldsSchema.shape,
  sourceFile: z
    .string()
    .meta({ format: 'binary', description: 'Exactly one of sourceFile and sourceFileUrl' })
    .optional(),
});

function readFields(form: Form, voices: VoiceDirectory, tenant: string): PlayNoteFields {
  const given = checkFields(playNoteFieldsSchema, form.fields, 'form');
  const { voice: voice1 = given.voice1, voice2 } = resolveVoices(voices.aliases, {
    voice: given.voice1,
    ...(given.voice2 === undefined ? {} : { voice2: given.voice2 }),
  });
  voices.check({ voice1, voice2 }, { tenant, upstream: given.upstream ?? [] });
  return { ...given, voice1, ...(voice2 === undefined ? {} : { voice2 }) };
}

export function addPlayNoteRoutes(api: FastifyInstance, options: PlayNoteRoutesOptions): void {
  const { playNotes, questions, voices, files, toRecord } = options;

  api.post(
    '/api/v1/playnotes',
    {
      config: { rateRule: 'make', bodyMs: UPLOAD_MS },
      bodyLimit: options.mostSourceBytes + 1024 * 1024,
      validatorCompiler: () => () => true,
      schema: {
        summary: 'Generate a PlayNote from a file or an address',
        tags: TAGS,
        consumes: ['multipart/form-data'],
        body: FORM,
        response: { 201: playNoteSchema, ...errorReplies(400, 401, 403, 413, 415, 422, 429, 503, 507) },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request);
      const key = idempotencyKeyOf(request);
      if (key === undefined) await playNotes.checkIdle(owner);
      const id = playNotes.newId();
      let hasFolder = false;
      try {
        const form = await receiveForm(request, {
          fileField: 'sourceFile',
          mostFileBytes: options.mostSourceBytes,
          async openFolder() {
            await playNotes.expectUpload(id);
            hasFolder = true;
            return files.scratch(id);
          },
        });
        const wanted = { id, fields: readFields(form, voices, owner), upload: form.upload };
        hasFolder = false; // from here on it is the service's to keep or to drop
        const work = await playNotes.create(owner, wanted, key);
        if (work.id !== id) tellReplayed(reply);
        return await reply
          .code(201)
          .header('Location', `/api/v1/playnotes/${work.id}`)
          .send(toRecord(work, request));
      } finally {
        if (hasFolder) await playNotes.dropUpload(id);
      }
    },
  );

  addWorkRoutes(api, {
    path: '/api/v1/playnotes',
    tags: TAGS,
    record: playNoteSchema,
    summaries: {
      list: 'List PlayNotes, newest first',
      one: 'A PlayNote',
      forget: 'Delete a PlayNote with its files, and stop its generation (ours)',
    },
    questions,
    toRecord,
  });
}
