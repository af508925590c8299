// Answers about the gateway as a whole, whichever process is asked: merged metrics and pools, the sessions of all
// processes, and what one process does for all of them.

import { MAX_TOKEN_LIFE_MS, type TokenIssuer } from '../access/token-issuer.ts';
import { AppError } from '../base/app-error.ts';
import type { Metrics } from '../base/metrics.ts';
import { countedIn, joinSnapshots, type MetricsSnapshot } from '../base/metrics-snapshot.ts';
import type { LegRoutesOptions } from '../http/routes/leg-routes.ts';
import type { LiveView } from '../http/routes/live-view.ts';
import type { PoolMemberReport, PoolReport } from '../upstream/pool/pool-report.ts';
import type { UpstreamPool } from '../upstream/pool/upstream-pool.ts';
import type { WorkClass } from '../upstream/speech-work.ts';
import type { PlayerPeer, Players } from './players.ts';

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
function joinPools(own: PoolReport, others: readonly PoolReport[]): PoolReport {
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

type WholeGateway = {
  readonly metrics: () => Promise<MetricsSnapshot>;
  readonly pool: () => Promise<PoolReport>;
  /** Of one user, or of all. */
  readonly sessions: (userId: string | undefined) => Promise<readonly LiveView[]>;
  /** False when no process has such a session. */
  readonly endSession: (id: string) => Promise<boolean>;
  /** When it is done, no process lets anybody in with the token. */
  readonly revoke: (userId: string, id: string) => Promise<void>;
  readonly dialLeg: LegRoutesOptions['dial'];
};

type WholeGatewayOptions<Brief> = {
  readonly players: Pick<Players<Brief>, 'all'>;
  readonly metrics: Metrics;
  readonly pool: Pick<UpstreamPool, 'state'>;
  readonly tokens: Pick<TokenIssuer, 'revoke'>;
};

/** A process that is alive answers at once; one that is not is left out. */
const LOOK_MS = 2000;
/** Longer than any dialling takes. */
const DIAL_MS = 30_000;

export function createWholeGateway<Brief>(options: WholeGatewayOptions<Brief>): WholeGateway {
  const { players, metrics, pool, tokens } = options;
  /** The last metrics of each process, so that its counts are not lost with it. */
  const told = new Map<PlayerPeer<Brief>, MetricsSnapshot>();
  let left: MetricsSnapshot = [];
  let dialled = 0;

  const askAll = async <Answer>(ask: (player: PlayerPeer<Brief>) => Promise<Answer>): Promise<Answer[]> => {
    const answers = await Promise.allSettled(players.all().map(ask));
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  };

  return {
    async metrics() {
      const now = players.all();
      await askAll(async (player) => {
        told.set(player, await player.ask('metrics', null, { deadlineMs: LOOK_MS }));
      });
      for (const [player, snapshot] of told) {
        if (now.includes(player)) continue;
        told.delete(player);
        left = joinSnapshots([left, countedIn(snapshot)]);
      }
      return joinSnapshots([metrics.snapshot(), ...told.values(), left]);
    },
    pool: async () =>
      joinPools(pool.state(), await askAll((player) => player.ask('pool', null, { deadlineMs: LOOK_MS }))),
    sessions: async (userId) =>
      (await askAll((player) => player.ask('sessions', { userId }, { deadlineMs: LOOK_MS }))).flat(),
    endSession: async (id) =>
      (await askAll((player) => player.ask('endSession', id, { deadlineMs: LOOK_MS }))).some(Boolean),
    async revoke(userId, id) {
      tokens.revoke(userId, id);
      const revoked = { id, leftMs: MAX_TOKEN_LIFE_MS };
      await askAll((player) => player.ask('revokeToken', revoked, { deadlineMs: LOOK_MS }));
    },
    async dialLeg(wanted, signal) {
      const there = players.all();
      const player = there[dialled++ % Math.max(1, there.length)];
      if (player === undefined)
        throw new AppError('busy', 'No process is there to dial.', { retryAfterMs: 1000 });
      return player.ask('dialLeg', wanted, { deadlineMs: DIAL_MS, signal });
    },
  };
}
