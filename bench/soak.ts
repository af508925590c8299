// Hours of live turns at a part of what a core can take: what is kept after a collection, what is resident and what is open
// must come to rest. The slopes are of straight lines through one look a minute, the first minutes left out.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { FRAME_MS } from './lab/frame-schedule.ts';
import type { GatewayCost } from './lab/gateway-process.ts';
import type { KeptMemory } from './lab/kept-memory.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { linePlot } from './lab/line-plot.ts';
import { lineThrough } from './lab/line-through.ts';
import { type Listeners, startListeners } from './lab/listeners.ts';
import { monotonicMs } from './lab/monotonic.ts';

/** So many tell what a stream costs, roughly; then more are added, in so many steps at most. */
const FIRST_STREAMS = 40;
const STEPS = 4;
/** What is lacking less than this part of what is there is not worth a step. */
const CLOSE_ENOUGH = 0.05;
const FIRST_MS = 8000;
const MEASURED_MS = 15_000;
const LOOK_EVERY_MS = 30_000;
/** Compiled code, pools and the allocator's arenas come to rest in this part of the time, and in at most this many minutes. */
const WARM_UP_PART = 0.2;
const MOST_WARM_UP_MINUTES = 10;
/** Slopes of a shorter run are noise. */
const LEAST_JUDGED_MINUTES = 30;
const MOST_KEPT_PER_HOUR = 1;
/** Callers hang up after some three minutes, as on the phone: a session that is open for hours remembers more and more ids. */
const TURNS_IN_CALL = 18;
const MIB = 1024 * 1024;

type Look = {
  readonly hours: number;
  readonly keptMiB: number;
  readonly heapMiB: number;
  readonly externalMiB: number;
  readonly residentMiB: number;
  readonly resources: number;
  readonly files: number;
};

function lookAt(startedMs: number, { kept, residentBytes }: GatewayCost): Look {
  const { heapBytes, externalBytes, resources, files } = kept as KeptMemory;
  return {
    hours: (monotonicMs() - startedMs) / 3_600_000,
    keptMiB: (heapBytes + externalBytes) / MIB,
    heapMiB: heapBytes / MIB,
    externalMiB: externalBytes / MIB,
    residentMiB: residentBytes / MIB,
    resources,
    files: files ?? 0,
  };
}

/** What part of a core the main thread is busy for. */
async function busyShare(lab: Lab, signal: AbortSignal): Promise<number> {
  await pause(FIRST_MS, undefined, { signal });
  const before = await lab.usage();
  await pause(MEASURED_MS, undefined, { signal });
  const after = await lab.usage();
  const busyMs = (cost: GatewayCost) => cost.mainCpuMs ?? cost.cpuMs;
  return (busyMs(after) - busyMs(before)) / MEASURED_MS;
}

type Callers = { readonly all: readonly Listeners[]; readonly streams: number };

