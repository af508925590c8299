// The query string of an upgrade as a first `configure`: /v1/session?format=mulaw&sampleRate=8000&voice=…

import { checkFields, fieldError } from '../base/check-fields.ts';
import type { ResumeClaim } from './dialect.ts';
import { configureFields, type Preset, presetSchema } from './native-messages.ts';

const NUMBERS: ReadonlySet<string> = new Set([
  'sampleRate',
  'frameMs',
  'leadMs',
  'speed',
  'seed',
  'temperature',
  'voiceConditioningSeconds',
  'voiceConditioningSeconds2',
]);

/** Throws `invalid_request` naming the parameter, what was given where that is harmless, and what is allowed. */
export function readPreset(query: URLSearchParams): Preset {
  const given: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (name === OUTLIVES) continue;
    if (!Object.hasOwn(configureFields, name)) {
      const known = [...Object.keys(configureFields), 'agent', 'resumable'].join(', ');
      throw fieldError({
        field: name.slice(0, 80),
        allowed: `is no parameter of a session; there are ${known}`,
      });
    }
    if (Object.hasOwn(given, name)) throw fieldError({ field: name, allowed: 'given twice; give it once' });
    // An empty number is a mistake, not a zero.
    given[name] = NUMBERS.has(name) && value.trim() !== '' ? Number(value) : value;
  }
  return checkPreset(given);
}

/** A session's own parameters; the others are those of `configure`. */
const OUTLIVES = 'resumable';
export const RESUME = 'resume';
const CLAIM = ['after', 'turn', 'received'] as const;

const only = (query: URLSearchParams, name: string): string | undefined => {
  const given = query.getAll(name);
  if (given.length > 1) throw fieldError({ field: name, allowed: 'given twice; give it once' });
  return given[0];
};

/** Throws `invalid_request`. */
export function readOutlives(query: URLSearchParams): boolean {
  const given = only(query, OUTLIVES);
  if (given === undefined || given === '0') return false;
  if (given === '1') return true;
  throw fieldError({ field: OUTLIVES, allowed: 'must be 0 or 1', given });
}

/** What a client that comes back says it has. Throws `invalid_request`. */
export function readClaim(query: URLSearchParams): ResumeClaim {
  const other = [...query.keys()].find((name) => ![RESUME, OUTLIVES, ...CLAIM].includes(name));
  if (other !== undefined)
    throw fieldError({
      field: other.slice(0, 80),
      allowed: 'cannot be set where a session goes on',
      todo: 'configure sets it for turns to come',
    });
  const whole = (name: (typeof CLAIM)[number]): number => {
    const given = only(query, name) ?? '0';
    if (!/^\d{1,15}$/.test(given))
      throw fieldError({ field: name, allowed: 'must be a whole number from 0', given });
    return Number(given);
  };
  only(query, RESUME);
  const turn = only(query, 'turn');
  if (turn !== undefined && (turn.length < 1 || turn.length > 64))
    throw fieldError({ field: 'turn', allowed: 'must have 1 to 64 characters' });
  const received = whole('received');
  if (received > 0 && turn === undefined)
    throw fieldError({ field: 'received', allowed: 'is of a turn; name it as turn' });
  return { after: whole('after'), turn, received };
}

/** Settings from wherever a dialect found them. Throws as `readPreset` does. */
export const checkPreset = (given: Readonly<Record<string, unknown>>): Preset =>
  checkFields(presetSchema, given, 'query');
