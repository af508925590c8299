// How well a quota was used, from what the service itself counted. Not sends per minute: where a run begins and ends
// would move that by a percent. A place in the quota is free again a window after it was taken; how long it really
// was until the next request took it has no such edges.

/**
 * The used part of a quota of `limit` in any `windowMs`, 0…1: the window by the mean time from each request to the
 * one `limit` later, over all keys. The times of each key ascend. NaN when no key had more requests than its limit.
 */
export function usedShare(
  timesByKey: Iterable<readonly number[]>,
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
): number {
  let spans = 0;
  let sumMs = 0;
  for (const times of timesByKey) {
    for (let i = limit; i < times.length; i++) {
      sumMs += times[i]! - times[i - limit]!;
      spans += 1;
    }
  }
  return windowMs / (sumMs / spans);
}

/** The times of the accepted, by key. */
export function acceptedByKey(
  requests: readonly { readonly key: string; readonly atMs: number; readonly status: number }[],
): ReadonlyMap<string, readonly number[]> {
  const byKey = new Map<string, number[]>();
  for (const { key, atMs, status } of requests) {
    if (status !== 200) continue;
    const times = byKey.get(key);
    if (times === undefined) byKey.set(key, [atMs]);
    else times.push(atMs);
  }
  return byKey;
}
