// A folder of one process in the system's temporary directory, with a note in it of whose it is. It goes with its process; what
// a process left that was killed, the next one takes away. It takes nothing of which it is not certain that it is ours and
// that its owner is gone: a folder of our name and user, with our note, by a process of this boot and pid namespace.

import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Processes, parseHolder, systemProcesses } from './sqlite/folder-holder.ts';

export type TemporaryFolder = {
  readonly path: string;
  readonly remove: () => void;
};

const PREFIX = 'voxgate-';
/** As `mkdtemp` makes them. */
const NAME = /^voxgate-[A-Za-z0-9]{6}$/;
const OWNER = 'owner.json';
/** Entries of our name that one start looks at. */
const MAX_LOOKED_AT = 1_000;
const MAX_NOTE_BYTES = 4_096;

/** `within` and `processes` are arguments for tests. */
export function openTemporaryFolder(
  within: string = tmpdir(),
  processes: Processes = systemProcesses(),
): TemporaryFolder {
  const path = mkdtempSync(join(within, PREFIX));
  const remove = () => rmSync(path, { recursive: true, force: true });
  try {
    writeFileSync(join(path, OWNER), JSON.stringify(processes.self), { mode: 0o600 });
  } catch (error) {
    remove();
    throw error;
  }
  removeAbandoned(within, lstatSync(path).uid, processes);
  return { path, remove };
}

function removeAbandoned(within: string, uid: number, processes: Processes): void {
  const names = namesIn(within).filter((name) => NAME.test(name));
  for (const name of names.slice(0, MAX_LOOKED_AT)) {
    const path = join(within, name);
    try {
      const found = lstatSync(path);
      if (!found.isDirectory() || found.uid !== uid || !isAbandoned(join(path, OWNER), processes)) continue;
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Gone in between, or not ours to look into: not certain, so it stays.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // temporary directories may be written and not listed
  }
}

/** Throws when there is no note. */
function isAbandoned(path: string, { self, startOf }: Processes): boolean {
  const found = lstatSync(path);
  if (!found.isFile() || found.size > MAX_NOTE_BYTES) return false;
  const note = parseHolder(readFileSync(path, 'utf8'));
  return note !== undefined && note.space === self.space && startOf(note.pid) !== note.started;
}
