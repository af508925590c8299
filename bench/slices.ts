// How long one message holds the event loop: each kind at the largest that is allowed, with texts that are hard to read. The
// longest of its slices counts, from its arrival until nothing of it is left to do; collections of garbage are told apart.

import { PerformanceObserver } from 'node:perf_hooks';
import type { Clock } from '../src/base/clock.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { HARD_TEXTS, longestHardText } from './lab/hard-texts.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { MESSAGE_BYTES, MUTE_LIMITS, openMuteSessions } from './lab/mute-sessions.ts';
import { SLICE_ROWS } from './lab/slices-rows.ts';
import { medianOf } from './lab/spread.ts';

const AIM_MS = 10;
/** Turns of the event loop without anything to do, after which a message is done with. */
const QUIET_TURNS = 3;
const MAX_TURNS = 20_000;

type Slice = { readonly fromMs: number; readonly untilMs: number };

/** Collections of garbage as the engine tells them, on the clock of `performance.now`. */
function watchGarbage() {
  const pauses: Slice[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      pauses.push({ fromMs: startTime, untilMs: startTime + duration });
  });
  observer.observe({ entryTypes: ['gc'] });
  const within = ({ fromMs, untilMs }: Slice) =>
    pauses.reduce(
      (sum, pause) => sum + Math.max(0, Math.min(untilMs, pause.untilMs) - Math.max(fromMs, pause.fromMs)),
      0,
    );
  return { within, forget: () => pauses.splice(0), close: () => observer.disconnect() };
}

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A clock whose tasks are measured, with the promises that they set going. */
function measuredClock(slices: Slice[]) {
  let waiting = 0;
  const measure = (task: () => void) => {
    waiting += 1;
    setImmediate(() => {
      const fromMs = performance.now();
      setImmediate(() => {
        waiting -= 1;
      });
      try {
        task();
      } finally {
        // Behind all promises of the task, for these are reactions of reactions.
        process.nextTick(() => queueMicrotask(() => slices.push({ fromMs, untilMs: performance.now() })));
      }
    });
  };
  const clock: Clock = {
    now: monotonicMs,
    after: (delayMs, task) => {
      const timer = setTimeout(() => measure(task), delayMs);
      return () => clearTimeout(timer);
    },
    soon: measure,
  };
  return { clock, measure, isBusy: () => waiting > 0 };
}

async function run({ numbers, only, signal, progress }: BenchRun): Promise<BenchResult> {
  const slices: Slice[] = [];
  const { clock, measure, isBusy } = measuredClock(slices);
  const garbage = watchGarbage();
  const sessions = await openMuteSessions(clock);
  const untilQuiet = async () => {
    for (let turn = 0, quiet = 0; quiet < QUIET_TURNS && turn < MAX_TURNS; turn += 1) {
      quiet = isBusy() ? 0 : quiet + 1;
      await turnOfLoop();
    }
  };
  const textOf = (corpus: string, units: number) => longestHardText(corpus, MESSAGE_BYTES - 2000, units);
  /** The longest slice of one message, and what of it was garbage, ms. */
  const once = async (row: (typeof SLICE_ROWS)[number], corpus: string) => {
    const session = sessions.open();
    try {
      const { before, message } = row.make((units) => textOf(corpus, units), MUTE_LIMITS);
      for (const frame of before) {
        measure(() => session.receive(frame));
        await untilQuiet();
      }
      slices.length = 0;
      garbage.forget();
      measure(() => session.receive(message));
      await untilQuiet();
      await new Promise((resolve) => setTimeout(resolve, 0)); // what the engine tells of garbage comes late
      const own = slices.map((slice) => slice.untilMs - slice.fromMs - garbage.within(slice));
      return {
        ms: Math.max(0, ...own),
        withGarbageMs: Math.max(0, ...slices.map((slice) => slice.untilMs - slice.fromMs)),
        slices: slices.length,
      };
    } finally {
      session.close();
      await untilQuiet();
    }
  };

  try {
    const rows: (readonly string[])[] = [];
    const figures: Record<string, number> = {};
    const faults: string[] = [];
    for (const row of SLICE_ROWS.filter(({ name }) => only === undefined || name === only)) {
      let worst = { corpus: '', ms: 0, withGarbageMs: 0, slices: 0 };
      for (const corpus of row.texts === 'hard' ? HARD_TEXTS : ['prose']) {
        progress(`slices: ${row.name}, ${corpus}`);
        const repeats = [];
        for (let repeat = 0; repeat < numbers.samples && !signal.aborted; repeat += 1)
          repeats.push(await once(row, corpus));
        const ms = medianOf(repeats.map((each) => each.ms));
        if (ms >= worst.ms)
          worst = {
            corpus,
            ms,
            withGarbageMs: medianOf(repeats.map((each) => each.withGarbageMs)),
            slices: medianOf(repeats.map((each) => each.slices)),
          };
      }
      rows.push([
        row.name,
        worst.corpus,
        worst.ms.toFixed(2),
        worst.withGarbageMs.toFixed(2),
        String(worst.slices),
      ]);
      figures[`${row.name.replaceAll(/[^a-z]+/gi, '_')}Ms`] = worst.ms;
      if (worst.ms > AIM_MS)
        faults.push(`${row.name} holds the loop for ${worst.ms.toFixed(1)} ms (${worst.corpus})`);
    }
    return {
      title: `The longest slice of one message of each kind, median of ${numbers.samples}`,
      columns: ['message', 'its hardest text', 'ms', 'with garbage', 'slices'],
      rows,
      notes: [
        `Aim: ${AIM_MS} ms. Of each kind the text that took longest is shown, of ${HARD_TEXTS.length}.`,
      ],
      figures,
      faults,
    };
  } finally {
    sessions.close();
    garbage.close();
  }
}

export const slices: Bench = {
  summary:
    'how long one message of each kind holds the loop at its largest, with texts that are hard to read',
  defaults: { samples: 20 },
  parts: SLICE_ROWS.map(({ name }) => name),
  needs: 'minutes',
  run,
};
