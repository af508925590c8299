// The gateway as `voxgate serve` builds it, in a process of its own that tells what it costs. It may be told to hold
// its own event loop now and then, which no product code does.

import { startGateway } from '../../src/app/start.ts';
import { createPinoLog } from '../../src/base/pino-log.ts';
import { helpersYieldToPlayback } from '../../src/base/processes/yield-to-playback.ts';
import { parseConfig } from '../../src/settings/config.ts';
import type { Actor } from './actor.ts';
import { type HeldLoop, watchHeldLoop } from './held-loop.ts';
import { type KeptMemory, keptMemory } from './kept-memory.ts';
import { monotonicMs } from './monotonic.ts';
import { type ProcessCost, processCost } from './process-cost.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type WordTimerCost, wordTimerCost } from './word-timer-cost.ts';

export type GatewayPlan = {
  readonly version: string;
  /** As given to `voxgate serve`. */
  readonly flags: readonly string[];
  /** How long the event loop is held, at least and at most; 0: it is left alone. */
  readonly blockMs: readonly [number, number];
  readonly seed: number;
  /** Whether jobs and PlayNotes are made, too. */
  readonly service: 'on' | 'off';
  /** Whether each report collects garbage first and tells what is kept then. */
  readonly collects: 'each-report' | 'never';
  /** Whether each report tells for how long the event loop was held in one piece. */
  readonly watchesLoop: 'on' | 'off';
};

export type GatewayReady = { readonly url: string; readonly sessionUrl: string; readonly pid: number };

export type GatewayCost = ProcessCost & {
  /** Null where the system does not tell. */
  readonly wordTimer: WordTimerCost | null;
  /** Null where nobody asked for it. */
  readonly kept: KeptMemory | null;
  /** Null where nobody asked for it. */
  readonly held: HeldLoop | null;
};

const BLOCK_EVERY_MS = 500;

/** Holds the event loop at random moments; returns how to stop it. */
function blockAtRandom([leastMs, mostMs]: readonly [number, number], seed: number): () => void {
  const random = createSeededRandom(seed);
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    timer = setTimeout(block, random.gapMs(BLOCK_EVERY_MS));
  };
  const block = () => {
    const until = monotonicMs() + random.between(leastMs, mostMs);
    while (monotonicMs() < until);
    schedule();
  };
  schedule();
  return () => clearTimeout(timer);
}

/** `searchPath`: where ffmpeg is looked for. */
export async function startGatewayProcess(plan: GatewayPlan, searchPath: string | undefined): Promise<Actor> {
  const parsed = parseConfig({
    env: {},
    flags: plan.flags,
    file: () => {
      throw new Error('a bench reads no file');
    },
  });
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  helpersYieldToPlayback();
  const gateway = await startGateway({
    service: plan.service,
    searchPath,
    config: parsed.config,
    log: createPinoLog('warn'),
    version: plan.version,
  });
  const unblock = plan.blockMs[1] > 0 ? blockAtRandom(plan.blockMs, plan.seed) : () => {};
  const heldLoop = plan.watchesLoop === 'on' ? watchHeldLoop() : undefined;
  return {
    ready: { url: gateway.url, sessionUrl: gateway.sessionUrl, pid: process.pid } satisfies GatewayReady,
    report: (): GatewayCost => ({
      ...processCost(),
      wordTimer: wordTimerCost(),
      kept: plan.collects === 'each-report' ? keptMemory() : null,
      held: heldLoop?.look() ?? null,
    }),
    async close() {
      unblock();
      heldLoop?.stop();
      await gateway.stop(0);
    },
  };
}
