// Deepgram's WebSocket speech, /v1/speak and /v2/speak, so that its SDKs and the frameworks that speak it can be pointed
// at this gateway with no change but the address.

import type { Dialect, DialectCodec, DialectOutlet } from '../dialect.ts';
import { readUpgradeKey } from './upgrade-key.ts';
import { readSpeakQuery, type SpeakVersion } from './upgrade-query.ts';
import { createV1Codec } from './v1-codec.ts';
import { createV2Codec } from './v2-codec.ts';
import { requestIdOf } from './wire-ids.ts';

/** Frameworks keep a connection for an hour and use it again; one that was closed meanwhile costs them a failed turn. */
const IDLE_TIMEOUT_MS = 3_600_000;
const LONGEST_HEADER = 500;
/** What the metadata calls the voice of a caller who names none. */
const UNNAMED_MODEL = 'default';

/** Names of parameters are the caller's own. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_HEADER);

function speakDialect(
  version: SpeakVersion,
  create: (outlet: DialectOutlet, model: string) => DialectCodec,
): Dialect {
  const path = `/${version}/speak`;
  return {
    name: `deepgram-${version}`,
    enter(upgrade) {
      if (upgrade.path !== path) return undefined;
      const { query } = upgrade;
      const { apiKey, protocol } = readUpgradeKey(upgrade);
      return {
        caller: { apiKey },
        ...(protocol !== undefined && { protocol }),
        sessionHeaders: (session) => ({ 'dg-request-id': requestIdOf(session) }),
        refusalHeaders: ({ message }) => ({ 'dg-error': headerText(message) }),
        preset: () => readSpeakQuery(query, version),
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        open: (outlet) => create(outlet, query.get('model') ?? UNNAMED_MODEL),
      };
    },
  };
}

export const deepgramDialects: readonly Dialect[] = [
  speakDialect('v1', createV1Codec),
  speakDialect('v2', createV2Codec),
];
