// What carriers send as JSON, read without trusting it.

import { isJsonObject, type JsonObject, parseJson } from '../base/json.ts';
import type { LegFrame } from './leg.ts';

const NO_FIELDS: JsonObject = {};

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : NO_FIELDS);

/** Undefined for anything but a text frame that holds a JSON object. */
export function parseJsonObject(frame: LegFrame): JsonObject | undefined {
  const value = typeof frame === 'string' ? parseJson(frame)?.value : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** No name, id or token of anybody is longer. */
const LONGEST = 4096;

/** A name, an id or a token; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST ? value : undefined;
