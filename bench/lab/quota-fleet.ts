// Three gateways that share keys through one Redis, in front of a service that counts strictly: each a process of its
// own, and the gateways with clocks that disagree on the time of day.

import { setTimeout as pause } from 'node:timers/promises';
import { hasProgram } from './has-program.ts';
import { type GatewayLab, openGateway } from './lab.ts';
import { QUOTA, QUOTA_WINDOWS, type QuotaWindow } from './quota-windows.ts';
import { type RedisProcess, startRedisProcess } from './redis-process.ts';
import { type StrictUpstream, startStrictUpstream } from './strict-upstream.ts';

export type QuotaFleet = {
  readonly gateways: readonly GatewayLab[];
  readonly upstream: StrictUpstream;
  readonly redis: RedisProcess;
  readonly clocks: 'skewed' | 'alike';
  /** How many of the keys are counted so, over all gateways. */
  counted(mode: 'local' | 'sliding' | 'phase'): Promise<number>;
  close(): Promise<void>;
};

const SKEWS_S = ['+5', '+0', '-5'];
const SHARED_DEADLINE_MS = 10_000;
const LOOK_MS = 100;

/** The wall clock runs elsewhere, the monotonic one does not: so it is between machines, too. */
const skewedBy = (seconds: string): readonly string[] => [
  'env',
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
  'faketime',
  '-f',
  `${seconds}s`,
];

/** Resolves when all gateways count together. */
export async function openQuotaFleet(window: QuotaWindow, seed: number): Promise<QuotaFleet> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.push(part);
    return part;
  };
  const close = async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    for (const part of opened.splice(0).reverse()) await part.close();
  };
  const gateways: GatewayLab[] = [];
  try {
    const redis = keep(await startRedisProcess());
    const keys = Array.from({ length: QUOTA.keys }, (_, n) => `bench-key-${n + 1}`);
    const upstream = keep(await startStrictUpstream({ keys, limit: QUOTA_WINDOWS[window] }));
    const canSkew = hasProgram('faketime');
    const flags = [
      ...['--upstream-url', upstream.url, '--voice', upstream.voice, '--redis-url', redis.url],
      ...['--upstream-keys', keys.map((key) => `bench:${key}@${QUOTA.limit}`).join(',')],
      ...['--max-instances', `${SKEWS_S.length}`],
    ];
    for (const seconds of SKEWS_S) {
      const through = canSkew ? skewedBy(seconds) : [];
      gateways.push(await openGateway({ seed, through }, flags));
    }
    const counted = async (mode: string) => {
      const metrics = await Promise.all(gateways.map((gateway) => gateway.metrics()));
      return metrics.reduce((sum, each) => sum + each.value('voxgate_quota_mode', `mode="${mode}"`), 0);
    };
    const deadlineMs = performance.now() + SHARED_DEADLINE_MS;
    while ((await counted('local')) > 0) {
      if (performance.now() > deadlineMs) throw new Error('the gateways do not share their quotas');
      await pause(LOOK_MS);
    }
    return { gateways, upstream, redis, clocks: canSkew ? 'skewed' : 'alike', counted, close };
  } catch (error) {
    await close();
    throw error;
  }
}
