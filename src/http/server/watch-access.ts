// Who may look on: the session's own user with a key, whoever has a token for it, and on a gateway without keys this
// machine. A session of somebody else is one that there is not.

import type { FastifyRequest } from 'fastify';
import { readBearer } from '../../access/bearer-key.ts';
import type { Medium } from '../../access/caller-tokens.ts';
import type { Credentials } from '../../access/credentials.ts';
import { headerLines } from '../../access/header-lines.ts';
import { AppError } from '../../base/app-error.ts';
import { findSession, type LiveSession, type LiveSessions } from '../../session/live-sessions.ts';
import type { TokenDesk } from '../../session/observers/token-desk.ts';

export type WatchAccess = {
  readonly live: LiveSession;
  /** Of the token that he came with, to be closed when it is revoked. */
  readonly tokenId: string | undefined;
};

export type WatchAccessOptions = {
  readonly credentials: Credentials;
  readonly tokens: TokenDesk;
  readonly sessions: LiveSessions;
};

/** Throws `unauthorized`, `forbidden` and `not_found`. */
export function admitOnlooker(
  request: FastifyRequest,
  medium: Medium,
  { credentials, tokens, sessions }: WatchAccessOptions,
): WatchAccess {
  const { id } = request.params as { readonly id: string };
  const headers = headerLines(request.raw.rawHeaders);
  const given = (request.query as { readonly token?: string | readonly string[] }).token;
  if (typeof given === 'object') throw new AppError('invalid_request', 'token: given twice.');
  const bearer = headers.authorization?.map(readBearer)[0];
  const text = given ?? (bearer !== undefined && tokens.isToken(bearer) ? bearer : undefined);
  const token = text === undefined ? undefined : tokens.checkWatch(text, id, medium);
  const live = findSession(sessions, token?.userId ?? credentials.identify(headers), id);
  if (live === undefined) throw new AppError('not_found', 'There is no open session of this id.');
  return { live, tokenId: token?.id };
}
