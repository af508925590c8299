// More and more sessions in which nobody says anything. Each is pinged once in the stretch that is measured, which is what
// an idle session costs.

import { setTimeout as pause } from 'node:timers/promises';
import { type ActorProcess, startActor } from './lab/actor.ts';
import { type GrowthRow, type GrowthStep, type MeasureGrowth, stepsUpTo } from './lab/growth-row.ts';
import type { IdleSessionsPlan, IdleSessionsReport } from './lab/idle-sessions-process.ts';
import { openLab } from './lab/lab.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { openFilesLimit } from './lab/proc-files.ts';

const STEPS = [1, 100, 1000, 5000, 10_000, 20_000, 50_000, 100_000];
/** In one process and from one address. */
const GROUP = 5000;
/** Files of the gateway that are no sessions, and room for connections that are still closing. */
const OTHER_FILES = 200;
/** Before anybody was connected a gateway holds what only its start needed. */
const FIRST_SESSIONS = 100;
const REST_MS = 3000;
const SETTLING_MS = 1500;
const LOOK_EVERY_MS = 250;
const STALLED_MS = 20_000;

type Crowd = ActorProcess<object, IdleSessionsReport>;
const addressOf = (group: number): string => `127.0.0.${1 + group}`;

/** Resolves when all are connected, or with why they are not. */
async function connected(crowd: Crowd, wanted: number, signal: AbortSignal): Promise<string | undefined> {
  let [most, sinceMs] = [0, monotonicMs()];
  for (;;) {
    const { connected: now, refused } = await crowd.report();
    if (refused !== undefined) return refused;
    if (now >= wanted) return undefined;
    if (now > most) [most, sinceMs] = [now, monotonicMs()];
    else if (monotonicMs() - sinceMs > STALLED_MS) return `no more than ${now} of ${wanted} came about`;
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

export const measureSessions: MeasureGrowth = async ({ numbers, signal, progress }): Promise<GrowthRow> => {
  const { sessions, seconds, seed } = numbers;
  const room = (openFilesLimit() ?? Number.POSITIVE_INFINITY) - OTHER_FILES;
  const lab = await openLab({
    seed,
    flags: ['--max-connections', '1000000', '--heartbeat-ms', String(seconds * 1000)],
  });
  const planOf = (group: number, count: number): IdleSessionsPlan => ({
    sessionUrl: lab.sessionUrl,
    sessions: count,
    localAddress: addressOf(group),
  });
  const crowds: Crowd[] = [];
  const steps: GrowthStep[] = [];
  const notes = [
    `Sessions are pinged once in ${seconds} s, all of them in what is measured; by default it is every 20 s.`,
    ...(sessions > room
      ? [`A process may have ${room + OTHER_FILES} files open here, so there are ${room} sessions at most.`]
      : []),
  ];
  let lost = 0;
  try {
    const first: Crowd = await startActor('idle-sessions-process', planOf(0, FIRST_SESSIONS));
    await connected(first, FIRST_SESSIONS, signal);
    await first.close();
    await pause(REST_MS, undefined, { signal });
    const idleBytes = await lab.residentBytes();
    for (const work of stepsUpTo(Math.min(sessions, room), STEPS)) {
      for (let there = steps.at(-1)?.work ?? 0; there < work; there += GROUP) {
        progress(`growth: ${work} idle sessions`);
        const plan = planOf(crowds.length, Math.min(GROUP, work - there));
        const crowd: Crowd = await startActor('idle-sessions-process', plan);
        crowds.push(crowd);
        const refused = await connected(crowd, plan.sessions, signal);
        if (refused !== undefined)
          return {
            idleBytes,
            steps,
            notes: [...notes, `${work} sessions did not come about, beyond ${there}: ${refused}.`],
            faults: [],
          };
      }
      await pause(SETTLING_MS, undefined, { signal });
      const before = await lab.usage();
      await pause(seconds * 1000, undefined, { signal });
      const after = await lab.usage();
      steps.push({
        name: `${work} idle sessions`,
        work,
        cpuMs: (after.cpuMs - before.cpuMs) / seconds,
        residentBytes: after.residentBytes,
        state: 'carried',
      });
      const reports = await Promise.all(crowds.map((crowd) => crowd.report()));
      lost = reports.reduce((sum, report) => sum + report.lost, 0);
    }
    return { idleBytes, steps, notes, faults: lost > 0 ? [`${lost} idle sessions were closed`] : [] };
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.close()));
    await lab.close();
  }
};
