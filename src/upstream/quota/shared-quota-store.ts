// The quota store of an instance among others: they count together in a server as long as it answers, and each within its lease
// when it does not (lease-script.ts). No caller waits for the server longer than circuit-breaker.ts says.
//
// Sharing: the server decides. Cut off: it does not answer in time; the own share decides. Then all known sends are told to
// it, in a new epoch, and until every other instance has done so the own share goes on to decide (rebuilding).

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { type QuotaKnowledge, waitsWithGrowth } from '../../limits/quota-knowledge.ts';
import { createServerCircuit, singleFlight } from './circuit-breaker.ts';
import { logQuotaChange } from './log-quota-change.ts';
import { answerAlone, createQuotaAccount, type QuotaAccount } from './quota-account.ts';
import { LATE_MS } from './quota-scripts.ts';
import type { ClockStep, QuotaServer } from './quota-server.ts';
import type { QuotaAnswer, QuotaAsk, QuotaId, QuotaStore } from './quota-store.ts';
import { createStoreTime } from './store-time.ts';

export type SharedQuotaStoreOptions = {
  readonly server: QuotaServer;
  /** In the order in which the server has them. */
  readonly quotas: readonly { readonly quota: QuotaId; readonly first: QuotaKnowledge }[];
  /** The instances among which a limit is divided as long as their number is unknown. */
  readonly maxInstances: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

/** How often an instance reports that it lives and reads what the others have sent; its unused lease blocks room this long. */
const PULSE_MS = 250;
/** The same while leases of others block room that it needs. */
const HELD_PULSE_MS = 50;
/**
 * How long room is kept for a silent instance: cut off alone, it still sends, and its sends are unknown. The room of one that
 * died is unused this long. If one is cut off for longer while others are not, the limit may be exceeded by its share.
 */
const MIN_HELD_MS = 120_000;
/** Sends are kept for so much longer than they count (15 s beside a window of 60 s). */
const SPARE_MS = 15_000;
/** How long the store remembers what was learned of an unused quota. */
const STATE_MS = 7 * 24 * 3_600_000;
/** Rounds of an ask or exchange that is overtaken by new epochs. */
const MAX_ROUNDS = 4;

type Standing = 'newcomer' | 'cut off' | 'rebuilding' | 'sharing';

export type SharedQuotaStore = QuotaStore & {
  /** The server answers: what is counted is counted with the other instances. */
  readonly isShared: () => boolean;
};

export function createSharedQuotaStore(options: SharedQuotaStoreOptions): SharedQuotaStore {
  const { server, maxInstances, clock, random, log } = options;
  const instance = random.id(9);
  const time = createStoreTime(clock);
  const circuit = createServerCircuit(clock, () => cutOff());
  const heard: typeof circuit.heard = (...told) => circuit.heard(...told);
  const accounts = options.quotas.map(({ quota, first }) => createQuotaAccount(quota, first, maxInstances));
  const byQuota = new Map(accounts.map((account) => [account.quota, account]));
  const logged = new Map(accounts.map((account) => [account, account.knowledge.current()]));
  let standing: Standing = 'newcomer';
  let epoch = '';
  let instances = maxInstances;
  /** Grants that the server does not know: an exchange that was under way meanwhile did not include them either. */
  let grantsAlone = 0;
  let exchangedAtMs = 0;
  /** The correction of the server's clock to send with the next exchange. */
  let step: ClockStep | undefined;
  let isClosed = false;
  let stopPulse = () => {};
  let notify = () => {};

  const stand = (next: Standing) => {
    if (standing === next) return;
    const [wasSharing, isSharing] = [standing === 'sharing', next === 'sharing'];
    standing = next;
    if (wasSharing === isSharing) return;
    if (isSharing) log.info('quota_shared', { instances });
    else log.warn('quota_local', { instances });
    notify();
  };
  /** Once in each instance, whichever of them has learned it. */
  const logChanges = () => {
    for (const account of accounts) {
      const [before, after] = [logged.get(account)!, account.knowledge.current()];
      logged.set(account, after);
      if (before !== after) logQuotaChange(log, account.quota, before, after, time.now());
    }
  };
  const cutOff = () => {
    if (!isClosed) stand('cut off');
  };
  const accountsOf = (among: readonly QuotaId[]): QuotaAccount[] =>
    among.map((quota) => {
      const account = byQuota.get(quota);
      if (account === undefined) throw new RangeError('not a quota of this store');
      return account;
    });
  const grantOf = (reservation: string, among: readonly QuotaId[]): QuotaAnswer | undefined => {
    const account = accountsOf(among).find(({ sends }) => sends.has(reservation));
    return account === undefined ? undefined : { granted: true, quota: account.quota };
  };
  const keepMs = () => {
    const now = time.now();
    return Math.max(...accounts.map((account) => account.reachMs(now))) + SPARE_MS;
  };

  /** The accounts that have learned something by it. */
  const learnAnswered = (among: readonly QuotaAccount[]) =>
    among.filter((account) => account.learnAnswered(time.now()));

  async function exchangeOnce(leaving: 'staying' | 'leaving'): Promise<'told' | 'tell again'> {
    const askedAtMs = clock.now();
    exchangedAtMs = askedAtMs;
    const grantsBefore = grantsAlone;
    const [estimate, latest] = time.isKnown() ? [time.now(), time.latest()] : [0, 0];
    const isComplete = standing !== 'sharing';
    const tellings = time.isKnown()
      ? accounts.map((account) => account.tell(latest, isComplete ? 'all sends' : 'changes'))
      : [];
    const answer = await heard(
      server.exchange({
        instance,
        epoch,
        fresh: random.id(9),
        estimate,
        latest,
        step,
        wasCut: standing === 'cut off',
        isComplete: isComplete && time.isKnown(),
        isLeaving: leaving === 'leaving',
        expected: instances,
        keepMs: keepMs(),
        rebuildMs: keepMs() - SPARE_MS,
        heldMs: Math.max(MIN_HELD_MS, keepMs()),
        stateMs: STATE_MS,
        quotas: tellings.map(({ told }) => told),
      }),
    );
    step = undefined;
    if (answer.kind === 'ahead') {
      const { shiftMs: from, serverMs } = answer;
      // After a longer round trip the request may only have been late.
      if (clock.now() - askedAtMs < LATE_MS) step = { from, to: estimate - serverMs };
      return 'tell again';
    }
    const wasKnown = time.isKnown();
    const jumpMs = time.learn(answer, askedAtMs);
    if (!wasKnown) {
      // Until now the times were those of this instance's own clock.
      for (const account of accounts) {
        account.sends.shift(jumpMs);
        account.knowledge.shift(jumpMs);
      }
      return 'tell again';
    }
    const isOther = answer.epoch !== epoch;
    if (isOther && !isComplete) {
      stand('newcomer');
      return 'tell again';
    }
    const isFirst = epoch === '';
    epoch = answer.epoch;
    if (!answer.isRebuilding) instances = answer.instances;
    const picture = answer.isRebuilding ? 'incomplete' : 'whole';
    const again = accounts.filter((account, i) =>
      account.hear(tellings[i]!, answer.quotas[i]!, picture, answer.storeMs),
    );
    // What the others knew before is not logged.
    if (isFirst) for (const account of accounts) logged.set(account, account.knowledge.current());
    else logChanges();
    if (grantsAlone !== grantsBefore) {
      cutOff();
      return 'tell again';
    }
    stand(answer.isRebuilding ? 'rebuilding' : 'sharing');
    const grown = picture === 'whole' ? learnAnswered(accounts) : [];
    return again.length + grown.length > 0 ? 'tell again' : 'told';
  }

  const exchange = singleFlight(async () => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if ((await exchangeOnce('staying')) === 'told') return;
    }
  });
  const exchangeSoon = (then: () => void = () => {}) => {
    if (isClosed || !server.isReady() || circuit.isOpen()) return then();
    exchange.run().then(then, then);
  };

  function askOwnShare(ask: QuotaAsk): QuotaAnswer {
    const granted = grantOf(ask.reservation, ask.among);
    if (granted !== undefined) return granted;
    learnAnswered(accountsOf(ask.among));
    const answer = answerAlone(accountsOf(ask.among), ask, time.now());
    if (answer.granted) byQuota.get(answer.quota)!.granted(ask.reservation, time.latest());
    return answer;
  }
  const askAlone = (ask: QuotaAsk): QuotaAnswer => {
    cutOff();
    const answer = askOwnShare(ask);
    if (answer.granted) grantsAlone += 1;
    return answer;
  };

  /** The server's answer, or undefined when the ask was over before. */
  async function askServer(ask: QuotaAsk, isOver: () => boolean): Promise<QuotaAnswer | undefined> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (standing === 'newcomer' || standing === 'cut off') await exchange.join();
      if (isOver()) return undefined;
      const own = standing === 'sharing' ? undefined : askOwnShare(ask);
      const mine = own?.granted ? own.quota : undefined;
      const leaves = accountsOf(ask.among).map((account) => account.leave(ask.leave));
      const told = { epoch, instance, latestMs: time.latest(), ask, leaves, own: mine, keepMs: keepMs() };
      const answer = await heard(server.acquire(told));
      if (isOver()) return undefined;
      if (answer.kind === 'ahead') await exchange.run();
      else if (answer.kind === 'other epoch') {
        if (standing !== 'cut off') stand('newcomer');
      } else if (answer.kind === 'rebuilding') {
        if (own !== undefined) return own;
        stand('rebuilding');
      } else if (answer.kind === 'granted') {
        if (mine !== undefined && mine !== answer.quota)
          byQuota.get(mine)!.giveBack(ask.reservation, time.now());
        byQuota.get(answer.quota)!.granted(ask.reservation, time.latest());
        return { granted: true, quota: answer.quota };
      } else {
        if (mine !== undefined) byQuota.get(mine)!.giveBack(ask.reservation, time.now());
        // An exchange also gives up what this instance keeps from the others.
        if (answer.room === 'held' && clock.now() - exchangedAtMs >= HELD_PULSE_MS) exchangeSoon();
        const known = accountsOf(ask.among).map(({ knowledge }) => knowledge.current());
        return { granted: false, waitsMs: waitsWithGrowth(answer.waitsMs, known, time.now()) };
      }
    }
    return askAlone(ask);
  }

  /** The server's answer, or in time that of the own share. */
  const askInTime = (ask: QuotaAsk): Promise<QuotaAnswer> =>
    circuit.inTime(
      (isOver) => askServer(ask, isOver),
      () => {
        const answer = askAlone(ask);
        // It is unknown whether the server counted it.
        for (const account of accountsOf(ask.among)) {
          if (!answer.granted || account.quota !== answer.quota)
            account.giveBack(ask.reservation, time.now());
        }
        return answer;
      },
    );

  const lowPriorityWaits = (ask: QuotaAsk, answer: QuotaAnswer): QuotaAnswer => {
    if (!answer.granted && ask.leave > 0) {
      const atMs = time.now();
      const news = accountsOf(ask.among).filter(({ knowledge }) =>
        knowledge.learn({ kind: 'low-priority-waits', atMs }),
      );
      if (news.length > 0) exchangeSoon();
    }
    return answer;
  };

  const pulse = () => {
    stopPulse = clock.after(PULSE_MS, pulse);
    const sinceMs = time.now() - keepMs();
    for (const account of accounts) account.forget(sinceMs);
    if (server.isReady() && circuit.mayTry()) exchange.run().catch(() => {});
  };
  server.onConnection((state) => {
    if (state === 'lost') cutOff();
    else exchange.run().catch(() => {});
  });
  pulse();

  return {
    ask(ask) {
      const granted = grantOf(ask.reservation, ask.among);
      if (granted !== undefined) return granted;
      if (!isClosed && server.isReady() && !circuit.isOpen())
        return askInTime(ask).then((answer) => lowPriorityWaits(ask, answer));
      return lowPriorityWaits(ask, askAlone(ask));
    },
    report(quota, reservation, report) {
      const account = byQuota.get(quota);
      if (account === undefined) return;
      if (report.kind === 'unsent') {
        account.giveBack(reservation, time.now());
        return exchangeSoon(notify);
      }
      const learn = () => {
        // A reset counts from the answer: dated too early it would end an open window.
        const event =
          report.kind === 'failed' ? undefined : account.event(report, reservation, time.latest());
        const isNews = event !== undefined && account.knowledge.learn(event);
        // Behind what it teaches: a refused one must not count as accepted.
        account.answered(reservation);
        if (!account.learnAnswered(time.now()) && !isNews) return;
        // While sharing, it is logged when it is agreed upon.
        if (standing !== 'sharing') logChanges();
        notify();
        exchangeSoon();
      };
      // A refusal teaches by the number of accepted sends: the picture must be fresh.
      if (report.kind === 'refused') exchangeSoon(learn);
      else learn();
    },
    state: () =>
      accounts.map((account) => account.state(time.now(), standing === 'sharing' ? 'shared' : 'local')),
    isShared: () => server.isReady() && !circuit.isOpen(),
    onChange(listener) {
      notify = listener;
    },
    async close() {
      if (isClosed) return;
      stopPulse();
      notify = () => {};
      await exchange.idle();
      isClosed = true;
      if (server.isReady() && !circuit.isOpen()) await exchangeOnce('leaving').catch(() => {});
      server.close();
    },
  };
}
