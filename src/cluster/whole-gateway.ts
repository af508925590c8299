// What is told of the gateway as a whole, whichever process is asked: figures and pools joined, sessions of all, and what
// one process does for all of them.

import { AppError } from '../base/app-error.ts';
import type { Metrics } from '../base/metrics.ts';
import { countedIn, joinSnapshots, type MetricsSnapshot } from '../base/metrics-snapshot.ts';
import type { LegRoutesOptions } from '../http/routes/leg-routes.ts';
import type { LiveView } from '../http/routes/live-view.ts';
import { LONGEST_TOKEN_LIFE_MS, type TokenDesk } from '../session/observers/token-desk.ts';
import type { PoolReport } from '../upstream/pool/pool-report.ts';
import type { UpstreamPool } from '../upstream/pool/upstream-pool.ts';
import { joinPools } from './join-pools.ts';
import type { PlayerPeer, Players } from './players.ts';

export type WholeGateway = {
  readonly metrics: () => Promise<MetricsSnapshot>;
  readonly pool: () => Promise<PoolReport>;
  /** Of one user, or of all. */
  readonly sessions: (userId: string | undefined) => Promise<readonly LiveView[]>;
  /** When it is done, no process lets anybody in with the token. */
  readonly revoke: (userId: string, id: string) => Promise<void>;
  readonly dialLeg: LegRoutesOptions['dial'];
};

export type WholeGatewayOptions<Brief> = {
  readonly players: Pick<Players<Brief>, 'all'>;
  readonly metrics: Metrics;
  readonly pool: Pick<UpstreamPool, 'state'>;
  readonly tokens: Pick<TokenDesk, 'revoke'>;
};

/** A process that is alive answers at once; one that is not is left out. */
const LOOK_MS = 2000;
/** Longer than any dialling takes. */
const DIAL_MS = 30_000;

export function createWholeGateway<Brief>(options: WholeGatewayOptions<Brief>): WholeGateway {
  const { players, metrics, pool, tokens } = options;
  /** What each process last told, so that what it had counted is not lost with it. */
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
    async revoke(userId, id) {
      tokens.revoke(userId, id);
      const revoked = { id, leftMs: LONGEST_TOKEN_LIFE_MS };
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
