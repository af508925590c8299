// How refusals look in the document of the service, for every route alike.

import { z } from 'zod';

const errorBodySchema = z
  .object({ errorMessage: z.string(), errorId: z.string() })
  .describe('What went wrong: for people, and for programs (docs/errors.md)');

/** The replies of a route beside its own, for its document. */
export const errorReplies = (...statuses: readonly number[]): Record<number, z.ZodType> =>
  Object.fromEntries(statuses.map((status) => [status, errorBodySchema]));
