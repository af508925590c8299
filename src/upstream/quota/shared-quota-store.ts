// The quota store of an instance among others: they count together in a server as long as it answers, and each within
// what its lease allows when it does not (lease-script.ts). Nobody waits for the server longer than ASK_MS.
//
// Sharing: the server decides. Cut off: it does not answer in time; the own share decides. Then all known sends are told
// to it, in a new epoch, and until every other instance has done so the own share goes on to decide (rebuilding).

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { type QuotaKnowledge, waitsWithGrowth } from '../../limits/quota-knowledge.ts';
import { answerAlone } from './answer-alone.ts';
import { createCircuit } from './circuit.ts';
import { logQuotaChange } from './log-quota-change.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { createQuotaAccount, type QuotaAccount } from './quota-account.ts';
import { LATE_MS } from './quota-scripts.ts';
import type { ClockStep, QuotaServer } from './quota-server.ts';
import type { QuotaAnswer, QuotaAsk, QuotaId, QuotaStore } from './quota-store.ts';
import { createStoreTime } from './store-time.ts';

export type SharedQuotaStoreOptions = {
  readonly server: QuotaServer;
  /** In the order in which the server has them. */
  readonly quotas: readonly { readonly quota: QuotaId; readonly first: QuotaKnowledge }[];
  /** The instances among which a limit is divided as long as nobody knows how many there are. */
  readonly maxInstances: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

/** The longest that a caller waits for the server. */
const ASK_MS = 100;
const FAILURES = 3;
const OPEN_MS = 2_000;
/** How often an instance says that it lives and sees what the others have sent: so long it keeps room from them that it
 * would not take. */
const PULSE_MS = 250;
/** The same while it is itself kept from room. */
const HELD_PULSE_MS = 50;
/**
 * How long room is kept for an instance that is silent: cut off alone, it sends on, and its sends are not known. Room of
 * one that died is idle so long. One that is cut off for longer, while others are not, is one too many.
 */
const LEAST_HELD_MS = 120_000;
/** Sends are kept for so much longer than they count (15 s beside a window of 60 s). */
const SPARE_MS = 15_000;
/** How long the store remembers what was learned of a quota that nobody uses. */
const STATE_MS = 7 * 24 * 3_600_000;
/** An ask that another epoch keeps overtaking. */
const MOST_ROUNDS = 4;

type Standing = 'newcomer' | 'cut off' | 'rebuilding' | 'sharing';

export function createSharedQuotaStore(options: SharedQuotaStoreOptions): QuotaStore {
  const { server, maxInstances, clock, random, log } = options;
  const instance = random.id(9);
  const time = createStoreTime(clock);
  const circuit = createCircuit(FAILURES, OPEN_MS);
  const accounts = options.quotas.map(({ quota, first }) => createQuotaAccount(quota, first, maxInstances));
  const byQuota = new Map(accounts.map((account) => [account.quota, account]));
  const logged = new Map(accounts.map((account) => [account, account.knowledge.current()]));
  let standing: Standing = 'newcomer';
  let epoch = '';
  let instances = maxInstances;
  /** Grants that the server was not told of: an exchange that was under way meanwhile has not told them either. */
  let grantsAlone = 0;
  let exchangedAtMs = 0;
  /** What the server is to believe of its clock with the next exchange. */
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
  /** Once for each instance, whoever of them has learned it. */
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

  /** Counts the outcome; what fails here was not heard in time. */
  async function heard<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      circuit.succeeded();
      return value;
    } catch (error) {
      circuit.failed(clock.now());
      cutOff();
      throw error;
    }
  }

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
        heldMs: Math.max(LEAST_HELD_MS, keepMs()),
        stateMs: STATE_MS,
        quotas: tellings.map(({ told }) => told),
      }),
    );
    step = undefined;
    if (answer.kind === 'ahead') {
      const { shiftMs: from, serverMs } = answer;
      // Too long a way, and it may only have been late.
      if (clock.now() - askedAtMs < LATE_MS) step = { from, to: estimate - serverMs };
      return 'tell again';
    }
    const wasKnown = time.isKnown();
    const jumpMs = time.learn(answer, askedAtMs);
    if (!wasKnown) {
      // Until now the times were those of this instance's own clock, and not the store's.
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
    // What the others knew before is no news.
    if (isFirst) for (const account of accounts) logged.set(account, account.knowledge.current());
    else logChanges();
    if (grantsAlone !== grantsBefore) {
      cutOff();
      return 'tell again';
    }
    stand(answer.isRebuilding ? 'rebuilding' : 'sharing');
    return again.length > 0 ? 'tell again' : 'told';
  }

  const exchange = oneAtATime(async () => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
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

  /** What the server says, or undefined when the ask was over before. */
  async function askServer(ask: QuotaAsk, isOver: () => boolean): Promise<QuotaAnswer | undefined> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
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
        if (mine !== undefined && mine !== answer.quota) byQuota.get(mine)!.giveBack(ask.reservation);
        byQuota.get(answer.quota)!.granted(ask.reservation, time.latest());
        return { granted: true, quota: answer.quota };
      } else {
        if (mine !== undefined) byQuota.get(mine)!.giveBack(ask.reservation);
        // Each that wants more gives up what it keeps from the others, too.
        if (answer.room === 'held' && clock.now() - exchangedAtMs >= HELD_PULSE_MS) exchangeSoon();
        const known = accountsOf(ask.among).map(({ knowledge }) => knowledge.current());
        return { granted: false, waitsMs: waitsWithGrowth(answer.waitsMs, known, time.now()) };
      }
    }
    return askAlone(ask);
  }

  /** The server's answer, or after ASK_MS the own share's. */
  const askInTime = (ask: QuotaAsk): Promise<QuotaAnswer> =>
    new Promise((resolve) => {
      let isOver = false;
      const settle = (answer: QuotaAnswer) => {
        isOver = true;
        cancel();
        resolve(answer);
      };
      const settleAlone = () => {
        if (isOver) return;
        const answer = askAlone(ask);
        // Whether the server counts it is unknown.
        for (const account of accountsOf(ask.among)) {
          if (!answer.granted || account.quota !== answer.quota) account.giveBack(ask.reservation);
        }
        settle(answer);
      };
      // An answer that came while this process was busy elsewhere is still to be read: it goes first.
      const cancel = clock.after(ASK_MS, () => clock.soon(settleAlone));
      askServer(ask, () => isOver).then((answer) => {
        if (answer !== undefined && !isOver) settle(answer);
      }, settleAlone);
    });

  const lowWaits = (ask: QuotaAsk, answer: QuotaAnswer): QuotaAnswer => {
    if (!answer.granted && ask.leave > 0) {
      const atMs = time.now();
      const news = accountsOf(ask.among).filter(({ knowledge }) =>
        knowledge.learn({ kind: 'low-waits', atMs }),
      );
      if (news.length > 0) exchangeSoon();
    }
    return answer;
  };

  const pulse = () => {
    stopPulse = clock.after(PULSE_MS, pulse);
    const sinceMs = time.now() - keepMs();
    for (const account of accounts) account.sends.forget(sinceMs);
    if (server.isReady() && circuit.mayTry(clock.now())) exchange.run().catch(() => {});
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
        return askInTime(ask).then((answer) => lowWaits(ask, answer));
      return lowWaits(ask, askAlone(ask));
    },
    report(quota, reservation, report) {
      const account = byQuota.get(quota);
      if (account === undefined || report.kind === 'failed') return;
      if (report.kind === 'unsent') {
        account.giveBack(reservation);
        return exchangeSoon(notify);
      }
      const learn = () => {
        // A reset counts from the answer: dated too early it would end a window that is still open.
        const event = account.event(report, reservation, time.latest());
        if (event === undefined || !account.knowledge.learn(event)) return;
        // While all share, what it is worth is agreed upon first.
        if (standing !== 'sharing') logChanges();
        notify();
        exchangeSoon();
      };
      // How many were accepted is what a refusal teaches: the picture must be fresh.
      if (report.kind === 'refused') exchangeSoon(learn);
      else learn();
    },
    state: () =>
      accounts.map((account) => account.state(time.now(), standing === 'sharing' ? 'shared' : 'local')),
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
