// What carriers say alike, whatever they call it.

import { textOf } from './json-message.ts';
import type { LegInput } from './leg.ts';
import { SERVED_AUDIO, type UnservedAudio } from './named-audio.ts';

/** Nothing that a carrier's documents tell of. */
export const UNKNOWN: readonly LegInput[] = [{ kind: 'unknown' }];

/** Sound of the caller's, a whole message of it. */
export const audioInput = (bytes: Uint8Array): readonly LegInput[] =>
  bytes.length === 0 ? UNKNOWN : [{ kind: 'audio', bytes }];

export function markInput(name: unknown, fate: 'echoed' | 'played' | 'cleared'): readonly LegInput[] {
  const text = textOf(name);
  return text === undefined ? UNKNOWN : [{ kind: 'mark', name: text, fate }];
}

/** A call in a codec that the sound path does not have. */
export const unservedInput = (
  { came }: UnservedAudio,
  { callId, token }: { readonly callId: string | undefined; readonly token: string | undefined },
): readonly LegInput[] => [{ kind: 'unserved', callId, token, came, served: SERVED_AUDIO }];
