// The WebSocket protocols of ElevenLabs: text to speech with many contexts or with one, and text to dialogue. One codec
// behind three front doors.

import type { Dialect } from '../dialect.ts';
import { createContextCodec } from './context-codec.ts';
import { IDLE_SECONDS, idleMsOf, readAlignmentClock, readPreset } from './session-terms.ts';
import { upgradeKey } from './upgrade-key.ts';
import { enterDoor } from './voice-path.ts';

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
      preset: () => readPreset(entered, query),
      idleTimeoutMs: idleMs,
      playout: 'side-by-side',
      // It belongs to no context.
      greets: 'no',
      open: (outlet) =>
        createContextCodec({ door, alignmentClock: readAlignmentClock(door, query), idleMs }, outlet),
    };
  },
};
