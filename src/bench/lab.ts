// What most benches need: a fake upstream and a gateway, each in a process of its own on free loopback ports. The
// bench itself is the clients.

import { startActor } from './actor.ts';
import type { FakeUpstreamPlan, FakeUpstreamReady, FakeUpstreamReport } from './fake-upstream.ts';
import type { GatewayReady, GatewayReport } from './gateway-process.ts';
import { readMetrics, type ScrapedMetrics } from './scraped-metrics.ts';

export type Lab = {
  readonly sessionUrl: string;
  readonly upstreamUrl: string;
  usage(): Promise<GatewayReport>;
  metrics(): Promise<ScrapedMetrics>;
  upstreamReport(): Promise<FakeUpstreamReport>;
  close(): Promise<void>;
};

export type LabOptions = {
  readonly seed: number;
  readonly blockMs?: number;
  readonly upstream?: Partial<FakeUpstreamPlan>;
};

/** A service at 24 kHz and 64 kbit/s that needs some tens of milliseconds and then speaks faster than real time. */
const USUAL_UPSTREAM = {
  source: { sampleRate: 24_000, bitrateKbps: 64 },
  ttfbMs: [30, 120],
  headMs: 400,
  speed: 1.5,
} as const;

/** Bounds that would get in the way of a load made by one client; everything else is the default. */
const FLAGS = ['--port', '0', '--max-connections', '10000', '--max-connections-per-user', '0'];
const UPSTREAM_FLAGS = ['--upstream-keys', 'bench:bench', '--upstream-max-in-flight-per-key', '10000'];

export async function openLab({ seed, blockMs = 0, upstream: plan = {} }: LabOptions): Promise<Lab> {
  const upstream = await startActor<FakeUpstreamReady, FakeUpstreamReport>('upstream-process', {
    ...USUAL_UPSTREAM,
    ...plan,
    seed,
  });
  const flags = [...FLAGS, ...UPSTREAM_FLAGS, '--upstream-url', upstream.ready.url];
  const gateway = await startActor<GatewayReady, GatewayReport>('gateway-process', {
    version: 'bench',
    flags,
    blockMs,
    seed,
  }).catch(async (error: unknown) => {
    await upstream.close();
    throw error;
  });
  return {
    sessionUrl: gateway.ready.sessionUrl,
    upstreamUrl: upstream.ready.url,
    usage: gateway.report,
    async metrics() {
      const response = await fetch(`${gateway.ready.url}/metrics`);
      if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
      return readMetrics(await response.text());
    },
    upstreamReport: upstream.report,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}
