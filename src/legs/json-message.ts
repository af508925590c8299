// What carriers send as JSON, read without trusting it.

import type { LegAudio, LegFrame } from './leg.ts';

export type JsonFields = Readonly<Record<string, unknown>>;

const NO_FIELDS: JsonFields = {};

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : NO_FIELDS;

/** Undefined for anything but a text frame that holds a JSON object. */
export function parseJsonObject(frame: LegFrame): JsonFields | undefined {
  if (typeof frame !== 'string') return undefined;
  try {
    const fields = fieldsOf(JSON.parse(frame));
    return fields === NO_FIELDS ? undefined : fields;
  } catch {
    return undefined;
  }
}

/** The longest that a name, an id or a token may be; media payloads are bounded by the message. */
const LONGEST = 1 << 20;

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST ? value : undefined;

export const MULAW_8K: LegAudio = { format: 'mulaw', sampleRate: 8000 };

/** 16-bit linear audio of one of these rates, which come as numbers or as strings. */
export function linearAudio(rate: unknown, rates: readonly number[]): LegAudio | undefined {
  const sampleRate = rates.find((each) => each === rate || String(each) === rate);
  return sampleRate === undefined ? undefined : { format: 'raw', sampleRate };
}
