// Everything that can be wrong with an upgrade, in the order in which a caller would fix it. An upgrade that passes
// becomes a session; any other is refused with an HTTP status.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { callerKeyName, readBearer } from '../../access/bearer-key.ts';
import type { Credentials } from '../../access/credentials.ts';
import { type HeaderLines, headerLines, traceIdOf } from '../../access/header-lines.ts';
import { guardLoopback } from '../../access/loopback-guard.ts';
import type { ResumeToken, ResumeTokens } from '../../access/resume-tokens.ts';
import type { TokenIssuer } from '../../access/token-issuer.ts';
import { AppError, toAppError } from '../../base/app-error.ts';
import { fieldError } from '../../base/check-fields.ts';
import type { Clock } from '../../base/clock.ts';
import { rawRefusal } from '../../base/error-reply.ts';
import { type Log, type LogFields, levelOfStatus } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { Dialect, DialectEntry, ResumeClaim, Upgrade } from '../../dialects/dialect.ts';
import { renamedError } from '../../dialects/field-names.ts';
import type { Preset } from '../../dialects/native-messages.ts';
import { CLOSE_TIMEOUT_MS, offeredProtocols } from './socket-bounds.ts';

/** What the log may have of an upgrade; each is known from some step on. */
export type UpgradeSeen = {
  readonly dialect?: string;
  readonly tenant?: string;
  /** The name of the caller's key. */
  readonly key?: string | undefined;
  readonly trace?: string | undefined;
};

export type Admission = {
  readonly userId: string;
  /** The agent that was asked for; its profile is yet to be found. */
  readonly agentId: string | undefined;
  /** Its name. */
  readonly dialect: string;
  readonly entry: DialectEntry;
  readonly seen: UpgradeSeen;
  /** What the upgrade sets, over the gateway's own and the agent's settings. */
  readonly preset: Preset;
  /** The session is to outlive its connection. */
  readonly outlives: boolean;
  /** The id of the token that let the caller in. */
  readonly tokenId: string | undefined;
  /** It goes on with a session. */
  readonly back?: Return;
};

