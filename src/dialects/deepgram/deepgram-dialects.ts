// Deepgram's WebSocket speech, /v1/speak and /v2/speak, so that its SDKs and the frameworks that speak it can be pointed
// at this gateway with no change but the address.

import type { Dialect, DialectCodec, DialectSink, Upgrade } from '../dialect.ts';
import { readSpeakQuery, type SpeakVersion } from './upgrade-query.ts';
import { createV1Codec } from './v1-codec.ts';
import { createV2Codec } from './v2-codec.ts';
import { FIELD_NAMES } from './wire-errors.ts';
import { requestIdOf } from './wire-ids.ts';

// Where a caller of this protocol has its key: `Authorization: Token KEY` or `Bearer KEY`, and from a browser, which
// can set no header, the subprotocols ["token", KEY] or ["bearer", KEY]. One of those offered must be selected, or
// browsers hang up; it is the name, never the key.

type UpgradeKey = {
  readonly apiKey: string | undefined;
  readonly protocol: string | undefined;
};

const SCHEMES: readonly string[] = ['token', 'bearer'];
const AUTHORIZATION = /^(?:token|bearer) +(\S+)\s*$/i;

function readUpgradeKey({ headers, protocols }: Pick<Upgrade, 'headers' | 'protocols'>): UpgradeKey {
  const at = protocols.findIndex((name) => SCHEMES.includes(name.toLowerCase()));
  const protocol = protocols[at];
  const lines = headers.authorization;
  if (lines === undefined) return { apiKey: at < 0 ? undefined : protocols[at + 1], protocol };
  // Of two lines a proxy may have checked the other one.
  const line = lines.length === 1 ? lines[0]! : '';
  return { apiKey: AUTHORIZATION.exec(line)?.[1], protocol };
}

/** Frameworks keep a connection for an hour and use it again; one that was closed meanwhile costs them a failed turn. */
const IDLE_TIMEOUT_MS = 3_600_000;
const MAX_HEADER = 500;
/** The voice in the metadata of a caller that names none. */
const UNNAMED_MODEL = 'default';

/** Names of parameters are the caller's own. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_HEADER);

function speakDialect(
  version: SpeakVersion,
  create: (sink: DialectSink, model: string) => DialectCodec,
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
        fieldNames: FIELD_NAMES,
        ...(protocol !== undefined && { protocol }),
        sessionHeaders: (session) => ({ 'dg-request-id': requestIdOf(session) }),
        refusalHeaders: ({ message }) => ({ 'dg-error': headerText(message) }),
        preset: () => readSpeakQuery(query, version),
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        open: (sink) => create(sink, query.get('model') ?? UNNAMED_MODEL),
      };
    },
  };
}

export const deepgramDialects: readonly Dialect[] = [
  speakDialect('v1', createV1Codec),
  speakDialect('v2', createV2Codec),
];
