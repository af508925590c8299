// Whether several gateways use the quota of their keys to the full, and never more: three of them, one Redis, one
// service that counts for itself, and more callers than there is quota; through a death of Redis, too.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { type QuotaCallers, type QuotaTally, startQuotaCallers } from './lab/quota-callers.ts';
import { openQuotaFleet, type QuotaFleet } from './lab/quota-fleet.ts';
import { newestMinuteMs, type WholeMinutes, wholeMinutes } from './lab/quota-minutes.ts';
import { QUOTA } from './lab/quota-windows.ts';
import { spreadOf } from './lab/spread.ts';
import type { StrictReport } from './lab/strict-upstream.ts';
import { acceptedByKey, usedShare } from './lab/used-share.ts';

/** Requests of all keys in a millisecond. */
const QUOTA_PER_MS = (QUOTA.keys * QUOTA.limit) / QUOTA.windowMs;
/** While callers hold back: a little less than the quota, so that all of it is spread evenly. */
const HOLD_BACK_GAP_MS = 1 / (0.97 * QUOTA_PER_MS);
/** A window, and what its sends count beyond it. */
const FILL_MS = 62_000;
const SETTLE_MS = 5000;
/** Resets that are told in whole seconds have to agree for five windows before they are believed; three more are patience. */
const PHASE_DEADLINE_MS = 480_000;
/** Callers who may wait for the next minute ask in its first seconds. */
const MINUTE_DEADLINE_MS = 90_000;
const TOGETHER_DEADLINE_MS = 30_000;
const LOOK_MS = 1000;

type Outage = {
  readonly seconds: number;
  readonly share: number;
  /** From the emptying until the gateways count together again, the longest that a caller knew nothing. */
  readonly silentMs: number;
  /** From the moment that Redis answered again. */
  readonly untilTogetherMs: number;
};

type Measured = {
  readonly report: StrictReport;
  /** Only of the measurement. */
  readonly requests: StrictReport['requests'];
  /** Where the windows are those of the clock. */
  readonly minutes: WholeMinutes | undefined;
  readonly tally: QuotaTally;
  readonly phaseKeys: number;
  readonly clocks: QuotaFleet['clocks'];
  readonly outage: Outage | undefined;
};

const seconds = (ms: number): number => Math.round(ms / 1000);

/** Throws when not all keys of all gateways know in time where the windows of the service begin. */
async function waitForPhase(fleet: QuotaFleet, { signal, progress }: BenchRun): Promise<void> {
  const all = fleet.gateways.length * QUOTA.keys;
  const fromMs = monotonicMs();
  for (let known = 0; known < all; ) {
    const tookMs = monotonicMs() - fromMs;
    if (tookMs > PHASE_DEADLINE_MS)
      throw new Error(
        `after ${seconds(tookMs)} s the windows of the service are known for ${known} of ${all} keys, where 300 s should do; nothing was measured. Is the machine short of processors?`,
      );
    await pause(LOOK_MS, undefined, { signal });
    known = await fleet.counted('phase');
    progress(
      `quota: windows known for ${known} of ${all} keys, after ${seconds(tookMs)} s of ${seconds(PHASE_DEADLINE_MS)} at most`,
    );
  }
}

/** Resolves with the minute of the wall clock that has just begun at the service, in milliseconds since 1970. */
async function waitForMinute(fleet: QuotaFleet, { signal, progress }: BenchRun): Promise<number> {
  const before = newestMinuteMs(await fleet.upstream.report());
  const fromMs = monotonicMs();
  for (;;) {
    const newest = newestMinuteMs(await fleet.upstream.report());
    if (newest > before) return newest;
    if (monotonicMs() - fromMs > MINUTE_DEADLINE_MS) throw new Error('nobody asks for anything any more');
    progress('quota: the measurement begins with the next minute');
    await pause(LOOK_MS, undefined, { signal });
  }
}

const longestSince = ({ silences }: QuotaTally, fromMs: number): number =>
  Math.max(0, ...silences.filter(({ atMs }) => atMs >= fromMs).map(({ tookMs }) => tookMs));

