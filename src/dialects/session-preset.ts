// The query string of an upgrade as a first `configure`: /v1/session?format=mulaw&sampleRate=8000&voice=…

import { checkFields, fieldError } from '../base/check-fields.ts';
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
    if (!Object.hasOwn(configureFields, name)) {
      const known = [...Object.keys(configureFields), 'agent'].join(', ');
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

/** Settings from wherever a dialect found them. Throws as `readPreset` does. */
export const checkPreset = (given: Readonly<Record<string, unknown>>): Preset =>
  checkFields(presetSchema, given, 'query');
