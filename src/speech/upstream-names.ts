// The speech services to which a caller narrows the choice, as names in order.

import { z } from 'zod';

const NAME = /^[a-z0-9-]{1,40}$/;
const MAX_NAMES = 32;
const name = z.string().regex(NAME, 'must be the name of a speech service: 1 to 40 of a-z, 0-9 and -');

/** One name, names by commas, or a list of them; read as a list. */
export const upstreamField = z
  .union([
    z
      .string()
      .max(MAX_NAMES * 41)
      .transform((names) => names.split(',').map((each) => each.trim())),
    z.array(z.string()),
  ])
  .pipe(z.array(name).min(1).max(MAX_NAMES));
