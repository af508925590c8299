// Cartesia's text-to-speech WebSocket: which upgrades are its own, where its clients put their key, and how its sessions
// begin. https://docs.cartesia.ai/api-reference/tts/websocket

import { AppError } from '../../base/app-error.ts';
import type { Dialect, Upgrade } from '../dialect.ts';
import type { Preset } from '../native-messages.ts';
import { readPacing } from '../pacing-query.ts';
import { createCartesiaCodec } from './cartesia-codec.ts';

const PATH = '/tts/websocket';

/** As long as Cartesia's own: its clients have no message to keep a connection alive. */
const IDLE_TIMEOUT_MS = 300_000;
/**
 * Clients of this protocol keep a playback buffer of their own and clear it when they cancel, so being ahead costs no
 * stale word; a second of it hides a stalled event loop in a bot and a network that hiccups.
 */
const LEAD_MS = 1000;
/** A message per frame: few enough of them, small ones, and little silence behind the last word. */
const FRAME_MS = 50;

/** A context says how it sounds; this is what none of them can. */
const BEGINNING: Preset = {
  format: 'raw',
  frameMs: FRAME_MS,
  pace: 'realtime',
  leadMs: LEAD_MS,
  flow: 'clock',
  audio: 'binary',
  captions: 'off',
};

/** The key that the headers and the query agree on. */
function apiKeyOf({ headers, query }: Upgrade): string | undefined {
  const bearers = (headers.authorization ?? []).map((line) => /^Bearer +(\S+)\s*$/i.exec(line)?.[1]);
  const given = [
    ...(headers['x-api-key'] ?? []).map((line) => line.trim()),
    ...bearers,
    ...query.getAll('api_key'),
    ...query.getAll('access_token'),
  ];
  const keys = new Set(given.filter((key) => key !== undefined && key !== ''));
  // A proxy may have checked one of them, and we would believe the other.
  if (keys.size > 1) throw new AppError('unauthorized', 'There are several API keys; send one.');
  return keys.values().next().value;
}

export const cartesiaDialect: Dialect = {
  name: 'cartesia',
  enter(upgrade) {
    if (upgrade.path !== PATH) return undefined;
    return {
      caller: { apiKey: apiKeyOf(upgrade) },
      preset: () => ({ ...BEGINNING, ...readPacing(upgrade.query) }),
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      playout: 'side-by-side',
      // It has no context to be sent in, and the first one would wait for it.
      greets: 'no',
      open: createCartesiaCodec,
    };
  },
};
