// The query of /v1/speak and /v2/speak as settings of a session. Parameters that are not known are ignored, because
// clients send what only the vendor has a meaning for; a known one with a value that cannot be served is refused.

import type { z } from 'zod';
import { AppError } from '../../base/app-error.ts';
import { type FieldFault, fieldError, readBySchema } from '../../base/check-fields.ts';
import { configureFields, type Preset } from '../native-messages.ts';
import { readPacing } from '../pacing-query.ts';
import { SPEED_RULE, speedFault } from './speed-rule.ts';

export type SpeakVersion = 'v1' | 'v2';

const FORMATS = { linear16: 'raw', mulaw: 'mulaw', alaw: 'alaw' } as const;
type Encoding = keyof typeof FORMATS;
const isEncoding = (name: string): name is Encoding => Object.hasOwn(FORMATS, name);
const DEFAULT_RATES = { linear16: 24_000, mulaw: 8000, alaw: 8000 } as const;

/**
 * Clients of this protocol have no playout of their own beyond what they were sent, and ask for the next piece of speech
 * when the last one has arrived: two seconds hide a slow first byte of that piece. Without a limit a caller that
 * interrupts would have paid for all of the speech, and only a guess could tell what was heard.
 */
const LEAD_MS = 2000;

const PARAMETERS = {
  model: 'voice',
  sample_rate: 'sampleRate',
  speed: 'speed',
} as const;
const NUMBERS: readonly string[] = ['sample_rate', 'speed'];


function readOne(query: URLSearchParams, name: string): string | undefined {
  const given = query.getAll(name);
  if (given.length > 1) throw fieldError({ field: name, allowed: 'given twice; give it once' });
  return given[0];
}

/** Throws `invalid_request` naming the parameter as the caller wrote it. */
function readParameters(query: URLSearchParams): Preset {
  const preset: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(PARAMETERS)) {
    const text = readOne(query, name);
    if (text === undefined) continue;
    // An empty number is a mistake, not a zero.
    const value = NUMBERS.includes(name) && text.trim() !== '' ? Number(text) : text;
    const schema: z.ZodType = configureFields[field];
    const read = readBySchema(schema, value, name);
    if (!read.ok) throw new AppError('invalid_request', read.message, { field: name });
    preset[field] = read.value;
  }
  return preset;
}

const speedError = (fault: string, given: FieldFault['given']) =>
  fieldError({ field: 'speed', allowed: SPEED_RULE, given, todo: fault });

/** Throws `invalid_request` for what cannot be served. */
export function readSpeakQuery(query: URLSearchParams, version: SpeakVersion): Preset {
  const encoding = readOne(query, 'encoding') ?? 'linear16';
  if (!isEncoding(encoding))
    throw fieldError({
      field: 'encoding',
      allowed: 'must be linear16, mulaw or alaw; a stream has no other',
      given: encoding,
    });
  const container = readOne(query, 'container') ?? 'none';
  if (container !== 'none')
    throw fieldError({
      field: 'container',
      allowed: 'must be none; a stream has no container',
      given: container,
    });
  const parameters = readParameters(query);
  if (version === 'v2') {
    if (parameters.voice === undefined) throw fieldError({ field: 'model', allowed: 'must be given: it is the voice' });
    const fault = parameters.speed === undefined ? undefined : speedFault(parameters.speed);
    if (fault !== undefined) throw speedError(fault, parameters.speed);
  }
  return {
    format: FORMATS[encoding],
    sampleRate: DEFAULT_RATES[encoding],
    audio: 'binary',
    flow: 'clock',
    pace: 'realtime',
    leadMs: LEAD_MS,
    // What was heard of a turn is told by the word.
    captions: version === 'v2' ? 'words' : 'off',
    ...parameters,
    ...readPacing(query),
  };
}
