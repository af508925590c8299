// Whether a client reads, told from what its socket takes. Bytes that wait in this process say only that the kernel is
// full; that fewer of what was handed over wait than a second ago says that the client reads. So a slow client is told
// from one that has stopped, however much it still has to read.

export type ReadingWatch = {
  /** So many bytes, headers included, were handed to the socket. */
  handed(bytes: number): void;
  /**
   * `idle`: nothing waited, so nothing is known. `reading`: the socket took bytes although it was full. `waiting`: it
   * took none. `stuck`: it has been congested for the deadline and took none in that time.
   */
  look(nowMs: number, bufferedBytes: number): 'idle' | 'reading' | 'waiting' | 'stuck';
};

export type ReadingLimits = {
  /** Above this a socket is congested. */
  readonly congestedBytes: number;
  /** A congested socket that takes nothing for this long is stuck. */
  readonly drainDeadlineMs: number;
};

export function createReadingWatch({ congestedBytes, drainDeadlineMs }: ReadingLimits): ReadingWatch {
  let handedBytes = 0;
  let takenBytes = 0;
  let waitedBytes = 0;
  let congestedSinceMs: number | undefined;
  return {
    handed(bytes) {
      handedBytes += bytes;
    },
    look(nowMs, bufferedBytes) {
      const wasFull = waitedBytes > 0;
      const hasTaken = handedBytes - bufferedBytes > takenBytes;
      waitedBytes = bufferedBytes;
      takenBytes = handedBytes - bufferedBytes;
      if (bufferedBytes <= congestedBytes) congestedSinceMs = undefined;
      else if (hasTaken) congestedSinceMs = nowMs;
      else congestedSinceMs ??= nowMs;
      if (congestedSinceMs !== undefined && nowMs - congestedSinceMs >= drainDeadlineMs) return 'stuck';
      if (!wasFull) return 'idle';
      return hasTaken ? 'reading' : 'waiting';
    },
  };
}
