// Longer and longer turns, each sent as fast as it is made: what a second of audio costs, and what a turn holds in memory.

import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../src/client/voxgate-client.ts';
import { textOf } from './lab/fake-upstream.ts';
import { type GrowthRow, type GrowthStep, type MeasureGrowth, stepsUpTo } from './lab/growth-row.ts';
import { openLab } from './lab/lab.ts';

const STEPS_S = [1, 10, 60, 600, 3600, 7200, 14_400];
/** Fast enough for a turn to be held up by the gateway, not by its service. */
const UPSTREAM = { speed: 400, ttfbMs: [30, 30] } as const;
/** Before it has said anything a gateway holds what only its start needed. */
const WARM_UP_S = 60;
const REST_MS = 3000;
/** Short turns are repeated until there is so much audio, but no more often than that. */
const LEAST_AUDIO_S = 120;
const MOST_REPEATS = 12;
const LOOK_EVERY_MS = 50;
/** The shortest turn, of three words, is a fifth longer than it is called. */
const SHORT_OF = 0.25;
/** Without any minutes. */
const LEAST_S = 10;

const lengthOf = (seconds: number): string =>
  seconds >= 3600 && seconds % 3600 === 0
    ? `${seconds / 3600} h`
    : seconds >= 60 && seconds % 60 === 0
      ? `${seconds / 60} min`
      : `${seconds} s`;
export const LENGTH_TICKS = STEPS_S.map((seconds) => [seconds, lengthOf(seconds)] as const);

/** Resolves with the seconds of audio that came. */
async function burst(sessionUrl: string, seconds: number): Promise<number> {
  let bytes = 0;
  const client = await connectSession({
    url: `${sessionUrl}?format=mulaw&sampleRate=8000&pace=burst`,
    onAudio: (piece) => {
      bytes += piece.length;
    },
  });
  const ended = client.next('ended');
  client.send({ type: 'speak', turn: 'long', text: textOf(seconds) });
  const { outcome } = await ended;
  client.close();
  if (outcome !== 'complete') throw new Error(`a turn of ${lengthOf(seconds)} ended as ${outcome}`);
  return bytes / 8000;
}

export const measureTurns: MeasureGrowth = async ({ numbers, signal, progress }): Promise<GrowthRow> => {
  const { minutes, seed } = numbers;
  const lab = await openLab({ seed, upstream: UPSTREAM });
  const steps: GrowthStep[] = [];
  const faults: string[] = [];
  try {
    await burst(lab.sessionUrl, WARM_UP_S);
    await pause(REST_MS, undefined, { signal });
    const idleBytes = await lab.residentBytes();
    for (const seconds of stepsUpTo(Math.max(LEAST_S, minutes * 60), STEPS_S)) {
      progress(`growth: a turn of ${lengthOf(seconds)}`);
      const repeats = Math.min(MOST_REPEATS, Math.ceil(LEAST_AUDIO_S / seconds));
      const before = await lab.usage();
      let [mostBytes, heardSeconds] = [before.residentBytes, 0];
      let state: 'speaking' | 'over' = 'speaking';
      const speak = async () => {
        for (let n = 0; n < repeats; n++) heardSeconds += await burst(lab.sessionUrl, seconds);
      };
      const spoken = speak().finally(() => {
        state = 'over';
      });
      while (state === 'speaking') {
        mostBytes = Math.max(mostBytes, await lab.residentBytes());
        await pause(LOOK_EVERY_MS, undefined, { signal });
      }
      await spoken;
      const after = await lab.usage();
      if (Math.abs(heardSeconds / (repeats * seconds) - 1) > SHORT_OF)
        faults.push(`of ${repeats} × ${lengthOf(seconds)} of audio ${heardSeconds.toFixed(1)} s came`);
      steps.push({
        name: `a turn of ${lengthOf(seconds)}`,
        work: seconds,
        cpuMs: (after.cpuMs - before.cpuMs) / repeats,
        residentBytes: mostBytes,
        state: 'carried',
      });
    }
    return { idleBytes, steps, notes: [], faults };
  } finally {
    await lab.close();
  }
};