/** So many that the main thread is as busy as is wanted: the first are dearer than those that come after them, so in steps. */
async function startCallers(
  lab: Lab,
  start: (first: number, count: number) => Promise<Listeners>,
  { numbers: { loadPercent }, signal, progress }: BenchRun,
): Promise<Callers> {
  const all = [await start(0, FIRST_STREAMS)];
  let streams = FIRST_STREAMS;
  for (let step = 1; step <= STEPS; step += 1) {
    const share = await busyShare(lab, signal);
    for (const listeners of all) listeners.count();
    progress(`soak: ${streams} streams take ${(share * 100).toFixed(0)} % of a core`);
    const more = Math.round(streams * (loadPercent / 100 / share - 1));
    if (more <= streams * CLOSE_ENOUGH) break;
    all.push(await start(streams, more));
    streams += more;
  }
  return { all, streams };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, signal, progress } = bench;
  const { minutes, seed } = numbers;
  const lab = await openLab({ seed, collects: 'each-report' });
  try {
    const callers = { sessionUrl: lab.sessionUrl, signal, turnsInCall: TURNS_IN_CALL };
    const start = (first: number, count: number) => startListeners({ ...callers, first, count, seed });
    const { all, streams } = await startCallers(lab, start, bench);
    progress(`soak: ${streams} streams for ${minutes} minutes`);
    await pause(FIRST_MS, undefined, { signal });

    const startedMs = monotonicMs();
    const before = await lab.usage();
    const tallies = all.map((listeners) => listeners.count());
    const looks: Look[] = [lookAt(startedMs, before)];
    while (monotonicMs() - startedMs < minutes * 60_000) {
      await pause(Math.min(LOOK_EVERY_MS, startedMs + minutes * 60_000 - monotonicMs()), undefined, {
        signal,
      });
      const look = lookAt(startedMs, await lab.usage());
      looks.push(look);
      progress(
        `soak: ${(look.hours * 60).toFixed(0)} of ${minutes} minutes, ${streams} streams, ${look.keptMiB.toFixed(1)} MiB kept, ${look.residentMiB.toFixed(0)} resident, ${look.files} files`,
      );
      // What lateness was counted is not looked at, and an hour of it would fill the bench's own memory.
      for (const tally of tallies) tally.latenessMs.length = 0;
    }
    const after = await lab.usage();
    for (const listeners of all) await listeners.stop();

    const warmUpHours = Math.min(minutes * WARM_UP_PART, MOST_WARM_UP_MINUTES) / 60;
    const settled = looks.filter(({ hours }) => hours >= warmUpHours);
    const perHour = (read: (look: Look) => number) =>
      lineThrough(settled.map((look) => [look.hours, read(look)])).slope;
    const meanOf = (part: readonly Look[], read: (look: Look) => number) =>
      part.reduce((sum, look) => sum + read(look), 0) / part.length;
    const third = Math.ceil(settled.length / 3);
    const [early, late] = [settled.slice(0, third), settled.slice(-third)];
    const names = ['heapMiB', 'externalMiB', 'keptMiB', 'residentMiB', 'resources', 'files'] as const;
    const rows = names.map((name) => [
      name.replace('MiB', ', MiB').replace('kept', 'heap + external'),
      ...[meanOf(early, (look) => look[name]), meanOf(late, (look) => look[name])].map((value) =>
        value.toFixed(1),
      ),
      perHour((look) => look[name]).toFixed(2),
    ]);
    const [frames, errors, underruns] = (['frames', 'errors', 'underruns'] as const).map((name) =>
      tallies.reduce((sum, tally) => sum + tally[name], 0),
    ) as [number, number, number];
    const wallMs = looks.at(-1)!.hours * 3_600_000;
    const coreShare = ((after.mainCpuMs ?? after.cpuMs) - (before.mainCpuMs ?? before.cpuMs)) / wallMs;
    const keptPerHour = perHour(({ keptMiB }) => keptMiB);
    return {
      title: `soak: ${streams} live µ-law turns for ${minutes} minutes, the main thread busy for ${(coreShare * 100).toFixed(0)} % of a core`,
      columns: [
        'after a collection',
        `first third of ${settled.length} looks`,
        'last third',
        'slope per hour',
      ],
      rows,
      notes: [
        `The first ${(warmUpHours * 60).toFixed(0)} minutes are left out. Each look collects garbage, which holds the loop for some tens of milliseconds.`,
        'Aims: heap + external less than 1 MB an hour, resident less than 5, what is open the same.',
        `${((frames * FRAME_MS) / 3_600_000).toFixed(1)} hours of speech were heard, with ${underruns} underruns and ${errors} errors.`,
      ],
      plots: [
        {
          name: 'memory',
          svg: linePlot({
            title: `Memory of ${streams} live turns`,
            x: { label: 'minutes', scale: 'linear' },
            y: { label: 'MiB', scale: 'linear' },
            series: [
              { name: 'resident', points: looks.map((look) => [look.hours * 60, look.residentMiB]) },
              { name: 'heap + external', points: looks.map((look) => [look.hours * 60, look.keptMiB]) },
            ],
          }),
        },
      ],
      figures: {
        streams,
        coreShare,
        heardHours: (frames * FRAME_MS) / 3_600_000,
        underruns,
        errors,
        keptMiBPerHour: keptPerHour,
        residentMiBPerHour: perHour(({ residentMiB }) => residentMiB),
        resourcesPerHour: perHour(({ resources }) => resources),
        filesPerHour: perHour(({ files }) => files),
        looks: settled.length,
      },
      faults: [
        ...(errors > 0 ? [`${errors} errors were told`] : []),
        ...(minutes >= LEAST_JUDGED_MINUTES && keptPerHour > MOST_KEPT_PER_HOUR
          ? [`what is kept grows by ${keptPerHour.toFixed(2)} MiB an hour`]
          : []),
      ],
    };
  } finally {
    await lab.close();
  }
}

export const soak: Bench = {
  summary: 'live turns for an hour: what is kept after a collection, what is resident and what is open',
  defaults: { loadPercent: 60, minutes: 60, seed: 1 },
  needs: 'minutes',
  run,
};
