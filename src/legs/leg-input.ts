// What carriers say alike, whatever they call it.

import { textOf } from './json-message.ts';
import type { LegInput } from './leg.ts';

/** Nothing that a carrier's documents tell of. */
export const UNKNOWN: readonly LegInput[] = [{ kind: 'unknown' }];

/** Sound of the caller's, a whole message of it. */
export const audioInput = (bytes: Uint8Array): readonly LegInput[] =>
  bytes.length === 0 ? UNKNOWN : [{ kind: 'audio', bytes }];

export function markInput(name: unknown, fate: 'echoed' | 'played' | 'cleared'): readonly LegInput[] {
  const text = textOf(name);
  return text === undefined ? UNKNOWN : [{ kind: 'mark', name: text, fate }];
}