/** Redis is emptied, and dead for a while later; resolves when the gateways count together again. */
async function breakRedis(
  fleet: QuotaFleet,
  tally: QuotaTally,
  { numbers, signal, progress }: BenchRun,
): Promise<Outage> {
  const { redis, upstream } = fleet;
  const rest = ((numbers.seconds - numbers.outageSeconds) * 1000) / 4;
  await pause(rest, undefined, { signal });
  const flushedAtMs = monotonicMs();
  await redis.flush();
  progress('quota: Redis was emptied');
  await pause(rest, undefined, { signal });
  const before = await upstream.report();
  const killedAtMs = monotonicMs();
  await redis.kill();
  progress('quota: Redis is dead');
  await pause(numbers.outageSeconds * 1000, undefined, { signal });
  const after = await upstream.report();
  const backAtMs = monotonicMs();
  await redis.start();
  while ((await fleet.counted('local')) > 0 && monotonicMs() - backAtMs < TOGETHER_DEADLINE_MS)
    await pause(LOOK_MS / 10, undefined, { signal });
  const sent = after.requests.slice(before.requests.length).filter(({ status }) => status === 200).length;
  return {
    seconds: (backAtMs - killedAtMs) / 1000,
    share: sent / ((backAtMs - killedAtMs) * QUOTA_PER_MS),
    silentMs: longestSince(tally, flushedAtMs),
    untilTogetherMs: monotonicMs() - backAtMs,
  };
}

async function measure(fleet: QuotaFleet, callers: QuotaCallers, bench: BenchRun): Promise<Measured> {
  const { numbers, window, signal, progress } = bench;
  progress('quota: the first window');
  await pause(FILL_MS, undefined, { signal });
  // Windows that begin anew with a request never stand still, and are not waited for.
  if (window === 'clock') await waitForPhase(fleet, bench);
  callers.press();
  const fromUnixMs = window === 'clock' ? await waitForMinute(fleet, bench) : undefined;
  if (window !== 'clock') await pause(window === 'first' ? FILL_MS : SETTLE_MS, undefined, { signal });
  const before = await fleet.upstream.report();
  const tally = callers.count();
  const fromMs = monotonicMs();
  const outage = numbers.outageSeconds > 0 ? await breakRedis(fleet, tally, bench) : undefined;
  while (monotonicMs() - fromMs < numbers.seconds * 1000) {
    await pause(LOOK_MS, undefined, { signal });
    progress(`quota: ${seconds(monotonicMs() - fromMs)} of ${numbers.seconds} s`);
  }
  const report = await fleet.upstream.report();
  return {
    report,
    requests: report.requests.slice(before.requests.length),
    minutes: fromUnixMs === undefined ? undefined : wholeMinutes(report, fromUnixMs, QUOTA),
    tally,
    phaseKeys: await fleet.counted('phase'),
    clocks: fleet.clocks,
    outage,
  };
}

const percent = (share: number): string => (Number.isNaN(share) ? '–' : `${(share * 100).toFixed(2)} %`);
const ms = (value: number): string => (Number.isNaN(value) ? '–' : `${value.toFixed(0)} ms`);

