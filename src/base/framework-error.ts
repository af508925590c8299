// The HTTP framework's own refusals (fastify, "Errors") as our codes and messages, for the gateway and the engine alike.

import { AppError, type ErrorCode, toAppError } from './app-error.ts';

/** The body of any request to us: 20,000 characters of up to 4 bytes, the prompts, and JSON's escapes. */
export const BODY_BYTES = 256 * 1024;

const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The body must be sent as Content-Type: application/json; the form of a PlayNote as multipart/form-data.',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is larger than this path takes.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty; it must be a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'Content-Length and the length of the body differ.',
  ],
  FST_ERR_BAD_URL: ['invalid_request', 'The request path is not a valid URL path.'],
};

/** Anything thrown while a request is served; what was not expected is `internal`. */
export function fromFramework(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? REFUSALS[code] : undefined;
  if (known !== undefined) return new AppError(known[0], known[1]);
  // What the JSON parser throws has a status and no code of the framework.
  if (statusCode === 400) return new AppError('invalid_json', 'The body is not valid JSON.');
  if (typeof statusCode === 'number' && statusCode > 400 && statusCode < 500)
    return new AppError('invalid_request', 'The request cannot be read.');
  return toAppError(thrown);
}
