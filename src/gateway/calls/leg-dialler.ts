// Legs that this gateway dials: a channel waits in Asterisk, a user names its connection id, and the leg is his, like one
// that has dialled us with his token. Nobody can name an address.

import type { WebSocket } from 'ws';
import type { AttachTokens } from '../../access/attach-tokens.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { chanWebSocketLeg } from '../../legs/chan-websocket-leg.ts';
import type { CallLeg } from '../../playout/call-leg.ts';
import { dialMediaSocket, readMediaServer } from './dial-media-socket.ts';
import type { LegEnd } from './leg-connection.ts';
import type { LegSockets } from './leg-sockets.ts';

export type WantedChannel = {
  readonly userId: string;
  /** Of the form of a UUID. */
  readonly connectionId: string;
  /** What the leg is to be called; by default the channel's own id. */
  readonly callSid?: string | undefined;
};

export type LegDialler = {
  /** Resolves when Asterisk has said what the call is. Rejects with the refusal, or with the signal's reason. */
  readonly dial: (wanted: WantedChannel, signal: AbortSignal) => Promise<CallLeg>;
  /** Dials no more, and gives up what is under way. */
  drain(): void;
};

export type LegDiallerOptions = {
  /** The address of Asterisk's HTTP server; undefined: nothing is dialled. */
  readonly asteriskUrl: string | undefined;
  readonly sockets: LegSockets;
  readonly tokens: AttachTokens;
  readonly clock: Clock;
};

/** Asterisk says it as the first thing. */
const START_MS = 5000;

const REFUSALS: Readonly<Record<LegEnd, (reason: string) => AppError>> = {
  leg_codec: (reason) => new AppError('leg_codec', reason),
  unauthorized: () =>
    new AppError('forbidden', 'The channel brings a VOXGATE_TOKEN that is none of a session of this user.'),
  idle_timeout: () =>
    new AppError(
      'leg_unreachable',
      `Asterisk took the connection and did not say within ${START_MS / 1000} s what the call is.`,
    ),
  shutting_down: () => new AppError('shutting_down', 'The gateway is about to stop; try another instance.'),
  rate_limited: () => new AppError('leg_unreachable', 'Asterisk sent more than a call can need.'),
  busy: () => new AppError('busy', 'The gateway has as many legs as it may.', { retryAfterMs: 5000 }),
  internal: () => new AppError('internal', 'The leg failed inside.'),
  over: () => new AppError('leg_unreachable', 'Asterisk closed the connection before the call began.'),
};

export function createLegDialler(options: LegDiallerOptions): LegDialler {
  const { asteriskUrl, sockets, tokens, clock } = options;
  const server = asteriskUrl === undefined ? undefined : readMediaServer(asteriskUrl);
  const stopping = new AbortController();

  return {
    async dial({ userId, connectionId, callSid }, given) {
      if (server === undefined)
        throw new AppError(
          'unsupported',
          'Set VOXGATE_ASTERISK_URL to the address of Asterisk’s HTTP server: without it nothing is dialled.',
        );
      const signal = AbortSignal.any([given, stopping.signal]);
      signal.throwIfAborted();
      const giveRoomBack = sockets.takeRoom();
      const begin = (socket: WebSocket) =>
        new Promise<CallLeg>((resolve, reject) => {
          giveRoomBack();
          const onAbort = () => connection.close('given up');
          const connection = sockets.open(socket, {
            leg: chanWebSocketLeg,
            standing: 'proved',
            address: undefined,
            token: undefined,
            userOf: (token) => (token === undefined || tokens.userOf(token) === userId ? userId : undefined),
            callId: callSid,
            startWithinMs: START_MS,
            onStarted(leg) {
              signal.removeEventListener('abort', onAbort);
              resolve(leg);
            },
            onEnded(end, reason) {
              signal.removeEventListener('abort', onAbort);
              reject(REFUSALS[end](reason));
            },
          });
          signal.addEventListener('abort', onAbort, { once: true });
        });
      return dialMediaSocket({ server, connectionId, clock, signal, open: begin }).finally(giveRoomBack);
    },
    drain: () => stopping.abort(REFUSALS.shutting_down('')),
  };
}
