// Clients of this protocol give up when nothing comes for ten seconds, whatever they wait for. While speech is on its way
// and nothing is said, something is.

export type QuietWatch = {
  /** Something has been sent. */
  sent(): void;
  /** Called about once a second, with a monotonic time; true when the client has waited long enough. */
  isOverdue(nowMs: number, state: 'speaking' | 'idle'): boolean;
};

/** Half of those ten seconds, with the one that passes between two looks at either end of it. */
const LONGEST_QUIET_MS = 3000;

export function createQuietWatch(): QuietWatch {
  let quietSinceMs: number | undefined;
  return {
    sent() {
      quietSinceMs = undefined;
    },
    isOverdue(nowMs, state) {
      if (state === 'idle' || quietSinceMs === undefined) {
        quietSinceMs = nowMs;
        return false;
      }
      return nowMs - quietSinceMs >= LONGEST_QUIET_MS;
    },
  };
}
