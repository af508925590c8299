// The WebSocket protocols of ElevenLabs: text to speech with many contexts or with one, and text to dialogue. One codec
// behind three front doors.

import type { Dialect, Upgrade } from '../dialect.ts';
import { createContextCodec } from './context-codec.ts';
import { FIELD_NAMES } from './protocol-error.ts';
import { IDLE_SECONDS, idleMsOf, readAlignmentClock, readPreset } from './session-terms.ts';
import { enterDoor } from './voice-path.ts';

// Where ElevenLabs clients put their key at the upgrade; the first place that has one wins. A key in the first message
// comes too late here: an unknown caller is refused before there is a socket.

const QUERY_NAMES = ['single_use_token', 'xi-api-key', 'xi_api_key'] as const;

const withoutScheme = (value: string): string => value.trim().replace(/^bearer\s+/i, '');

function upgradeKey({ headers, query }: Pick<Upgrade, 'headers' | 'query'>): string | undefined {
  const lines = headers['xi-api-key'] ?? headers.authorization;
  // Two lines would let a proxy check one and us believe the other.
  if (lines !== undefined) return lines.length === 1 ? withoutScheme(lines[0]!) : undefined;
  const authorization = query.get('authorization');
  if (authorization !== null) return withoutScheme(authorization);
  for (const name of QUERY_NAMES) {
    const key = query.get(name);
    if (key !== null) return key;
  }
  return undefined;
}

export const elevenLabsDialect: Dialect = {
  name: 'elevenlabs',
  enter(upgrade) {
    const entered = enterDoor(upgrade.path);
    if (entered === undefined) return undefined;
    const { query } = upgrade;
    const { door } = entered;
    // What is no time is refused with the preset.
    const idleMs = idleMsOf(query) ?? IDLE_SECONDS * 1000;
    return {
      caller: { apiKey: upgradeKey(upgrade) },
      fieldNames: FIELD_NAMES,
      preset: () => readPreset(entered, query),
      idleTimeoutMs: idleMs,
      playout: 'side-by-side',
      // It belongs to no context.
      greets: 'no',
      open: (sink) =>
        createContextCodec({ door, alignmentClock: readAlignmentClock(door, query), idleMs }, sink),
    };
  },
};
