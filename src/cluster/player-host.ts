// How the primary answers the questions of each process that plays and handles its news, and what it releases when one dies.

import type { Log } from '../base/log.ts';
import type { SessionAgent } from '../session/session-agent.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import type { HealthExchange } from '../upstream/health/shared-health.ts';
import type { QuotaState, QuotaStore } from '../upstream/quota/quota-store.ts';
import type { LegDirectory } from './legs/leg-directory.ts';
import type { PlayerNumber, PrimaryAsks, PrimaryNews } from './messages.ts';
import type { Answers, Listeners } from './peer.ts';
import type { QuotaShare } from './quota-share.ts';
import type { SessionRegistry } from './session-registry.ts';

export type PlayerHost = {
  readonly answersFor: (player: PlayerNumber) => Answers<PrimaryAsks>;
  readonly listenersFor: (player: PlayerNumber) => Omit<Listeners<PrimaryNews>, 'hello'>;
  readonly gone: (player: PlayerNumber) => void;
};

export type PlayerHostOptions = {
  readonly share: QuotaShare;
  readonly health: HealthExchange;
  readonly sessions: SessionRegistry;
  readonly legs: LegDirectory;
  readonly log: Log;
  readonly findAgent: (userId: string, agentId: string) => Promise<SessionAgent | undefined>;
  readonly listVoices: (service: string) => Promise<readonly ListedVoice[]>;
  readonly tellQuota: (player: PlayerNumber, states: readonly QuotaState[]) => void;
};

export function createPlayerHost(options: PlayerHostOptions): PlayerHost {
  const { share, sessions, legs, log, tellQuota } = options;
  const quotas = new Map<PlayerNumber, QuotaStore>();

  const quotasOf = (player: PlayerNumber): QuotaStore => {
    const known = quotas.get(player);
    if (known !== undefined) return known;
    const opened = share.open();
    opened.onChange(() => tellQuota(player, opened.state()));
    quotas.set(player, opened);
    return opened;
  };

  return {
    answersFor: (player) => ({
      enterSession(session) {
        sessions.enter(session, player);
        return null;
      },
      findSession: (id) => sessions.find(id),
      askQuota(ask) {
        const store = quotasOf(player);
        const answer = store.ask(ask);
        if (!('then' in answer)) return { answer, states: store.state() };
        return answer.then((given) => ({ answer: given, states: store.state() }));
      },
      quotaStates: () => quotasOf(player).state(),
      exchangeHealth: options.health,
      findAgent: async ({ userId, agentId }) => (await options.findAgent(userId, agentId))?.profile,
      listVoices: (service) => options.listVoices(service),
    }),
    listenersFor: (player) => ({
      log: ({ level, event, fields }) => log[level](event, { ...fields, player }),
      sessionLeft: (id) => sessions.leave(id),
      quotaReport: ({ quota, reservation, report }) => quotasOf(player).report(quota, reservation, report),
      quotaReleased: ({ quota, reservation }) => quotasOf(player).released?.(quota, reservation),
      agentUsed({ userId, agentId, use }) {
        options.findAgent(userId, agentId).then(
          (agent) => agent?.used(use),
          () => {},
        );
      },
      legArrived: (news) => legs.arrived(player, news),
      legTurnedAway: (news) => legs.turnedAway(player, news),
      legLeft: (news) => legs.left(player, news),
      legReleased: (key) => legs.released(player, key),
      legWanted: (news) => legs.wanted(player, news),
      legUnwanted: (ask) => legs.unwanted(player, ask),
    }),
    gone(player) {
      sessions.playerGone(player);
      legs.playerGone(player);
      void quotas.get(player)?.close();
      quotas.delete(player);
    },
  };
}
