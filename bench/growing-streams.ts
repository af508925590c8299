// More and more live turns at one gateway, until there are as many as were asked for or more than it can carry.

import { setTimeout as pause } from 'node:timers/promises';
import { type GrowthRow, type GrowthStep, type MeasureGrowth, stepsUpTo } from './lab/growth-row.ts';
import { openLab } from './lab/lab.ts';
import { type Listeners, startListeners } from './lab/listeners.ts';
import { measureStretch } from './lab/measured-stretch.ts';
import { processCost } from './lab/process-cost.ts';
import { spreadOf } from './lab/spread.ts';

const STEPS = [
  1, 10, 25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800,
];
/** Before it has played anything a gateway holds what only its start needed, and its code is slow. */
const FIRST = { streams: 10, playMs: 6000, restMs: 3000 } as const;
/** Whoever has just joined speaks within the first second, and a turn's beginning is dearer than the rest. */
const WARM_UP_MS = 2500;
const MOST_CORE_SHARE = 0.95;
const MOST_LATENESS_MS = 100;

const percent = (share: number): string => (share * 100).toFixed(0);

export const measureStreams: MeasureGrowth = async ({ numbers, signal, progress }): Promise<GrowthRow> => {
  const { streams, seconds, seed } = numbers;
  const lab = await openLab({ seed });
  const groups: Listeners[] = [];
  const steps: GrowthStep[] = [];
  let errors = 0;
  let idleBytes = Number.POSITIVE_INFINITY;
  const rowOf = (notes: readonly string[]): GrowthRow => ({
    idleBytes,
    steps,
    notes,
    faults: errors > 0 ? [`${errors} errors were told to listeners`] : [],
  });
  try {
    const first = await startListeners({ sessionUrl: lab.sessionUrl, count: FIRST.streams, seed, signal });
    await pause(FIRST.playMs, undefined, { signal });
    await first.stop();
    await pause(FIRST.restMs, undefined, { signal });
    idleBytes = await lab.residentBytes();
    for (const work of stepsUpTo(streams, STEPS)) {
      progress(`growth: ${work} streams`);
      const count = work - (steps.at(-1)?.work ?? 0);
      const joining = { sessionUrl: lab.sessionUrl, count, seed: seed + groups.length, signal };
      groups.push(await startListeners(joining));
      await pause(WARM_UP_MS, undefined, { signal });
      const own = processCost();
      const { before, after, tickP99Ms, tallies } = await measureStretch(
        lab,
        groups as [Listeners, ...Listeners[]],
        seconds,
        signal,
      );
      const shareOf = (ms: number) => ms / (seconds * 1000);
      const ownShare = shareOf(processCost().cpuMs - own.cpuMs);
      const mainShare = shareOf((after.mainCpuMs ?? after.cpuMs) - (before.mainCpuMs ?? before.cpuMs));
      const frame = spreadOf(tallies.flatMap(({ latenessMs }) => latenessMs)).p99;
      errors += tallies.reduce((sum, tally) => sum + tally.errors, 0);
      const isOver = mainShare > MOST_CORE_SHARE || frame > MOST_LATENESS_MS;
      steps.push({
        name: `${work} streams`,
        work,
        cpuMs: (after.cpuMs - before.cpuMs) / seconds,
        residentBytes: after.residentBytes,
        latenessMs: { tick: tickP99Ms, frame },
        state: isOver ? 'overloaded' : 'carried',
      });
      if (isOver)
        return rowOf([
          `${work} streams are more than this machine carries, and in no fit: the gateway's main thread has ${percent(mainShare)} % of a core, the clients ${percent(ownShare)} %, frames are ${frame.toFixed(0)} ms late at p99.`,
        ]);
    }
    return rowOf([]);
  } finally {
    await Promise.all(groups.map((group) => group.stop()));
    await lab.close();
  }
};
