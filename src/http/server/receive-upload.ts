// A multipart form with at most one file, streamed to disk: fields are gathered, bytes are counted and hashed on their
// way, and nothing that the form says about itself is trusted.

import '@fastify/multipart';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../base/app-error.ts';
import { fieldError, fieldMessage } from '../../base/check-fields.ts';
import type { Upload } from '../../service/playnotes/playnote-service.ts';

export type Form = { readonly fields: Readonly<Record<string, string>>; readonly upload: Upload | undefined };

export type FormRule = {
  /** The one field that may hold a file. */
  readonly fileField: string;
  readonly mostFileBytes: number;
  /** Where the file is written; asked for when there is one. */
  readonly openFolder: () => Promise<string>;
};

const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_NAME = 255;

const MAX_FIELD_NAME = 80;
const invalid = (message: string) => new AppError('invalid_request', message);
const wrongField = (field: string, allowed: string) =>
  fieldError({ field: field.slice(0, MAX_FIELD_NAME), allowed });
const tooLarge = ({ fileField, mostFileBytes }: FormRule) =>
  new AppError(
    'payload_too_large',
    `${fileField}: must have at most ${mostFileBytes} bytes (${(mostFileBytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MiB); the operator raises VOXGATE_SOURCE_BYTES`,
    { field: fileField },
  );

/**
 * Rejects with `invalid_request`, `payload_too_large` or `unsupported_media_type`; what was written stays in the folder.
 */
export async function receiveForm(request: FastifyRequest, rule: FormRule): Promise<Form> {
  if (!request.isMultipart())
    throw new AppError(
      'unsupported_media_type',
      fieldMessage({
        field: 'Content-Type',
        allowed: 'must be multipart/form-data',
        name: request.headers['content-type']?.split(';', 1)[0],
      }),
      { field: 'Content-Type' },
    );
  const fields: Record<string, string> = {};
  let upload: Upload | undefined;
  const limits = {
    fields: MAX_FIELDS,
    fieldSize: MAX_FIELD_BYTES,
    files: 2,
    fileSize: rule.mostFileBytes,
    parts: MAX_FIELDS + 2,
  };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') {
        if (Object.hasOwn(fields, part.fieldname))
          throw wrongField(part.fieldname, 'given twice; give it once');
        if (part.valueTruncated === true)
          throw wrongField(part.fieldname, `must have at most ${MAX_FIELD_BYTES} bytes`);
        // A part may say that it is JSON, and is read as such then; the fields here are plain text.
        if (typeof part.value !== 'string')
          throw wrongField(part.fieldname, 'must be plain text, without a Content-Type of its own');
        fields[part.fieldname] = part.value;
        continue;
      }
      if (part.fieldname !== rule.fileField)
        throw wrongField(part.fieldname, `is no field for a file; that is ${rule.fileField}`);
      if (upload !== undefined) throw wrongField(rule.fileField, 'given twice; give it once');
      const path = join(await rule.openFolder(), 'upload');
      const hash = createHash('sha256');
      const hashing = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          hash.update(chunk);
          done(null, chunk);
        },
      });
      await pipeline(part.file, hashing, createWriteStream(path));
      if (part.file.truncated) throw tooLarge(rule);
      upload = {
        path,
        name: part.filename === '' ? undefined : part.filename.slice(-MAX_NAME),
        contentType: part.mimetype,
        digest: hash.digest('base64url'),
      };
    }
  } catch (error) {
    throw formError(error, rule);
  }
  return { fields, upload };
}

/** The form library's refusals as our errors. */
function formError(error: unknown, rule: FormRule): unknown {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge(rule);
  if (code === 'FST_FILES_LIMIT') return wrongField(rule.fileField, 'given twice; give it once');
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return invalid(`form: must have at most ${MAX_FIELDS} fields`);
  if (code === 'FST_PROTO_VIOLATION')
    return invalid('form: has a field of a name that is not allowed, such as __proto__');
  if (code === 'FST_INVALID_JSON_FIELD_ERROR')
    return invalid('form: has a field that is said to be JSON and is none');
  if (error instanceof AppError) return error;
  if (
    /unexpected end|boundary|malformed|premature/i.test(message ?? '') ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'FST_MP_PREMATURE_CLOSE'
  )
    return invalid(
      'form: must be whole and well-formed multipart/form-data (RFC 7578); it ends too soon, or has no such boundary',
    );
  return error;
}