function tell(measured: Measured, { numbers, window }: BenchRun): BenchResult {
  const { report, requests, minutes, tally, phaseKeys, clocks, outage } = measured;
  const refusedByService = report.keys.reduce((sum, { refused }) => sum + refused, 0);
  const most = Math.max(0, ...report.keys.map(({ mostAcceptedIn60s }) => mostAcceptedIn60s));
  const accepted = minutes?.accepted ?? requests.filter(({ status }) => status === 200).length;
  const share = minutes?.share ?? usedShare(acceptedByKey(requests).values(), QUOTA);
  const waits = spreadOf(tally.waitsMs);
  const silences = spreadOf(tally.silences.map(({ tookMs }) => tookMs));
  return {
    title: `quota: 3 gateways, ${QUOTA.keys} keys of ${QUOTA.limit} a minute, window "${window}", ${numbers.streams} callers, ${numbers.seconds} s`,
    columns: ['', 'value'],
    rows: [
      minutes === undefined
        ? ['accepted by the service', `${accepted}`]
        : [
            `accepted by the service in ${minutes.count} whole minutes`,
            `${accepted} of ${minutes.count * QUOTA.keys * QUOTA.limit}`,
          ],
      ['answered 429, warm-up included', `${refusedByService}`],
      ['most of a key in any 60 s', `${most}`],
      ['used share of the quota', percent(share)],
      ['wait for a key, p50 / p99', `${ms(waits.p50)} / ${ms(waits.p99)}`],
      [
        'until a caller knows, p50 / p99 / max',
        `${ms(silences.p50)} / ${ms(silences.p99)} / ${ms(silences.max)}`,
      ],
      ['turned away as busy', `${tally.refused}`],
      ...(outage === undefined
        ? []
        : [
            [`used share while Redis was dead for ${outage.seconds.toFixed(0)} s`, percent(outage.share)],
            ['longest silence to a caller from the emptying on', ms(outage.silentMs)],
            ['counting together again after', ms(outage.untilTogetherMs)],
          ]),
    ],
    notes: [
      clocks === 'skewed'
        ? 'The wall clocks of the gateways were 5 s ahead, right and 5 s behind.'
        : 'The wall clocks of the gateways were alike: faketime is not installed.',
      ...(window === 'clock'
        ? [
            'Windows of the clock may be full right before and right after a boundary: twice as many in 60 s.',
            "Used share: of all places in the service's minutes from the first that began in the measurement to the last that ended in it.",
          ]
        : ['Used share: 60 s by the mean time after which a place in the quota was used again.']),
      `Aims: no 429; at least 99 % where the windows are not known, 99.8 % where they are (known at the end for ${phaseKeys} of ${3 * QUOTA.keys} keys).`,
      ...(outage === undefined
        ? []
        : ['Without Redis, aimed at: at least 80 %, and 100 ms for a caller to know.']),
    ],
    figures: {
      accepted,
      ...(minutes === undefined ? {} : { wholeMinutes: minutes.count }),
      refusedByService,
      mostIn60s: most,
      usedShare: share,
      waitP50Ms: waits.p50,
      waitP99Ms: waits.p99,
      silenceP50Ms: silences.p50,
      silenceP99Ms: silences.p99,
      silenceMaxMs: silences.max,
      turnedAway: tally.refused,
      phaseKeys,
      ...(outage === undefined
        ? {}
        : {
            outageUsedShare: outage.share,
            outageSilenceMaxMs: outage.silentMs,
            togetherAgainMs: outage.untilTogetherMs,
          }),
    },
    faults: [
      ...(refusedByService > 0 ? [`${refusedByService} requests were answered 429`] : []),
      ...(tally.failures.length > 0
        ? [`${tally.failures.length} turns failed: ${[...new Set(tally.failures)].join(', ')}`]
        : []),
    ],
  };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, window, signal } = bench;
  if (numbers.seconds < 2 * numbers.outageSeconds)
    throw new Error('--seconds must be twice --outage-seconds or more');
  const fleet = await openQuotaFleet(window, numbers.seed);
  try {
    const callers = await startQuotaCallers({
      sessionUrls: fleet.gateways.map(({ sessionUrl }) => sessionUrl),
      count: numbers.streams,
      gapMs: HOLD_BACK_GAP_MS,
      signal,
    });
    try {
      return tell(await measure(fleet, callers, bench), bench);
    } finally {
      await callers.stop();
    }
  } finally {
    await fleet.close();
  }
}

export const quota: Bench = {
  summary: 'three gateways share the keys through Redis: no 429, and the quota used to the full',
  defaults: { streams: 24, seconds: 185, outageSeconds: 0, seed: 1 },
  window: 'sliding',
  needs: 'redis-server',
  run,
};
