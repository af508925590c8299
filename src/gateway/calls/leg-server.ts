// Upgrades to /v1/legs/KIND[/TOKEN]. A token may stand in the path, in a header or in the first message, and counts in
// this order. A refusal is an HTTP status; a leg whose token comes with its first message is closed with 4401 when the
// token is unknown.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { AttachTokens } from '../../access/attach-tokens.ts';
import { carriedToken } from '../../access/carried-token.ts';
import { headerLines } from '../../access/header-lines.ts';
import { guardLoopback } from '../../access/loopback-guard.ts';
import { isSignedByTwilio } from '../../access/twilio-signature.ts';
import { AppError } from '../../base/app-error.ts';
import type { Leg } from '../../legs/leg.ts';
import { LEGS } from '../../legs/legs.ts';
import { offeredProtocols, SOCKET_BOUNDS } from '../sockets/socket-bounds.ts';
import { type LegSockets, MAX_LEG_BYTES, type OpenedLeg } from './leg-sockets.ts';

export type LegServerOptions = {
  readonly legs: readonly Leg[];
  readonly tokens: AttachTokens;
  /** Without API keys only this machine is served, and a leg without a token is the local user's. */
  readonly callers: { readonly are: 'strangers' } | { readonly are: 'local'; readonly user: string };
  readonly scheme: 'http' | 'https';
  readonly twilioAuthToken: string | undefined;
  /** As platforms are given it; undefined without API keys. */
  readonly publicOrigin: string | undefined;
  readonly sockets: LegSockets;
};

export type LegServer = {
  takes(path: string): boolean;
  /** Throws the refusal. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
};

const PATH = /^\/v1\/legs\/([a-z-]{1,40})(?:\/([\w.~-]{1,500}))?$/;

/** The kind of leg that a path names, if there is such a kind: what else it holds may be a token. */
export const legKindOf = (path: string): string | undefined => {
  const named = path.split(/[/?]/, 4)[3];
  return LEGS.find(({ kind }) => kind === named)?.kind;
};

export function createLegServer(options: LegServerOptions): LegServer {
  const { legs, tokens, callers } = options;
  const protocolOf = new WeakMap<IncomingMessage, string>();
  const socketOptions = {
    ...SOCKET_BOUNDS,
    maxPayload: MAX_LEG_BYTES,
    handleProtocols: (_offered: ReadonlySet<string>, request: IncomingMessage) =>
      protocolOf.get(request) ?? false,
  };
  const server = new WebSocketServer(socketOptions);

  const userOf = (token: string | undefined): string | undefined => {
    if (token !== undefined) return tokens.userOf(token);
    return callers.are === 'local' ? callers.user : undefined;
  };

  const admit = (request: IncomingMessage) => {
    const target = request.url ?? '/';
    const headers = headerLines(request.rawHeaders);
    if (callers.are === 'local') guardLoopback(headers, options.scheme);
    const [, kind, inPath] = PATH.exec(target.split('?', 1)[0]!) ?? [];
    const leg = legs.find((each) => each.kind === kind);
    if (leg === undefined) {
      const named = legKindOf(target);
      if (named !== undefined && target.split('?', 1)[0] === `/v1/legs/${named}/`)
        throw new AppError(
          'not_found',
          `The path ends behind /v1/legs/${named}/, its token is missing: attachToken of ready; a leg that brings it elsewhere leaves out the last slash.`,
        );
      const kinds = legs.map((each) => each.kind).join(', ');
      throw new AppError('not_found', `There is no such leg; there are ${kinds}.`);
    }
    const isSigned = leg.kind === 'twilio' && checkSignature(request, target) === 'signed';
    const token = inPath ?? carriedToken(headers);
    if (token !== undefined && userOf(token) === undefined) {
      const where = inPath === undefined ? 'its headers' : 'the path';
      throw new AppError(
        'unauthorized',
        `The leg's token in ${where} belongs to no session of this gateway.`,
      );
    }
    // Its token is known, or it comes from this machine, or is signed; all others have to prove their owner by their
    // first message.
    const standing: OpenedLeg['standing'] = isSigned || userOf(token) !== undefined ? 'proved' : 'unproved';
    if (standing === 'proved') options.sockets.takeRoom()();
    const offered = offeredProtocols(headers['sec-websocket-protocol']);
    return { leg, token, standing, protocol: leg.protocols.find((each) => offered.includes(each)) };
  };

  const checkSignature = (request: IncomingMessage, target: string): 'signed' | 'not-asked-for' => {
    const { twilioAuthToken, publicOrigin } = options;
    if (twilioAuthToken === undefined) {
      if (callers.are === 'local') return 'not-asked-for';
      throw new AppError(
        'unauthorized',
        'Set VOXGATE_TWILIO_AUTH_TOKEN: a gateway that others reach takes signed legs of Twilio only.',
      );
    }
    const signature = [request.headers['x-twilio-signature']].flat()[0];
    if (signature === undefined)
      throw new AppError(
        'unauthorized',
        'There is no signature of Twilio (X-Twilio-Signature); a call that is not from Twilio is not taken here, and a proxy has to pass this header on.',
      );
    if (publicOrigin !== undefined && isSignedByTwilio(signature, twilioAuthToken, publicOrigin, target))
      return 'signed';
    throw new AppError(
      'unauthorized',
      'The signature of Twilio does not fit; VOXGATE_PUBLIC_URL has to be the origin that the TwiML names, and VOXGATE_TWILIO_AUTH_TOKEN the auth token of the account.',
    );
  };

  return {
    takes: (path) => path.startsWith('/v1/legs/'),
    upgrade(request, socket, head) {
      const { leg, token, standing, protocol } = admit(request);
      const address = request.socket.remoteAddress;
      if (protocol !== undefined) protocolOf.set(request, protocol);
      server.handleUpgrade(request, socket, head, (webSocket) =>
        options.sockets.open(webSocket, { leg, token, userOf, standing, address }),
      );
    },
    close: () => server.close(),
  };
}
