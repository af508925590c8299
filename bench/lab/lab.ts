// What most benches need: a gateway in a process of its own on a free loopback port, and behind it a fake upstream in
// another, or the engine that the gateway brings along. The bench itself is the clients.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startActor } from './actor.ts';
import type { FakeUpstreamPlan, FakeUpstreamReady, FakeUpstreamReport } from './fake-upstream.ts';
import type { GatewayCost, GatewayPlan, GatewayReady } from './gateway-process.ts';
import { residentOf } from './proc-files.ts';
import { readMetrics, type ScrapedMetrics } from './scraped-metrics.ts';

export type GatewayLab = {
  /** Of the gateway's process; of the primary where there are several. */
  readonly pid: number;
  readonly url: string;
  readonly sessionUrl: string;
  readonly usage: () => Promise<GatewayCost>;
  /** Looked at from outside where the system tells, so that looking often costs the gateway nothing. */
  residentBytes(): Promise<number>;
  metrics(): Promise<ScrapedMetrics>;
  readonly close: () => Promise<void>;
};

export type Lab = GatewayLab & {
  readonly upstreamUrl: string;
  upstreamReport(): Promise<FakeUpstreamReport>;
};

type GatewayLabOptions = {
  readonly seed: number;
  readonly blockMs?: readonly [number, number];
  /** A command that runs the gateway's process. */
  readonly through?: readonly string[];
  /** Whether a gateway that is nearly full refuses; without it nobody is, for the load is the bench's own choice. */
  readonly admission?: 'on';
  /** Jobs and PlayNotes, too; without it they are off. */
  readonly service?: 'on';
  /** Its reports collect garbage first. */
  readonly collects?: 'each-report';
  /** Its reports tell for how long its event loop was held. */
  readonly watchesLoop?: 'on';
};
export type LabOptions = GatewayLabOptions & {
  readonly upstream?: Partial<FakeUpstreamPlan>;
  /** Of the gateway, as given to `voxgate serve`. */
  readonly flags?: readonly string[];
};

/** A service at 24 kHz and 64 kbit/s that needs some tens of milliseconds and then speaks faster than real time. */
export const USUAL_UPSTREAM = {
  source: { sampleRate: 24_000, bitrateKbps: 64 },
  ttfbMs: [30, 120],
  headMs: 400,
  speed: 1.5,
} as const;

/** Bounds that would get in the way of a load made by one client; everything else is the default. */
const FLAGS = ['--port', '0', '--max-connections', '10000', '--max-connections-per-user', '0'];
export const UPSTREAM_FLAGS = [
  '--upstream-keys',
  'bench:bench@100000',
  '--upstream-max-in-flight-per-key',
  '10000',
];

/** The first look holds up everything for a tenth of a second. */
async function lookedAt(lab: GatewayLab): Promise<GatewayLab> {
  try {
    await lab.metrics();
    return lab;
  } catch (error) {
    await lab.close();
    throw error;
  }
}

/** A gateway alone, with these flags besides. */
export async function openGateway(
  { seed, blockMs = [0, 0], through = [], service, admission, collects, watchesLoop }: GatewayLabOptions,
  flags: readonly string[],
): Promise<GatewayLab> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-bench-'));
  const plan: GatewayPlan = {
    version: 'bench',
    flags: [...FLAGS, ...(admission === 'on' ? [] : ['--busy-at', '0']), '--data-dir', dataDir, ...flags],
    blockMs,
    seed,
    service: service ?? 'off',
    collects: collects ?? 'never',
    watchesLoop: watchesLoop ?? 'off',
  };
  const gateway = await startActor<GatewayReady, GatewayCost>('gateway-process', plan, through);
  const metrics = async () => {
    const response = await fetch(`${gateway.ready.url}/metrics`);
    if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
    return readMetrics(await response.text());
  };
  return lookedAt({
    pid: gateway.ready.pid,
    url: gateway.ready.url,
    sessionUrl: gateway.ready.sessionUrl,
    usage: gateway.report,
    residentBytes: async () => residentOf(gateway.ready.pid) ?? (await gateway.report()).residentBytes,
    metrics,
    async close() {
      await gateway.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  });
}

/** With the embedded engine, as `voxgate serve` has it by default. */
export const openEngineLab = (options: GatewayLabOptions): Promise<GatewayLab> => openGateway(options, []);

export async function openLab({ upstream: plan = {}, flags = [], ...options }: LabOptions): Promise<Lab> {
  const upstream = await startActor<FakeUpstreamReady, FakeUpstreamReport>('upstream-process', {
    ...USUAL_UPSTREAM,
    ...plan,
    seed: options.seed,
  });
  try {
    const gateway = await openGateway(options, [
      ...UPSTREAM_FLAGS,
      ...flags,
      '--upstream-url',
      upstream.ready.url,
    ]);
    return {
      ...gateway,
      upstreamUrl: upstream.ready.url,
      upstreamReport: upstream.report,
      async close() {
        await gateway.close();
        await upstream.close();
      },
    };
  } catch (error) {
    await upstream.close();
    throw error;
  }
}
