// For threads and processes that work while others play audio: Linux gives each thread a niceness and a scheduling policy
// of its own, and tells a thread its number; elsewhere all stay equal.

import { execFileSync } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { ownThread, threads } from './thread-time.ts';

/**
 * Of work that runs beside phone calls, in threads and in programs that are started; each is added to that of the
 * process.
 */
export const BACKGROUND_NICENESS = 5;

/**
 * Of the engine's own threads: they mark garbage and compile while the main thread goes on. Every few seconds four of them
 * want all cores for a tenth of a second, and playback would share with them; yet a collection that is ending waits for
 * what each of them has begun, so they must not starve.
 */
const HELPER_NICENESS = 10;

/** Of work that may be late, or left out, when there is hardly anything left over. */
const SPARE_TIME_NICENESS = 15;

/** One that does not end must not keep the thread. */
const CHRT_TIMEOUT_MS = 2000;

/** Makes the calling thread nicer than the one that started it. */
export function yieldToPlayback(): void {
  lower((thread) => setPriority(thread, nicerBy(BACKGROUND_NICENESS)));
}

/**
 * The whole process, and programs that it starts from now on, run when nobody else wants to. A nice thread still keeps a
 * core for milliseconds when a thread that plays wakes up; an idle one (SCHED_IDLE, sched(7)) leaves it at once. Node cannot
 * ask for that, `chrt` of util-linux can. For a process of its own: an idle thread that holds a lock of its process holds
 * up all others for as long as other processes keep the cores.
 */
export function workInSpareTime(): void {
  attempt(() => {
    const niceness = nicerBy(SPARE_TIME_NICENESS);
    for (const thread of threads()) attempt(() => setPriority(thread, niceness));
  });
  attempt(() => {
    execFileSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)], {
      stdio: 'ignore',
      timeout: CHRT_TIMEOUT_MS,
    });
  });
}

/**
 * Makes every thread nicer but the calling one: for the first step of a process, when the others are those that the engine
 * and Node have brought along (V8's workers, libuv's readers of files and names). Threads started later are as they ask.
 */
export function helpersYieldToPlayback(): void {
  const niceness = nicerBy(HELPER_NICENESS);
  lower((own) => {
    for (const thread of threads()) if (thread !== own) attempt(() => setPriority(thread, niceness));
  });
}

/** Than the calling thread is, which began with what the thread has that started it. */
const nicerBy = (more: number): number => Math.min(getPriority() + more, constants.priority.PRIORITY_LOW);

function lower(give: (thread: number) => void): void {
  attempt(() => {
    const thread = ownThread();
    if (thread !== undefined) give(thread);
  });
}

/** It only helps: a thread may be gone, a system may not let us, and `chrt` may be missing. */
function attempt(task: () => void): void {
  try {
    task();
  } catch {
    // Everything goes on as it was.
  }
}
