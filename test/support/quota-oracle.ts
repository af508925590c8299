// The least that anybody can wait for quotas with fixed windows: by one who knows the windows to the millisecond, is
// nowhere delayed, and spends first what lapses first. What a real scheduler waits longer than this is its own doing.

export type OraclePlan = {
  /** Ascending. */
  readonly wishedAtMs: readonly number[];
  /** Of each key, any time at which a window begins. */
  readonly windowsFromMs: readonly number[];
  /** Sends of one key in one window. */
  readonly limit: number;
};

const WINDOW_MS = 60_000;

type Key = { endsAtMs: number; left: number };

/** The wait of each wish, in the order of the wishes; who came first goes first. */
export function oracleWaits({ wishedAtMs, windowsFromMs, limit }: OraclePlan): readonly number[] {
  const keys = windowsFromMs.map((fromMs): Key => ({ endsAtMs: fromMs, left: 0 }));
  const turnWindows = (nowMs: number) => {
    for (const key of keys) {
      if (key.endsAtMs > nowMs) continue;
      key.endsAtMs += (1 + Math.floor((nowMs - key.endsAtMs) / WINDOW_MS)) * WINDOW_MS;
      key.left = limit;
    }
  };
  const soonest = (of: readonly Key[]) =>
    of.reduce<Key | undefined>((a, b) => (a !== undefined && a.endsAtMs <= b.endsAtMs ? a : b), undefined);

  let nowMs = 0;
  return wishedAtMs.map((wishMs) => {
    nowMs = Math.max(nowMs, wishMs);
    for (;;) {
      turnWindows(nowMs);
      const key = soonest(keys.filter(({ left }) => left > 0));
      if (key !== undefined) {
        key.left -= 1;
        return nowMs - wishMs;
      }
      nowMs = soonest(keys)!.endsAtMs;
    }
  });
}
