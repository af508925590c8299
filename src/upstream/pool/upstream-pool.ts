// The speech upstream that callers see: several keys behind one port. Each request waits in one line until it may be sent, is
// tried again before its first byte as failure-policy.ts says, and gets a second try on another key when its first byte is
// late. A body that breaks afterwards is resumed by its reader.

import { AppError, toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { type Log, levelOfStatus } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import { pause } from '../../base/pause.ts';
import type { Random } from '../../base/random.ts';
import { createRetryBudget } from '../../limits/retry-budget.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import type { RequestShape } from '../../text/request-text.ts';
import type { QuotaState, QuotaStore } from '../quota/quota-store.ts';
import { useOf } from '../quota/quota-use.ts';
import type { Attempt, AttemptFailure, SpeechTransport } from '../speech-transport.ts';
import type { OpenOptions, SpeechUpstream } from '../speech-upstream.ts';
import type { SpeechWork, WorkClass } from '../speech-work.ts';
import { isCounted, isServiceFault, nextStep } from './failure-policy.ts';
import { createHedgePolicy } from './hedge-policy.ts';
import { raceHedge } from './hedge-race.ts';
import type { PoolMember } from './pool-member.ts';
import { createPoolMembers, type PoolKey } from './pool-members.ts';
import { createPoolMetrics } from './pool-metrics.ts';
import { type PoolReport, reportMembers } from './pool-report.ts';
import type { Send } from './send-grants.ts';
import { createSendLine, type Entry, type RefusalReason } from './send-line.ts';
import { type LongestWait, longestWait, type SendPatience } from './send-patience.ts';
import { createAttemptStarter } from './speech-attempt.ts';

export type UpstreamPoolOptions = {
  readonly keys: readonly PoolKey[];
  /** Counts the sends of `quotaIdOf(apiKey)` of each key; the pool is its only listener. */
  readonly store: QuotaStore;
  readonly maxInFlightPerKey: number;
  /** From the call until the last attempt must have its send. */
  readonly maxWaitMs: LongestWait | Readonly<Record<WorkClass, LongestWait>>;
  /** In each band: live requests, those made ahead, jobs. */
  readonly maxWaiting: number;
  /** Of these, one tenant's; half when it is not given. */
  readonly maxWaitingPerTenant?: number;
  /** Whether a late first byte may cost a second request; `on` when it is not given. */
  readonly hedging?: 'on' | 'off';
  readonly transport: SpeechTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
};

export type UpstreamPool = SpeechUpstream & {
  state(): PoolReport;
  /** Refuses waiting and new requests (`shutting_down`); running streams go on. */
  close(): void;
};

const RETRY_BUDGET = { share: 0.2, least: 3, windowMs: 10_000 };
/** Shortest retry time that a caller is given after a 429: sooner it would meet the same limit. */
const MIN_RETRY_MS = 1_000;
/** Above this use the pool sends no hedges. */
const HEDGE_USE = 0.7;

/** `key`: that it was sent with. */
type Failed = AttemptFailure & { readonly key: string };

/** A request on its way through the pool. */
type Journey = {
  readonly request: OutgoingRequest;
  readonly options: OpenOptions;
  readonly work: SpeechWork;
  readonly patience: SendPatience;
  readonly tried: Set<PoolMember>;
  /** Of its text, Unicode code points. */
  readonly characters: number;
  /** HTTP requests so far. */
  sends: number;
  /** Time in the line so far. */
  queueMs: number;
  /** The last attempt that failed. */
  failed: Failed | undefined;
};

export function createUpstreamPool(options: UpstreamPoolOptions): UpstreamPool {
  const { transport, store, clock, random, log, maxWaitMs, maxWaiting } = options;
  const members = createPoolMembers(options.keys, options.maxInFlightPerKey);
  const report = () => reportMembers(members, store.state(), clock.now());
  const metrics = createPoolMetrics(options.metrics, report);
  const perTenant = options.maxWaitingPerTenant ?? Math.ceil(maxWaiting / 2);
  const bounds = { perBand: maxWaiting, perTenant };
  const onRefused = (reason: RefusalReason) => metrics.refused(reason);
  const line = createSendLine({ members, store, bounds, clock, random, onRefused });
  const start = createAttemptStarter({ transport, members, store, clock, log, metrics });
  const retries = createRetryBudget(RETRY_BUDGET);
  const hedges = createHedgePolicy();

  /** When the service last took a request. */
  let servedAtMs = Number.NEGATIVE_INFINITY;
  const waitOf = (work: WorkClass) => (typeof maxWaitMs === 'object' ? maxWaitMs[work] : maxWaitMs);
  const poolUse = () => {
    const nowMs = clock.now();
    const busy = members.all.reduce((sum, member) => sum + member.inFlight(), 0);
    const slots = members.all.reduce((sum, member) => sum + member.cap(nowMs), 0);
    return Math.max(useOf(store.state()) ?? 0, busy / slots);
  };

  const attempt = (journey: Journey, send: Send) => {
    journey.sends += 1;
    const running = start(journey.request, send, journey.options);
    const result = running.result.then((ended) => {
      if (!ended.ok) journey.tried.add(send.member);
      else {
        servedAtMs = clock.now();
        hedges.learn(ended.ttfbMs);
      }
      return { ...ended, key: send.member.fingerprint };
    });
    return { ...running, result };
  };

  /** A listener should not wait for one slow answer; for what is made ahead it does not matter. */
  const hedgeAfterMs = ({ work }: Journey, { member }: Send): number | undefined => {
    if (options.hedging === 'off') return undefined;
    const others = members.all.some(({ quota }) => quota !== member.quota);
    return others && work.class !== 'prefetch' && work.class !== 'batch' ? hedges.afterMs() : undefined;
  };
  const startHedge = async (journey: Journey, first: Send, isWanted: () => boolean) => {
    const sameQuota = members.all.filter(({ quota }) => quota === first.member.quota);
    const isAffordable = poolUse() <= HEDGE_USE && hedges.tryHedge();
    const send = isAffordable ? await line.tryNow(new Set(sameQuota), journey.characters) : undefined;
    if (send === undefined || !isWanted()) {
      if (isAffordable) hedges.giveBack();
      if (send === undefined) metrics.hedged('refused');
      send?.report({ kind: 'unsent' });
      send?.release('over');
      return undefined;
    }
    return attempt(journey, send);
  };
  const firstAttempt = (journey: Journey, send: Send) => {
    const startedMs = clock.now();
    const running = attempt(journey, send);
    const afterMs = hedgeAfterMs(journey, send);
    if (afterMs === undefined) return running.result;
    const hedge = {
      afterMs,
      start: (isWanted: () => boolean) => startHedge(journey, send, isWanted),
      onEnd(result: 'won' | 'lost' | 'failed') {
        metrics.hedged(result);
        if (result === 'won') hedges.learn(clock.now() - startedMs);
      },
    };
    return raceHedge(running, hedge, clock);
  };

  const enter = async (journey: Journey, how: Pick<Entry, 'place' | 'accepts'>): Promise<Send> => {
    const fromMs = clock.now();
    const { work, patience, tried, characters } = journey;
    const { signal, onQueued, prefer } = journey.options;
    const send = await line.enter({
      signal,
      work,
      patience,
      tried,
      characters,
      ...how,
      ...(onQueued === undefined ? {} : { onQueued }),
      ...(prefer === undefined ? {} : { prefer }),
    });
    journey.queueMs += clock.now() - fromMs;
    return send;
  };
  /** Returns a send for another attempt; throws `error`, as callers are to see it, when there is none. */
  const reenter = async (failed: Failed, attempts: number, journey: Journey): Promise<Send> => {
    const { error, key, status } = failed;
    const { tried, patience, work, options: given } = journey;
    if (given.elsewhere === true && isServiceFault(error.code)) throw error;
    const nowMs = clock.now();
    const situation = {
      attempts,
      timeLeftMs: patience.untilMs() - nowMs,
      otherKeys: members.hopes(nowMs, tried),
    };
    const next = nextStep(error.code, situation, random);
    if (next.step === 'give-up' || (next.budget === 'charged' && !retries.tryRetry(nowMs)))
      throw withoutKeysPause(error, Math.min(...store.state().map(({ heldMs }) => heldMs)));
    metrics.retried(error.code);
    const { delayMs } = next;
    log.info('upstream_retry', { reason: error.code, status, key, attempts, delayMs, ...idsOf(work) });
    if (delayMs > 0) await pause(delayMs, clock, given.signal);
    const accepts = next.on === 'another-key' ? 'untried' : 'any';
    return enter(journey, { place: 'front', accepts }).catch((refusal: unknown) => {
      if (!(refusal instanceof AppError) || refusal.code !== 'busy') throw refusal;
      throw withoutKeysPause(error, refusal.retryAfterMs);
    });
  };

  /** The one line of a request without an answer, whichever way it went. */
  const tellEnd = (journey: Journey, thrown: unknown) => {
    const { code, http } = toAppError(thrown);
    const { key, status } = journey.failed ?? {};
    if (journey.options.signal.aborted) return log.debug('upstream_cancelled', figuresOf(journey));
    const outcome = journey.failed === undefined ? 'refused' : 'failed';
    log[levelOfStatus(http)]('upstream_gave_up', { outcome, code, status, key, ...figuresOf(journey) });
  };

  const open: SpeechUpstream['open'] = async (request, given) => {
    const arrivedMs = clock.now();
    const dueMs = waitOf('first');
    const work = given.work ?? {
      class: 'first',
      tenant: '',
      deadlineMs: arrivedMs + (dueMs === 'while-served' ? 0 : dueMs),
    };
    const patience = longestWait({ work, sinceMs: arrivedMs, waitOf, servedAtMs: () => servedAtMs });
    const journey: Journey = {
      request,
      options: given,
      work,
      patience,
      tried: new Set(),
      characters: [...request.text].length,
      sends: 0,
      queueMs: 0,
      failed: undefined,
    };
    try {
      let send = await enter(journey, { place: 'back', accepts: 'any' });
      metrics.waited(work.class, journey.queueMs);
      retries.request(arrivedMs);
      hedges.request();
      let counted = 0;
      for (;;) {
        const result: Attempt & { readonly key: string } = await (journey.sends === 0
          ? firstAttempt(journey, send)
          : attempt(journey, send).result);
        if (result.ok) {
          const { ok: _ok, advice: _advice, key, ttfbMs, ...body } = result;
          log.debug('upstream_answered', { key, ttfbMs: Math.round(ttfbMs), ...figuresOf(journey) });
          return {
            ...body,
            ttfbMs,
            queueMs: journey.queueMs,
            attempts: journey.sends,
            key,
          };
        }
        journey.failed = result;
        if (isCounted(result.error.code)) counted += 1;
        send = await reenter(result, counted, journey);
      }
    } catch (thrown) {
      tellEnd(journey, thrown);
      throw thrown;
    } finally {
      if (clock.now() > work.deadlineMs && !given.signal.aborted) metrics.missed(work.class);
    }
  };

  return {
    open,
    ...(transport.shape === undefined ? {} : { shape: withinMinute(transport.shape, store.state()) }),
    ...(transport.sounds === undefined ? {} : { sounds: transport.sounds }),
    state: () => ({
      keys: report(),
      waiting: line.length(),
      waitingByClass: line.waiting(),
      hedge: { budget: hedges.budget(), afterMs: hedges.afterMs() },
    }),
    close: () => line.close(),
  };
}

/** No request holds more than a key may have spoken in a minute. */
function withinMinute(shape: RequestShape, quotas: readonly QuotaState[]): RequestShape {
  const perMinute = quotas.map(
    ({ characters }) => characters?.charactersPerMinute ?? Number.POSITIVE_INFINITY,
  );
  return { ...shape, maxText: Math.min(shape.maxText, ...perMinute) };
}

/** For the log, in whole ms. */
const figuresOf = ({ work, sends, queueMs }: Journey) => ({
  attempts: sends,
  queueMs: Math.round(queueMs),
  ...idsOf(work),
});

/** For the log: what a request is for. */
const idsOf = ({ tenant, session, turn, request, work }: SpeechWork) => ({
  tenant: tenant === '' ? undefined : tenant,
  session,
  turn,
  request,
  work,
});

/** A key's own Retry-After does not apply to the caller: another key may be free earlier. */
function withoutKeysPause(error: AppError, retryAfterMs: number | undefined): AppError {
  if (error.code !== 'upstream_rate_limited') return error;
  return new AppError(error.code, error.message, {
    retryAfterMs: Math.ceil(Math.max(MIN_RETRY_MS, retryAfterMs ?? 0)),
  });
}
