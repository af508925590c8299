// Everything that can be wrong with an upgrade, in the order in which a caller would mend it. Whoever comes past this
// has a session; whoever does not is told by an HTTP status.

import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../access/credentials.ts';
import { headerLines } from '../access/header-lines.ts';
import { guardLoopback } from '../access/loopback-guard.ts';
import { AppError } from '../base/app-error.ts';
import type { Preset } from '../dialects/native-messages.ts';
import { readPreset } from './session-preset.ts';

export type Admission = {
  readonly userId: string;
  /** The agent that was asked for; its profile is yet to be found. */
  readonly agentId: string | undefined;
  /** What the query sets, over the gateway's own and the agent's settings. */
  readonly preset: Preset;
};

export type AdmissionOptions = {
  readonly credentials: Credentials;
  readonly scheme: 'http' | 'https';
  readonly maxConnections: number;
  /** 0 is no limit of its own. */
  readonly maxConnectionsPerUser: number;
};

/** What is there already. */
export type Occupancy = { readonly connections: number; connectionsOf(userId: string): number };

const SESSION_PATH = '/v1/session';
const RETRY_AFTER_MS = 5000;

/** Throws the AppError that says why not. */
export function admitUpgrade(
  { rawHeaders, url = '/' }: IncomingMessage,
  options: AdmissionOptions,
  occupancy: Occupancy,
): Admission {
  const headers = headerLines(rawHeaders);
  if (!options.credentials.areRequired) guardLoopback(headers, options.scheme);
  // The target is compared as it came: a URL parser would mend `//host/v1/session` and `/x/../v1/session` first.
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  if (path !== SESSION_PATH) {
    throw new AppError('not_found', `There is no WebSocket at this path; sessions are at ${SESSION_PATH}.`);
  }
  const userId = options.credentials.identify(headers);
  // Its bytes would be taken for frames here, and for another request by a proxy.
  if (
    headers['transfer-encoding'] !== undefined ||
    headers['content-length']?.some((length) => length !== '0')
  ) {
    throw new AppError(
      'invalid_request',
      'An upgrade has no body; leave out Content-Length and Transfer-Encoding.',
    );
  }
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
  const agents = query.getAll('agent');
  if (agents.length > 1) throw new AppError('invalid_request', 'agent: given twice.');
  query.delete('agent');
  const preset = readPreset(query);

  const { maxConnections, maxConnectionsPerUser } = options;
  const mine = occupancy.connectionsOf(userId);
  if (maxConnectionsPerUser > 0 && mine >= maxConnectionsPerUser) {
    const message = `This user has ${mine} connections already, the most allowed.`;
    throw new AppError('connection_limit', message, { retryAfterMs: RETRY_AFTER_MS });
  }
  if (occupancy.connections >= maxConnections) {
    throw new AppError('busy', 'The gateway has as many connections as it may.', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
  return { userId, agentId: agents[0], preset };
}
