// A socket is modelled as a kernel that holds `kernelBytes` and a peer that empties it.
import { describe, expect, it } from 'vitest';
import { createReadingWatch } from '../../../src/gateway/sockets/reading-watch.ts';
import { accepted } from '../../support/settings.ts';

const KIB = 1024;
const FRAME = 1920;
const FRAME_ON_THE_WIRE = FRAME + 4;
const CONGESTED = 128 * KIB;

const { drainDeadlineMs } = accepted({}).config;

function createSocket(kernelBytes: number) {
  const watch = createReadingWatch({ congestedBytes: CONGESTED, drainDeadlineMs });
  let [inKernel, buffered] = [0, 0];
  const settle = () => {
    const room = Math.min(buffered, kernelBytes - inKernel);
    inKernel += room;
    buffered -= room;
  };
  return {
    watch,
    /** As the session does: on until the socket is congested. */
    burst() {
      while (buffered <= CONGESTED) {
        watch.handed(FRAME_ON_THE_WIRE);
        buffered += FRAME_ON_THE_WIRE;
        settle();
      }
    },
    read(bytes: number) {
      inKernel = Math.max(0, inKernel - bytes);
      settle();
    },
    look: (nowMs: number) => watch.look(nowMs, buffered),
  };
}

describe('a reading watch', () => {
  it.each([400, 40, 4, 0.1])('never calls a client stuck that reads %d KiB a second', (kibPerSecond) => {
    const socket = createSocket(2048 * KIB);
    for (let second = 0; second < 60; second++) {
      socket.burst();
      const seen = socket.look(second * 1000);
      expect(seen).toBe(second === 0 ? 'idle' : 'reading');
      socket.read(kibPerSecond * KIB);
    }
  });

  it('calls a client stuck that reads nothing for the deadline', () => {
    const socket = createSocket(2048 * KIB);
    const seen = Array.from({ length: 12 }, (_, second) => {
      socket.burst();
      return socket.look(second * 1000);
    });
    expect(seen.indexOf('stuck')).toBe(drainDeadlineMs / 1000);
    expect(new Set(seen.slice(1, seen.indexOf('stuck')))).toEqual(new Set(['waiting']));
  });

  it('begins the deadline anew with each byte that is taken', () => {
    const socket = createSocket(0);
    socket.burst();
    const watch = socket.watch;
    expect(watch.look(0, 200 * KIB)).not.toBe('stuck');
    expect(watch.look(9000, 200 * KIB - 1)).toBe('reading');
    expect(watch.look(18_000, 200 * KIB - 1)).toBe('waiting');
    expect(watch.look(19_000, 200 * KIB - 1)).toBe('stuck');
  });

  it('knows nothing while all goes into the kernel, read or not', () => {
    const socket = createSocket(2048 * KIB);
    for (let second = 0; second < 60; second++) {
      for (let frame = 0; frame < 10; frame++) socket.watch.handed(160);
      expect(socket.watch.look(second * 1000, 0)).toBe('idle');
    }
  });

  it('is not misled by frames of all sizes that nobody takes', () => {
    const { watch } = createSocket(0);
    let buffered = 0;
    for (const [second, size] of [0, 1, 125, 126, 65_535, 65_536, 200_000].entries()) {
      watch.handed(size);
      buffered += size + (size < 126 ? 2 : size < 65_536 ? 4 : 10);
      expect(watch.look(second * 1000, buffered)).toBe(second === 0 ? 'idle' : 'waiting');
    }
  });
});
