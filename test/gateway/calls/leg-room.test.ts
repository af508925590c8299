// Legs that have proved nothing take no place from those that have: not while they are there, and not while they go.
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import type { LegConnection } from '../../../src/gateway/calls/leg-connection.ts';
import { createLegRoom } from '../../../src/gateway/calls/leg-room.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const ROOM = 64;

function start() {
  const clock = createFakeClock();
  const connections = new Set<LegConnection>();
  const told = { evicted: 0, out: 0 };
  const room = createLegRoom({
    maxLegs: 40,
    clock,
    log: silentLog,
    intake: {
      legEvicted() {
        told.evicted += 1;
      },
    },
    places: () => connections.size,
  });
  const open = (owned: () => boolean = () => false): LegConnection => {
    const connection: LegConnection = {
      receive() {},
      closed() {},
      close() {},
      isOwned: owned,
      leaving() {},
      handOn() {},
      sweep() {},
    };
    connections.add(connection);
    return connection;
  };
  const enter = (connection = open()) => {
    room.enter(connection, '192.0.2.1', () => {
      told.out += 1;
    });
    clock.advance(3000); // it is new no longer
    return connection;
  };
  /** Its socket is gone at last. */
  const goneFor = (connection: LegConnection) => {
    connections.delete(connection);
    room.leave(connection);
  };
  return { room, told, open, enter, goneFor };
}

describe('the room of legs that have proved nothing', () => {
  it('takes no place, however many come and however long the sockets of those that go stay open', () => {
    const { room, told, open, enter, goneFor } = start();
    const all = Array.from({ length: 10 * ROOM }, () => enter());
    expect(told).toEqual({ evicted: 9 * ROOM, out: 9 * ROOM });
    expect(room.proved()).toBe(0);
    open();
    expect(room.proved()).toBe(1);
    for (const stranger of all) goneFor(stranger);
    expect(room.proved()).toBe(1);
  });

  it('gives a place to one that has said whose it is', () => {
    const { room, enter } = start();
    const leg = enter();
    expect(room.proved()).toBe(0);
    room.leave(leg);
    expect(room.proved()).toBe(1);
  });

  it('closes none that has become somebody’s meanwhile', () => {
    const { room, told, open, enter } = start();
    enter(open(() => true));
    for (let n = 0; n < ROOM; n += 1) enter();
    expect(told).toEqual({ evicted: 0, out: 0 });
    expect(room.proved()).toBe(1);
  });
});
