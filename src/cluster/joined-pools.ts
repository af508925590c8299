// The pools of several processes as one report, and those of several services.

import type { ServiceHealthReport } from '../http/routes/operator-routes.ts';
import type { HealthPhase } from '../upstream/health/service-health.ts';
import type { PoolMemberReport, PoolReport } from '../upstream/pool/pool-report.ts';
import type { WorkClass } from '../upstream/speech-work.ts';

// Pools of the same keys are merged: quotas are shared, requests under way and waiting add up, and a key on probation in
// one of them is reported as such.

function joinMembers(a: PoolMemberReport, b: PoolMemberReport): PoolMemberReport {
  const doubted = (b.doubt?.restMs ?? -1) > (a.doubt?.restMs ?? -1) ? b : a;
  return {
    ...a,
    inFlight: a.inFlight + b.inFlight,
    cap: Math.min(a.cap, b.cap),
    doubt: doubted.doubt,
    state: doubted.doubt === undefined && a.state === 'ready' ? b.state : doubted.state,
  };
}

/** `own` counts the quotas; the others have the same keys in the same order. */
export function joinPools(own: PoolReport, others: readonly PoolReport[]): PoolReport {
  return others.reduce((joined, other): PoolReport => {
    const byClass: Partial<Record<WorkClass, number>> = { ...joined.waitingByClass };
    for (const [of, count] of Object.entries(other.waitingByClass) as [WorkClass, number][])
      byClass[of] = (byClass[of] ?? 0) + count;
    const delays = [joined.hedge.afterMs, other.hedge.afterMs].filter((ms) => ms !== undefined);
    return {
      keys: joined.keys.map((key) => {
        const same = other.keys.find(({ fingerprint }) => fingerprint === key.fingerprint);
        return same === undefined ? key : joinMembers(key, same);
      }),
      waiting: joined.waiting + other.waiting,
      waitingByClass: byClass,
      hedge: {
        budget: joined.hedge.budget + other.hedge.budget,
        afterMs: delays.length === 0 ? undefined : Math.min(...delays),
      },
    };
  }, own);
}

/** From the best to the worst. */
const BY_STATE: readonly HealthPhase[] = ['healthy', 'suspect', 'proving', 'out'];

/** Of one service, by the processes that have found it; undefined where it is not chosen among several. */
export function joinHealth(
  found: readonly { readonly process: number; readonly health: ServiceHealthReport | undefined }[],
): ServiceHealthReport | undefined {
  const processes = found.flatMap(({ process, health }) =>
    health === undefined ? [] : [{ process, ...health }],
  );
  const [worst] = processes.toSorted((a, b) => BY_STATE.indexOf(b.state) - BY_STATE.indexOf(a.state));
  if (worst === undefined) return undefined;
  const { process: _, ...health } = worst;
  return { ...health, processes };
}

/** Of the services of one process: their keys one after another, the rest added up. */
export function joinServices(reports: readonly PoolReport[]): PoolReport {
  const [first, ...others] = reports;
  if (first === undefined) throw new RangeError('a gateway has at least one speech service');
  const all = [first, ...others].map(poolOf);
  if (others.length === 0) return all[0]!;
  const keys = all.flatMap((report) => report.keys);
  return { ...joinPools(all[0]!, all.slice(1)), keys };
}
const poolOf = ({ keys, waiting, waitingByClass, hedge }: PoolReport): PoolReport => ({
  keys,
  waiting,
  waitingByClass,
  hedge,
});
