// Everything that can be wrong with an upgrade, in the order in which a caller would fix it. An upgrade that passes
// becomes a session; any other is refused with an HTTP status.

import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../../access/credentials.ts';
import { type HeaderLines, headerLines } from '../../access/header-lines.ts';
import { guardLoopback } from '../../access/loopback-guard.ts';
import type { TokenIssuer } from '../../access/token-issuer.ts';
import { AppError, toAppError } from '../../base/app-error.ts';
import { fieldError } from '../../base/check-fields.ts';
import type { Dialect, DialectEntry, Upgrade } from '../../dialects/dialect.ts';
import { renamedError } from '../../dialects/field-names.ts';
import type { Preset } from '../../dialects/native-messages.ts';
import { offeredProtocols } from './socket-bounds.ts';

export type Admission = {
  readonly userId: string;
  /** The agent that was asked for; its profile is yet to be found. */
  readonly agentId: string | undefined;
  readonly entry: DialectEntry;
  /** What the upgrade sets, over the gateway's own and the agent's settings. */
  readonly preset: Preset;
};

export type RoomLimits = {
  readonly maxConnections: number;
  /** 0 is no limit of its own. */
  readonly maxConnectionsPerUser: number;
};

export type AdmissionOptions = RoomLimits & {
  /** Each path is that of one of them at most. */
  readonly dialects: readonly Dialect[];
  readonly credentials: Credentials;
  readonly tokens: Pick<TokenIssuer, 'checkSpeak'>;
  readonly scheme: 'http' | 'https';
};

/** What is there already. */
export type Occupancy = {
  readonly connections: number;
  connectionsOf(userId: string): number;
  /** Why no caller is let in at this moment. */
  refusal(): AppError | undefined;
};

const RETRY_AFTER_MS = 5000;

export type Refusal = {
  readonly error: AppError;
  /** What the caller's protocol wants beside the status. */
  readonly headers: Readonly<Record<string, string>>;
};

export type Answer =
  | { readonly ok: true; readonly admission: Admission }
  | { readonly ok: false; readonly refusal: Refusal };

export function admitUpgrade(
  request: IncomingMessage,
  options: AdmissionOptions,
  occupancy: Occupancy,
): Answer {
  let entry: DialectEntry | undefined;
  try {
    const headers = headerLines(request.rawHeaders);
    if (!options.credentials.areRequired) guardLoopback(headers, options.scheme);
    const { upgrade, agents } = readTarget(request.url ?? '/', headers);
    entry = enterDialect(options.dialects, upgrade);
    const userId = identify(entry, headers, options);
    refuseBody(headers);
    if (agents.length > 1) throw fieldError({ field: 'agent', allowed: 'given twice; give it once' });
    const preset = entry.preset();
    checkRoom(userId, options, occupancy);
    return { ok: true, admission: { userId, agentId: agents[0], entry, preset } };
  } catch (thrown) {
    return { ok: false, refusal: refusalOf(toAppError(thrown), entry) };
  }
}

/** In the words of the caller's protocol. */
export function refusalOf(thrown: AppError, entry: DialectEntry | undefined): Refusal {
  const error = renamedError(thrown, entry?.fieldNames ?? {});
  return { error, headers: entry?.refusalHeaders?.(error) ?? {} };
}

/** The target is compared as it came: a URL parser would mend `//host/v1/session` and `/x/../v1/session` first. */
function readTarget(url: string, headers: HeaderLines): { upgrade: Upgrade; agents: readonly string[] } {
  const queryAt = url.indexOf('?');
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
  const agents = query.getAll('agent');
  query.delete('agent');
  const protocols = offeredProtocols(headers['sec-websocket-protocol']);
  return { upgrade: { path: queryAt < 0 ? url : url.slice(0, queryAt), query, headers, protocols }, agents };
}

function enterDialect(dialects: readonly Dialect[], upgrade: Upgrade): DialectEntry {
  for (const dialect of dialects) {
    const entry = dialect.enter(upgrade);
    if (entry !== undefined) return entry;
  }
  throw new AppError(
    'not_found',
    'There is no WebSocket at this path; sessions are at /v1/session, and docs/dialects/ lists the others.',
  );
}

function identify(
  { caller, token }: DialectEntry,
  headers: HeaderLines,
  { credentials, tokens }: AdmissionOptions,
): string {
  // A caller that shows a token is not let in without it.
  if (token !== undefined) return tokens.checkSpeak(token);
  return caller === 'headers' ? credentials.identify(headers) : credentials.identifyKey(caller.apiKey);
}

/** Its bytes would be taken for frames here, and for another request by a proxy. */
function refuseBody(headers: HeaderLines): void {
  const hasLength = headers['content-length']?.some((length) => length !== '0') ?? false;
  if (headers['transfer-encoding'] === undefined && !hasLength) return;
  throw new AppError(
    'invalid_request',
    'An upgrade has no body; leave out Content-Length and Transfer-Encoding.',
  );
}

/** Throws `connection_limit` or `busy`. */
export function checkRoom(
  userId: string,
  { maxConnections, maxConnectionsPerUser }: RoomLimits,
  occupancy: Occupancy,
): void {
  const mine = occupancy.connectionsOf(userId);
  if (maxConnectionsPerUser > 0 && mine >= maxConnectionsPerUser) {
    const message = `This user has ${mine} connections, of at most ${maxConnectionsPerUser}; close one, or come back later.`;
    throw new AppError('connection_limit', message, { retryAfterMs: RETRY_AFTER_MS });
  }
  if (occupancy.connections >= maxConnections) {
    throw new AppError('busy', `The gateway has ${maxConnections} connections, as many as it may; come back later.`, {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
  const refused = occupancy.refusal();
  if (refused !== undefined) throw refused;
}
