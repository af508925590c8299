// Remote legs: this process plays to them and another one owns their sockets. Everything about the call is here; what it
// sends goes over a relay, in order, and what waits there counts as if it waited here.

import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createLegConnection, type LegConnection } from '../../gateway/calls/leg-connection.ts';
import type { LegWire } from '../../gateway/calls/leg-wire.ts';
import { createSweeper } from '../../gateway/sockets/sweeper.ts';
import type { PlayoutClock } from '../../playout/playout-clock.ts';
import type { LegAddress } from '../messages.ts';
import { type NoteStamp, PEER_HEADER } from '../peer-note.ts';
import { LEG_PATH, UPGRADE_NAME } from '../private-listener.ts';
import { openLegCodec } from './leg-switchboard.ts';
import type { MovingLegs } from './moving-legs.ts';
import { frameBytes, type LegOpening, packRelay, type RelayMessage, readRelay } from './relay-frames.ts';

export type LegGuests = {
  /** Resolves when the call has begun here; rejects when it does not. */
  fetch(address: LegAddress & { readonly userId: string }): Promise<void>;
  close(): void;
};

export type LegGuestsOptions = {
  readonly registry: () => MovingLegs;
  /** Of the private listener of a process. */
  readonly pathOf: (player: number) => string;
  readonly notes: NoteStamp;
  readonly clock: Clock;
  readonly playout: PlayoutClock;
  readonly log: Log;
};

/** It is on this machine, and the call has long begun. */
const FETCH_MS = 3000;

const gone = (cause?: unknown) => new AppError('leg_not_found', 'The leg has gone.', { cause });

export function createLegGuests(options: LegGuestsOptions): LegGuests {
  const { registry, clock, log, playout } = options;
  const guests = new Map<LegConnection, Duplex>();
  const sweeper = createSweeper(clock, (nowMs) => {
    for (const guest of guests.keys()) guest.sweep(nowMs);
    return guests.size > 0 ? 'more' : 'none';
  });

  const dial = ({ key, holder }: LegAddress): Promise<Duplex> =>
    new Promise((resolve, reject) => {
      const path = `${LEG_PATH}${encodeURIComponent(key)}`;
      const note = { address: '', scheme: 'http', hosts: 'named' } as const;
      const asked = request({
        socketPath: options.pathOf(holder),
        path,
        headers: {
          Connection: 'Upgrade',
          Upgrade: UPGRADE_NAME,
          [PEER_HEADER]: options.notes.stamp(note, { method: 'GET', path }),
        },
        timeout: FETCH_MS,
      });
      asked.once('upgrade', (_reply, socket, head: Buffer) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.once('response', (reply) => {
        reply.resume();
        reject(gone());
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

  const receive = (relay: Duplex, { key, userId }: LegAddress & { readonly userId: string }) =>
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
        guests.set(guest, relay);
        sweeper.start();
      };
      readRelay(relay, (message) => {
        if (message.is === 'opening') begin(message.opening);
        else if (message.is === 'frame') guest?.receive(message.frame);
        else if (message.is === 'taken') hear(message);
        else if (message.is === 'closed') guest?.closed(message.because);
        else if (message.is === 'handed-on') {
          registry().movedAway(key);
          guest?.handOn();
        }
      });
      relay.once('close', () => {
        disarm();
        reject(gone());
        if (guest === undefined) return;
        guests.delete(guest);
        guest.closed();
      });
    });

  return {
    fetch: async (address) => receive(await dial(address), address),
    close() {
      sweeper.stop();
      for (const relay of guests.values()) relay.destroy();
    },
  };
}
