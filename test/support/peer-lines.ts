// Two ends of a line in one process: what one sends the other gets in a later turn of the fake clock, copied as it would
// be between processes.

import type { Line } from '../../src/cluster/peer.ts';
import type { FakeClock } from './fake-clock.ts';

export type PeerLines = {
  readonly a: Line;
  readonly b: Line;
  /** Whether what is sent comes out of this process. */
  flow: 'flows' | 'stands';
};

export function createPeerLines(clock: FakeClock): PeerLines {
  const listeners: { a: (message: unknown) => void; b: (message: unknown) => void } = {
    a() {},
    b() {},
  };
  const end = (to: 'a' | 'b', own: 'a' | 'b'): Line => ({
    send(message, onSent) {
      const copy = structuredClone(message);
      if (lines.flow === 'stands') return;
      clock.soon(() => {
        onSent(null);
        listeners[to](copy);
      });
    },
    onMessage(listener) {
      listeners[own] = listener;
    },
  });
  const lines: PeerLines = { a: end('b', 'a'), b: end('a', 'b'), flow: 'flows' };
  return lines;
}