/** A client that goes on with a session, which is yet to be found. */
export type Return = {
  readonly token: ResumeToken;
  readonly claim: ResumeClaim;
  readonly entry: DialectEntry;
  readonly seen: UpgradeSeen;
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
  readonly tokens: Pick<TokenIssuer, 'checkSpeak' | 'idOf' | 'isRevoked' | 'onRevoked'>;
  readonly resumeTokens: ResumeTokens;
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

/** Of a client that goes on with a session: it has all that this would say. */
const NOTHING_NEW = { agentId: undefined, preset: {}, outlives: true, tokenId: undefined } as const;

export type Refusal = {
  readonly error: AppError;
  /** What the caller's protocol wants beside the status. */
  readonly headers: Readonly<Record<string, string>>;
  readonly seen: UpgradeSeen;
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
  let seen: UpgradeSeen = {};
  try {
    const headers = headerLines(request.rawHeaders);
    seen = { trace: traceIdOf(headers) };
    if (!options.credentials.areRequired) guardLoopback(headers, options.scheme);
    const { upgrade, agents } = readTarget(request.url ?? '/', headers);
    const entered = enterDialect(options.dialects, upgrade);
    const { dialect } = entered;
    entry = entered.entry;
    seen = { ...seen, dialect };
    const { comesBack } = entry;
    if (comesBack !== undefined) {
      const token = checkResume(comesBack.token, options);
      seen = { ...seen, key: token.key, tenant: token.userId };
      refuseBody(headers);
      const back = { token, claim: comesBack.claim(), entry, seen };
      return { ok: true, admission: { ...NOTHING_NEW, userId: token.userId, dialect, entry, seen, back } };
    }
    const key = options.credentials.areRequired ? keyNameOf(entry, headers) : undefined;
    seen = { ...seen, key };
    const userId = identify(entry, headers, options);
    seen = { ...seen, tenant: userId };
    refuseBody(headers);
    if (agents.length > 1) throw fieldError({ field: 'agent', allowed: 'given twice; give it once' });
    const preset = entry.preset();
    const outlives = entry.outlives?.() === true;
    checkRoom(userId, options, occupancy);
    const tokenId = entry.token === undefined ? undefined : options.tokens.idOf(entry.token);
    const admission = { userId, agentId: agents[0], dialect, entry, seen, preset, outlives, tokenId };
    return { ok: true, admission };
  } catch (thrown) {
    return { ok: false, refusal: refusalOf(toAppError(thrown), entry, seen) };
  }
}

/** In the words of the caller's protocol. */
export function refusalOf(thrown: AppError, entry: DialectEntry | undefined, seen: UpgradeSeen): Refusal {
  const error = renamedError(thrown, entry?.fieldNames ?? {});
  return { error, headers: entry?.refusalHeaders?.(error) ?? {}, seen };
}

/** What a refused peer may still send: the frames that a client sends without waiting, and not a flood. */
const MAX_BYTES_AFTER_REFUSAL = 1024 * 1024;

/** Answers an upgrade with a plain HTTP refusal and ends the socket; its id finds the line of the log. */
export function refuseUpgrade(
  socket: Duplex,
  { error, headers, seen }: Refusal,
  { clock, random, log }: { readonly clock: Clock; readonly random: Random; readonly log: Log },
  more: LogFields,
): void {
  const { code, http: status } = error;
  const request = random.id(16);
  if (code === 'internal') log.error('an upgrade failed inside', { request, cause: String(error.cause) });
  log[levelOfStatus(status)]('upgrade_refused', { request, ...seen, ...more, status, code });
  socket.end(rawRefusal(error, status, { ...headers, 'X-Request-Id': request }));
  // What the peer still sends is read and dropped: closing over unread bytes resets the connection, and the
  // refusal is lost with it. Not for ever, though.
  let unreadBytes = MAX_BYTES_AFTER_REFUSAL;
  socket.on('data', (chunk: Buffer) => {
    unreadBytes -= chunk.length;
    if (unreadBytes < 0) socket.destroy();
  });
  const cancel = clock.after(CLOSE_TIMEOUT_MS, () => socket.destroy());
  socket.once('close', cancel);
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

function enterDialect(
  dialects: readonly Dialect[],
  upgrade: Upgrade,
): { readonly dialect: string; readonly entry: DialectEntry } {
  for (const dialect of dialects) {
    const entry = dialect.enter(upgrade);
    if (entry !== undefined) return { dialect: dialect.name, entry };
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

/** The token is the credential, as long as what it was given for is one. Throws `unauthorized`. */
export function checkResume(
  text: string,
  {
    resumeTokens,
    credentials,
    tokens,
  }: Pick<AdmissionOptions, 'resumeTokens' | 'credentials'> & {
    readonly tokens: Pick<TokenIssuer, 'isRevoked'>;
  },
): ResumeToken {
  const token = resumeTokens.read(text);
  if (token === undefined)
    throw new AppError('unauthorized', 'The resume token is none of this gateway; open a new session.');
  const { userId, key, caller } = token;
  const isRevoked = caller !== undefined && tokens.isRevoked(caller);
  if (isRevoked || (key !== undefined && !credentials.hasKey(userId, key)))
    throw new AppError('unauthorized', 'What the session was opened with has been revoked; open a new one.');
  return token;
}

/** A token is none: it would be one more secret, and its user says as much. */
function keyNameOf({ caller, token }: DialectEntry, headers: HeaderLines): string | undefined {
  if (token !== undefined) return undefined;
  const bearer = headers.authorization?.[0];
  const fromHeaders = bearer === undefined ? undefined : readBearer(bearer);
  const apiKey = caller === 'headers' ? fromHeaders : caller.apiKey;
  return apiKey === undefined ? undefined : callerKeyName(apiKey);
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
    throw new AppError(
      'busy',
      `The gateway has ${maxConnections} connections, as many as it may; come back later.`,
      {
        retryAfterMs: RETRY_AFTER_MS,
      },
    );
  }
  const refused = occupancy.refusal();
  if (refused !== undefined) throw refused;
}
