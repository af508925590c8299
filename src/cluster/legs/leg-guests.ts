// Remote legs: this process plays to them and another one owns their sockets. Everything about the call is here; what it
// sends goes over a relay, in order, and what waits there counts as if it waited here.

import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Duplex } from 'node:stream';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createLegConnection, type LegConnection } from '../../gateway/calls/leg-connection.ts';
import type { LegWire } from '../../gateway/calls/leg-wire.ts';
import { createSweeper } from '../../gateway/sockets/sweeper.ts';
import type { PlayoutClock } from '../../playout/playout-clock.ts';
import { PEER_HEADER } from '../peer-note.ts';
import { LEG_PATH, UPGRADE_NAME } from '../private-listener.ts';
import type { Neighbour } from '../reverse-proxy.ts';
import { openLegCodec } from './leg-switchboard.ts';
import type { MovingLegs } from './moving-legs.ts';
import { frameBytes, type LegOpening, packRelay, type RelayMessage, readRelay } from './relay-frames.ts';

export type LegGuests = {
  /** Resolves when the call has begun here; rejects with `leg_not_found` or `leg_taken` when it does not. */
  fetch(wanted: WantedLeg): Promise<void>;
  /** The call goes on where its socket is. */
  sendHome(key: string): void;
  close(): void;
};

/** A leg whose socket is in another process, by its key there, and the user that it belongs to. */
export type WantedLeg = {
  readonly key: string;
  readonly userId: string;
  readonly from: Neighbour;
  /** What stands behind LEG_PATH; the key unless given. */
  readonly path?: string;
};

export type LegGuestsOptions = {
  readonly registry: () => MovingLegs;
  readonly clock: Clock;
  readonly playout: PlayoutClock;
  readonly log: Log;
};

/** It is near, and the call has long begun. */
const FETCH_MS = 3000;

const takenError = () => new AppError('leg_taken', 'Another session has this leg.');
const gone = (cause?: unknown) => new AppError('leg_not_found', 'The leg has gone.', { cause });

export function createLegGuests(options: LegGuestsOptions): LegGuests {
  const { registry, clock, log, playout } = options;
  const guests = new Map<LegConnection, { readonly relay: Duplex; readonly key: string }>();
  const sweeper = createSweeper(clock, (nowMs) => {
    for (const guest of guests.keys()) guest.sweep(nowMs);
    return guests.size > 0 ? 'more' : 'none';
  });

  const dial = ({ key, from, path: which = encodeURIComponent(key) }: WantedLeg): Promise<Duplex> =>
    new Promise((resolve, reject) => {
      const path = `${LEG_PATH}${which}`;
      const note = { address: '', scheme: 'http', hosts: 'named' } as const;
      const options = {
        path,
        headers: {
          Connection: 'Upgrade',
          Upgrade: UPGRADE_NAME,
          [PEER_HEADER]: from.notes.stamp(note, { method: 'GET', path }),
        },
        timeout: FETCH_MS,
      };
      const asked =
        'socketPath' in from.at
          ? request({ ...options, socketPath: from.at.socketPath })
          : (from.at.origin.startsWith('https:') ? requestTls : request)(new URL(from.at.origin), options);
      asked.once('upgrade', (_reply, socket, head: Buffer) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.once('response', (reply) => {
        reply.resume();
        reject(reply.statusCode === 409 ? takenError() : gone());
      });
      asked.once('timeout', () => asked.destroy(new Error('no answer')));
      asked.once('error', (cause) => reject(gone(cause)));
      asked.end();
    });

  const wireOf = (relay: Duplex) => {
    let sent = 0;
    let taken = 0;
    let waiting = 0;
    const send = (message: RelayMessage) => {
      if (relay.writable) relay.write(packRelay(message));
    };
    const wire: LegWire = {
      send(frame) {
        sent += frameBytes(frame);
        send({ is: 'frame', frame });
      },
      bufferedBytes: () => sent - taken + waiting,
      close(code, reason) {
        send({ is: 'close', code, reason });
        relay.end();
      },
      terminate() {
        send({ is: 'terminate' });
        relay.end();
      },
    };
    return {
      wire,
      hear: (told: Extract<RelayMessage, { is: 'taken' }>) => {
        taken = told.bytes;
        waiting = told.waiting;
      },
    };
  };

  const receive = (relay: Duplex, { key, userId }: WantedLeg) =>
    new Promise<void>((resolve, reject) => {
      const { wire, hear } = wireOf(relay);
      let guest: LegConnection | undefined;
      const disarm = clock.after(FETCH_MS, () => relay.destroy());
      const begin = ({ id, kind, callId, token, lives }: LegOpening) => {
        guest = createLegConnection({
          id,
          kind,
          callId,
          token,
          markPrefix: `${lives}-`,
          codec: openLegCodec(kind),
          wire,
          arrivals: {
            arrive: (arrived) => registry().arrive(key, 'goes-on', arrived),
            turnAway: (away) => registry().turnAway(away),
          },
          clock,
          log,
          playout,
          // The primary has decided who owns it.
          userOf: () => userId,
          unowned: 'claimable',
          onStarted: () => {
            disarm();
            resolve();
          },
        });
        guests.set(guest, { relay, key });
        sweeper.start();
      };
      readRelay(
        relay,
        (message) => {
          if (message.is === 'opening') begin(message.opening);
          else if (message.is === 'frame') guest?.receive(message.frame);
          else if (message.is === 'taken') hear(message);
          else if (message.is === 'leaving') guest?.leaving(message.deadlineMs);
          else if (message.is === 'closed') guest?.closed(message.because);
          else if (message.is === 'handed-on') {
            registry().movedAway(key);
            guest?.handOn();
          }
        },
        clock,
      );
      relay.once('close', () => {
        disarm();
        reject(gone());
        if (guest === undefined || !guests.delete(guest)) return;
        guest.closed();
      });
    });

  return {
    fetch: async (wanted) => receive(await dial(wanted), wanted),
    sendHome(key) {
      for (const [guest, { relay, key: each }] of guests) {
        if (each !== key) continue;
        guests.delete(guest);
        guest.handOn();
        relay.end();
      }
    },
    close() {
      sweeper.stop();
      for (const { relay } of guests.values()) relay.destroy();
    },
  };
}
