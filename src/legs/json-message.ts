// What carriers send as JSON, read without trusting it.

import type { LegFrame } from './leg.ts';

/** Undefined for anything but a text frame that holds a JSON object. */
export function parseJsonObject(frame: LegFrame): Record<string, unknown> | undefined {
  if (typeof frame !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(frame);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The longest that a name, an id or a token may be; media payloads are bounded by the message. */
const LONGEST = 1 << 20;

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST ? value : undefined;
