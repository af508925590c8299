// Who listens on a TCP port of this machine, as far as the system tells it without a further program: on Linux, of one's own
// processes, and of all of them for root. Asked once, when a start has failed.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Linux, include/net/tcp_states.h. */
const LISTENING = '0A';
/** More are not looked at. */
const MAX_PROCESSES = 4096;

/** Of sockets that listen there. The columns of the table are those of `proc_net_tcp(5)`. */
function inodesOf(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTENING && local?.endsWith(`:${hex}`) === true)
    .flatMap(([, , , , , , , , , inode]) => inode ?? []);
}

function tried<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise; // a process that has ended, or of another user
  }
}

const holds = (process: string, sockets: ReadonlySet<string>): boolean =>
  tried<string[]>(() => readdirSync(`/proc/${process}/fd`), []).some((fd) =>
    sockets.has(tried(() => readlinkSync(`/proc/${process}/fd/${fd}`), '')),
  );

/** Such as `node, process 4711`; undefined when the system does not tell it. */
export function portHolder(port: number): string | undefined {
  const inodes = TABLES.flatMap((path) =>
    inodesOf(
      tried(() => readFileSync(path, 'latin1'), ''),
      port,
    ),
  );
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  const processes = tried<string[]>(() => readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name));
  const found = processes.slice(0, MAX_PROCESSES).find((process) => holds(process, sockets));
  if (found === undefined) return undefined;
  const name = tried(() => readFileSync(`/proc/${found}/comm`, 'utf8').trim(), '');
  return `${name === '' ? 'a program' : name}, process ${found}`;
}
