// The HTTP framework's own refusals (fastify, "Errors") as our codes and messages, for the gateway and the engine alike.

import { AppError, type ErrorCode, toAppError } from './app-error.ts';
import { fieldMessage } from './check-fields.ts';

/** The body of any request to us: 20,000 characters of up to 4 bytes, the prompts, and JSON's escapes. */
export const BODY_BYTES = 256 * 1024;

const NOT_JSON = 'body: must be valid JSON (RFC 8259)';

const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'body: must be a JSON object; it is empty'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', NOT_JSON],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'Content-Length: must be the length of the body in bytes.',
  ],
  FST_ERR_BAD_URL: ['invalid_request', 'path: must be a valid URL path, with % as %25'],
};

/** A body that is sent as `given`, a media type, or as none. */
const wrongMediaType = (given: string | undefined): AppError =>
  new AppError(
    'unsupported_media_type',
    fieldMessage({
      field: 'Content-Type',
      allowed: `must be ${JSON_TYPE}, of a PlayNote's form multipart/form-data`,
      name: given?.split(';', 1)[0]?.trim(),
      ...(given === undefined && { todo: 'it is missing' }),
    }),
    { field: 'Content-Type' },
  );
const JSON_TYPE = 'application/json';

/** Of a request, as the framework has it. */
type Received = {
  readonly headers: {
    readonly 'content-type'?: string | undefined;
    readonly 'content-length'?: string | undefined;
  };
  readonly routeOptions: { readonly bodyLimit?: number | undefined };
};

/** The bound of a form follows from that of the file in it; those of JSON are no settings. */
function bodyTooLarge({ headers, routeOptions: { bodyLimit = BODY_BYTES } }: Received): AppError {
  const given = Number(headers['content-length']);
  const message = fieldMessage({
    field: 'body',
    allowed: `must have at most ${bodyLimit} bytes`,
    given: Number.isSafeInteger(given) ? given : undefined,
    todo: headers['content-type']?.startsWith(FORM_TYPE)
      ? 'the operator raises VOXGATE_SOURCE_BYTES'
      : 'send less at a time, this bound is no setting',
  });
  return new AppError('payload_too_large', message, { field: 'body' });
}
const FORM_TYPE = 'multipart/form-data';
const NOTHING_KNOWN: Received = { headers: {}, routeOptions: {} };

/** Anything thrown while a request is served; what was not expected is `internal`. */
export function fromFramework(thrown: unknown, request: Received = NOTHING_KNOWN): AppError {
  if (thrown instanceof AppError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongMediaType(request.headers['content-type']);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request);
  const known = typeof code === 'string' ? REFUSALS[code] : undefined;
  if (known !== undefined) return new AppError(known[0], known[1]);
  // What the JSON parser throws has a status and no code of the framework.
  if (statusCode === 400) return new AppError('invalid_json', NOT_JSON);
  if (typeof statusCode === 'number' && statusCode > 400 && statusCode < 500)
    return new AppError(
      'invalid_request',
      `The request cannot be read (${String(code)}); check its headers and its path.`,
    );
  return toAppError(thrown);
}
