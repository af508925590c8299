// Answers about the gateway as a whole, whichever process is asked: merged metrics and pools, the sessions of all
// processes, and what one process does for all of them.

import { MAX_TOKEN_LIFE_MS, type TokenIssuer } from '../access/token-issuer.ts';
import { AppError } from '../base/app-error.ts';
import type { Metrics } from '../base/metrics.ts';
import { countedIn, joinSnapshots, type MetricsSnapshot } from '../base/metrics-snapshot.ts';
import type { LegRoutesOptions } from '../http/routes/leg-routes.ts';
import type { LiveView } from '../http/routes/live-view.ts';
import type { ServiceReport } from '../http/routes/operator-routes.ts';
import type { PoolReport } from '../upstream/pool/pool-report.ts';
import { joinHealth, joinPools, joinServices } from './joined-pools.ts';
import type { PlayerPeer, Players } from './players.ts';

type WholeGateway = {
  readonly metrics: () => Promise<MetricsSnapshot>;
  /** Of all services together. */
  readonly pool: () => Promise<PoolReport>;
  readonly services: () => Promise<readonly ServiceReport[]>;
  /** Of one user, or of all. */
  readonly sessions: (userId: string | undefined) => Promise<readonly LiveView[]>;
  /** False when no process has such a session. */
  readonly endSession: (id: string) => Promise<boolean>;
  /** When it is done, no process lets anybody in with the token. */
  readonly revoke: (userId: string, id: string) => Promise<void>;
  /** As `revoke`, of one that was taken back elsewhere and could be used for `leftMs`. */
  readonly noteRevoked: (id: string, leftMs: number) => void;
  readonly dialLeg: LegRoutesOptions['dial'];
};

type WholeGatewayOptions<Brief> = {
  readonly players: Pick<Players<Brief>, 'all'>;
  readonly metrics: Metrics;
  /** Of this process, which counts the quotas. */
  readonly pools: () => readonly ServiceReport[];
  readonly tokens: Pick<TokenIssuer, 'revoke' | 'noteRevoked'>;
};

/** A process that is alive answers at once; one that is not is left out. */
const LOOK_MS = 2000;
/** Longer than any dialling takes. */
const DIAL_MS = 30_000;

export function createWholeGateway<Brief>(options: WholeGatewayOptions<Brief>): WholeGateway {
  const { players, metrics, pools, tokens } = options;
  /** The last metrics of each process, so that its counts are not lost with it. */
  const told = new Map<PlayerPeer<Brief>, MetricsSnapshot>();
  let left: MetricsSnapshot = [];
  let dialled = 0;

  const askAll = async <Answer>(ask: (player: PlayerPeer<Brief>) => Promise<Answer>): Promise<Answer[]> => {
    const answers = await Promise.allSettled(players.all().map(ask));
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  };

  const spread = (revoked: { readonly id: string; readonly leftMs: number }) =>
    askAll((player) => player.ask('revokeToken', revoked, { deadlineMs: LOOK_MS }));

  const services = async (): Promise<readonly ServiceReport[]> => {
    const others = await askAll((player) => player.ask('pools', null, { deadlineMs: LOOK_MS }));
    return pools().map((own) => {
      const same = others.flatMap(({ player, services: theirs }) => {
        const report = theirs.find(({ name }) => name === own.name);
        return report === undefined ? [] : [{ process: player, report }];
      });
      const found = [{ process: 0, report: own }, ...same];
      const health = joinHealth(found.map(({ process, report }) => ({ process, health: report.health })));
      const pool = joinPools(
        own,
        same.map(({ report }) => report),
      );
      return { ...own, ...pool, ...(health === undefined ? {} : { health }) };
    });
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
    pool: async () => joinServices(await services()),
    services,
    sessions: async (userId) =>
      (await askAll((player) => player.ask('sessions', { userId }, { deadlineMs: LOOK_MS }))).flat(),
    endSession: async (id) =>
      (await askAll((player) => player.ask('endSession', id, { deadlineMs: LOOK_MS }))).some(Boolean),
    async revoke(userId, id) {
      tokens.revoke(userId, id);
      await spread({ id, leftMs: MAX_TOKEN_LIFE_MS });
    },
    noteRevoked(id, leftMs) {
      tokens.noteRevoked(id, leftMs);
      void spread({ id, leftMs });
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
