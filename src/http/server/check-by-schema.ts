// Requests of a scope are checked by the schemas that make its document.

import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { AppError } from '../../base/app-error.ts';
import { readBySchema } from '../../base/check-fields.ts';

/**
 * In place of the framework's own compilers, which check JSON Schema and would be loaded with every start: no schema here is one.
 * A route with a schema in a scope that nobody checks is a fault of ours, and ends the start.
 */
export const NO_OTHER_SCHEMAS = {
  compilersFactory: {
    buildValidator: () => unchecked,
    buildSerializer: () => unchecked,
  },
} as const;

function unchecked(): never {
  throw new Error('a route has a schema, and its scope is not checked by it');
}

const WHOLE: Readonly<Record<string, string>> = { body: 'body', querystring: 'query', headers: 'headers' };

/** Routes added to `scope` from here on throw `invalid_request` and, for a part of the path, `not_found`. */
export function checkBySchema(scope: FastifyInstance): void {
  scope.setValidatorCompiler(({ schema, httpPart }) => (data: unknown) => {
    const checked = readBySchema(schema as z.ZodType, data, WHOLE[httpPart ?? ''] ?? 'request');
    if (checked.ok) return { value: checked.value };
    // A part of the path that can be no id of ours leads nowhere.
    if (httpPart === 'params') return { error: new AppError('not_found', 'There is nothing of this id.') };
    return { error: new AppError('invalid_request', checked.message, { field: checked.field }) };
  });
  // Answers are made here and need no filter; their schemas are for the document and the tests.
  scope.setSerializerCompiler(() => (data) => JSON.stringify(data));
}
