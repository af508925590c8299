// How a service may count the requests of a key in a minute, as `voxgate engine --fault limit=…` has it. Windows that
// stand still are told in its headers, as services do that have them; of the moving ones nothing is told.

export const QUOTA = { keys: 4, limit: 60, windowMs: 60_000 } as const;

export const QUOTA_WINDOWS = {
  sliding: `sliding:${QUOTA.limit}:none`,
  strict: `strict:${QUOTA.limit}:none`,
  bucket: `bucket:${QUOTA.limit}:none`,
  first: `first:${QUOTA.limit}:seconds:08`,
  clock: `clock:${QUOTA.limit}:seconds:08`,
} as const;
export type QuotaWindow = keyof typeof QUOTA_WINDOWS;

export const isQuotaWindow = (name: string): name is QuotaWindow => Object.hasOwn(QUOTA_WINDOWS, name);
