// Who works in a folder: one process at a time, told by a small file in it. A lock of the system's own would go with its
// process, but Node has none. So the file says who holds it in words that stay true: a process id alone is given to
// others again (after a restart of a container even the same one to the same program), the time of its start is not.
// Where process ids cannot be compared (another container or machine), the holder's heartbeat decides.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';

export type Holder = {
  readonly pid: number;
  /** When the process started, in the system's words; compared, never read. Empty: unknown there. */
  readonly started: string;
  /** Within it, process ids can be compared: the boot and the pid namespace, or the machine. */
  readonly space: string;
};

/** What tells processes apart. An argument, for the tests. */
export type Processes = {
  readonly self: Holder;
  /** Start of a running process of our own space; undefined when there is none of that id. */
  readonly startOf: (pid: number) => string | undefined;
};

const FILE = 'holder.json';
const HEARTBEAT_MS = 2_000;
/** A holder elsewhere that gives no sign for this long is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** Two processes that start at once over the same dead one; each try has one that wins. */
const TRIES = 5;

/**
 * Holds `folder` (which exists) until `release`. An `Error` that names folder and process when another one, alive, holds
 * it; after up to 6 s when it is elsewhere.
 */
export async function holdFolder(
  folder: string,
  { clock, processes = systemProcesses() }: { readonly clock: Clock; readonly processes?: Processes },
): Promise<{ release(): void }> {
  const path = join(folder, FILE);
  for (let tried = 0; tried < TRIES; tried++) {
    if (create(path, processes.self)) return keep(path, processes.self, clock);
    const found = read(path);
    if (found === undefined) continue;
    if (await isAlive(found, path, clock, processes))
      throw new Error(
        `the data folder ${folder} is in use by process ${found.holder?.pid ?? 'unknown'}: stop it, or name another folder (if no Voxgate is running, remove ${path})`,
      );
    takeAway(path, found.text);
  }
  throw new Error(`the data folder ${folder} is being taken by other processes: start again`);
}

type Found = { readonly text: string; readonly holder: Holder | undefined };

function create(path: string, self: Holder): boolean {
  try {
    writeFileSync(path, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): Found | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, holder: parse(text) };
  } catch {
    return undefined; // gone in between
  }
}

/** Undefined for a file that a power cut left empty, or that somebody is just writing. */
function parse(text: string): Holder | undefined {
  try {
    const { pid, started, space } = JSON.parse(text) as Partial<Holder>;
    if (!Number.isSafeInteger(pid) || typeof started !== 'string' || typeof space !== 'string')
      return undefined;
    return { pid: pid!, started, space };
  } catch {
    return undefined;
  }
}

async function isAlive(
  { holder }: Found,
  path: string,
  clock: Clock,
  processes: Processes,
): Promise<boolean> {
  if (holder !== undefined && holder.space === processes.self.space)
    return processes.startOf(holder.pid) === holder.started;
  const seenMs = modifiedMs(path);
  await new Promise<void>((resolve) => clock.after(SILENT_MS, resolve));
  return modifiedMs(path) !== seenMs;
}

const modifiedMs = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/** Removes the file of a dead holder, and not that of one who has come meanwhile. */
function takeAway(path: string, text: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    const isTheDeadOne = readFileSync(aside, 'utf8') === text;
    if (isTheDeadOne) rmSync(aside);
    else renameSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function keep(path: string, self: Holder, clock: Clock): { release(): void } {
  let stop = () => {};
  const beat = () => {
    stop = clock.after(HEARTBEAT_MS, () => {
      const now = new Date();
      utimes(path, now, now).catch(() => {});
      beat();
    });
  };
  beat();
  return {
    release() {
      stop();
      // Whoever was silent for too long (asleep, halted) may have lost it to somebody else meanwhile.
      if (read(path)?.text === JSON.stringify(self)) rmSync(path, { force: true });
    },
  };
}

/** Linux tells all that is asked; elsewhere `ps` tells the start, or nobody does and the id alone counts. */
export function systemProcesses(): Processes {
  const startOf = (pid: number): string | undefined => {
    try {
      // proc(5): the name in parentheses may hold anything; after it come the state, and 19 fields later the start.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isGone = fields[0] === 'Z' || fields[0] === 'X'; // ended, and its parent has not asked how
      return isGone ? undefined : fields[19];
    } catch {
      return isLinux() ? undefined : startByPs(pid);
    }
  };
  return { self: { pid: process.pid, started: startOf(process.pid) ?? '', space: spaceOf() }, startOf };
}

const isLinux = (): boolean => statSync('/proc/self/stat', { throwIfNoEntry: false }) !== undefined;

function startByPs(pid: number): string | undefined {
  try {
    const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' };
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env,
      timeout: 2_000,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined; // `ps` knows no such process
  }
  try {
    process.kill(pid, 0);
    return '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? '' : undefined;
  }
}

function spaceOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
