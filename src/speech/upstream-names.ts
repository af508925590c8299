// The speech services to which a caller narrows the choice, as names in order.

import { z } from 'zod';

const NAME = /^[a-z0-9-]{1,40}$/;
const MAX_NAMES = 32;
const name = z.string().regex(NAME, 'must be the name of a speech service: 1 to 40 of a-z, 0-9 and -');

/** What the caller weighs most among services, and what it wants where only the voice of last resort is left. */
export const PREFERENCES = ['order', 'voice', 'soonest'] as const;
export const LAST_RESORTS = ['speak', 'apologise', 'fail'] as const;
const MAX_APOLOGY = 500;

export const preferField = z
  .enum(PREFERENCES)
  .describe(
    'What decides among speech services: their order, the voice that was asked for, or the soonest audio',
  );
export const lastResortField = z
  .enum(LAST_RESORTS)
  .describe(
    'Where only the embedded engine at the end of the list is left: it speaks, apologises, or the turn fails',
  );
export const lastResortTextField = z
  .string()
  .trim()
  .min(1)
  .max(MAX_APOLOGY)
  .describe('What is said instead of the text with lastResort: "apologise"');

/** Why another speech service speaks than the one that was to. */
export const SWITCH_REASONS = [
  'access',
  'quota',
  'unreachable',
  'timeout',
  'no-speech',
  'broken',
  'limit',
  'late',
] as const;
export type SwitchReason = (typeof SWITCH_REASONS)[number];

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

/** What a request over HTTP may say of the choice, wherever it asks for speech; ours. */
export const choiceFields = {
  upstream: upstreamField
    .optional()
    .describe('Ours: speech services that may speak, by name and in order of preference'),
  prefer: preferField.optional(),
  lastResort: lastResortField.optional(),
  lastResortText: lastResortTextField.optional(),
} as const;
export type ServiceWishes = {
  readonly [Field in keyof typeof choiceFields]?: z.infer<(typeof choiceFields)[Field]>;
};

/** Those fields of a request, or an agent, that was checked before; a null says nothing. */
export const wishesOf = (request: object): ServiceWishes =>
  Object.fromEntries(
    Object.entries(request).filter(([field, value]) => Object.hasOwn(choiceFields, field) && value != null),
  );

/** Of what nobody hears while it is made: an apology would be no part of it. */
export const unheardWishes = (wishes: ServiceWishes): ServiceWishes =>
  wishes.lastResort === 'apologise' ? { ...wishes, lastResort: 'fail' } : wishes;
