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
import { storageFaultOf } from '../../base/storage-fault.ts';

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
 * `held`: the file is still ours. `unknown`: it cannot be read now, or is missing. `lost`: another process has the folder,
 * or had it meanwhile; that is final.
 */
export type HoldState = 'held' | 'unknown' | 'lost';

export type FolderHold = {
  /**
   * What became of the process that had the folder before and has not released it: `none` there was, it is `dead` for
   * sure, or it was `silent`, so it may wake up and write to files that it has open.
   */
  readonly before: 'none' | 'dead' | 'silent';
  /** Looks at the file, so that a process that slept knows before it does anything else. */
  state(): HoldState;
  release(): void;
};

export type HoldFolderOptions = {
  readonly clock: Clock;
  readonly processes?: Processes | undefined;
  /** Told once. */
  readonly onLost?: (() => void) | undefined;
};

/**
 * Holds `folder` (which exists) until `release`. An `Error` that names folder and process when another one, alive, holds
 * it; after up to 6 s when it is elsewhere.
 */
export async function holdFolder(
  folder: string,
  { clock, processes = systemProcesses(), onLost = () => {} }: HoldFolderOptions,
): Promise<FolderHold> {
  const path = join(folder, FILE);
  // Two holds of one process are told apart, too.
  const text = JSON.stringify({ ...processes.self, hold: randomUUID() });
  let before: FolderHold['before'] = 'none';
  for (let tried = 0; tried < TRIES; tried++) {
    if (create(path, text)) return { before, ...keep(path, text, clock, onLost) };
    const found = read(path);
    if (found === undefined) continue;
    const alive = await judge(found, path, clock, processes);
    if (alive === 'alive')
      throw new Error(
        `the data folder ${folder} is in use by process ${found.holder?.pid ?? 'unknown'}: stop it, or name another folder (if no Voxgate is running, remove ${path})`,
      );
    before = alive;
    takeAway(path, found.text);
  }
  throw new Error(`the data folder ${folder} is being taken by other processes: start again`);
}

type Found = { readonly text: string; readonly holder: Holder | undefined };

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Made and not written (a full disk): nobody could tell whose it is.
    if (storageFaultOf(error) === 'full') rmSync(path, { force: true });
    throw error;
  }
}

function read(path: string): Found | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, holder: parseHolder(text) };
  } catch {
    return undefined; // gone in between
  }
}

/** Undefined for a file that a power cut left empty, or that somebody is just writing. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, started, space } = JSON.parse(text) as Partial<Holder>;
    if (!Number.isSafeInteger(pid) || typeof started !== 'string' || typeof space !== 'string')
      return undefined;
    return { pid: pid!, started, space };
  } catch {
    return undefined;
  }
}

async function judge(
  { holder }: Found,
  path: string,
  clock: Clock,
  processes: Processes,
): Promise<'alive' | 'dead' | 'silent'> {
  if (holder !== undefined && holder.space === processes.self.space)
    return processes.startOf(holder.pid) === holder.started ? 'alive' : 'dead';
  const seenMs = modifiedMs(path);
  await new Promise<void>((resolve) => clock.after(SILENT_MS, resolve));
  return modifiedMs(path) === seenMs ? 'silent' : 'alive';
}

const modifiedMs = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/** Removes the file of a dead holder, and not that of one that has come meanwhile. */
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

/**
 * So many heartbeats in a row without the file: somebody has taken it and is gone again. One may fall between two
 * renames.
 */
const MAX_MISSED_LOOKS = 2;

function keep(path: string, own: string, clock: Clock, onLost: () => void): Omit<FolderHold, 'before'> {
  let phase: 'held' | 'lost' | 'released' = 'held';
  let missed = 0;
  let stop = () => {};
  const lose = () => {
    phase = 'lost';
    stop();
    onLost();
  };
  const look = (): HoldState => {
    if (phase !== 'held') return 'lost';
    try {
      if (readFileSync(path, 'utf8') === own) return 'held';
    } catch {
      return 'unknown';
    }
    lose();
    return 'lost';
  };
  const isMissing = (): boolean => {
    try {
      return statSync(path, { throwIfNoEntry: false }) === undefined;
    } catch {
      return false; // not to be reached: nobody knows
    }
  };
  const beat = () => {
    stop = clock.after(HEARTBEAT_MS, () => {
      const state = look();
      if (state === 'lost') return;
      missed = state === 'unknown' && isMissing() ? missed + 1 : 0;
      if (missed >= MAX_MISSED_LOOKS) return lose();
      // The sign of life of another process is not ours to give.
      const now = new Date();
      if (state === 'held') utimes(path, now, now).catch(() => {});
      beat();
    });
  };
  beat();
  return {
    state: look,
    release() {
      stop();
      // Whoever was silent for too long (asleep, halted) may have lost it to somebody else meanwhile.
      if (look() === 'held') rmSync(path, { force: true });
      if (phase === 'held') phase = 'released';
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
