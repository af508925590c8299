// The roles in which the program starts itself for a bench; `voxgate bench ROLE` is not for people.

export const BENCH_ROLES = [
  'gateway-process',
  'upstream-process',
  'phone-process',
  'peer-process',
  'crowd-process',
  'hostile-process',
  'bare-session',
  'idle-sessions-process',
] as const;
export type BenchRole = (typeof BENCH_ROLES)[number];

export const isBenchRole = (name: string): name is BenchRole =>
  (BENCH_ROLES as readonly string[]).includes(name);
