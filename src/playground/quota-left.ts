// What the pool's keys may still send in this minute, all together, from the report that the gateway gives operators.

export type PoolKey = {
  readonly fingerprint: string;
  readonly state: string;
  readonly used: number;
  readonly limit?: number;
};

export type Quota = { readonly left: number; readonly limit: number };

/** Undefined when a key has no limit, or there is no key: then nothing runs out. */
export function quotaLeft(keys: readonly PoolKey[]): Quota | undefined {
  if (keys.length === 0) return undefined;
  let [used, limit] = [0, 0];
  for (const key of keys) {
    if (key.limit === undefined) return undefined;
    used += Math.min(key.used, key.limit);
    limit += key.limit;
  }
  return { left: limit - used, limit };
}
