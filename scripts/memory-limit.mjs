// A limit on the memory of a process and all that it starts: a control group of version 2 or 1 where one can be made, and else
// only a look at the processes.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 50;
const MIB = 1024 * 1024;
const EMPTY_MS = 5000;
const toMiB = (bytes) => Math.round(bytes / MIB);

const VERSIONS = [
  {
    how: 'control group v2',
    root: '/sys/fs/cgroup',
    isThere: (root) => readFileSync(join(root, 'cgroup.controllers'), 'utf8').split(/\s+/).includes('memory'),
    limits: ['memory.max'],
    noSwap: ['memory.swap.max', '0'],
    used: 'memory.current',
    peak: 'memory.peak',
    own: /^(?:anon|shmem|kernel) (\d+)$/gm,
    kills: ['memory.events', /^oom_kill (\d+)$/m],
  },
  {
    how: 'control group v1',
    root: '/sys/fs/cgroup/memory',
    isThere: (root) => existsSync(join(root, 'memory.limit_in_bytes')),
    limits: ['memory.limit_in_bytes'],
    noSwap: ['memory.swappiness', '0'],
    used: 'memory.usage_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    own: /^(?:total_rss|total_shmem) (\d+)$/gm,
    kills: ['memory.oom_control', /^oom_kill (\d+)$/m],
  },
];

function openGroup(version, limitMiB) {
  const folder = join(version.root, `voxgate-memory-${process.pid}-${Date.now()}`);
  const read = (name) => readFileSync(join(folder, name), 'utf8');
  mkdirSync(folder);
  try {
    for (const name of version.limits) writeFileSync(join(folder, name), String(limitMiB * MIB));
    read('cgroup.procs');
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  try {
    writeFileSync(join(folder, version.noSwap[0]), version.noSwap[1]);
  } catch {
    // Not every system counts swap.
  }
  const ownBytes = () =>
    [...read('memory.stat').matchAll(version.own)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
  let ownPeak = 0;
  const look = setInterval(() => {
    ownPeak = Math.max(ownPeak, ownBytes());
  }, LOOK_MS);
  return {
    how: version.how,
    // The shell enters the group and becomes the program.
    through: ['/bin/sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    watch() {},
    usedMiB: () => toMiB(ownBytes()),
    peak: () => ({
      ownPeakMiB: toMiB(ownPeak),
      // Older kernels of version 2 keep no peak.
      peakMiB: existsSync(join(folder, version.peak)) ? toMiB(Number(read(version.peak))) : undefined,
      kills: Number(version.kills[1].exec(read(version.kills[0]))?.[1] ?? 0),
    }),
    async close() {
      clearInterval(look);
      for (let waitedMs = 0; read('cgroup.procs') !== '' && waitedMs < EMPTY_MS; waitedMs += LOOK_MS) {
        for (const pid of read('cgroup.procs').split('\n').filter(Boolean)) {
          try {
            process.kill(Number(pid), 'SIGKILL');
          } catch {
            // It has just ended.
          }
        }
        await sleep(LOOK_MS);
      }
      rmdirSync(folder);
    },
  };
}

/** Proportional shares of what several processes have in common, so that their sum counts everything once. */
function pssOf(root) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'));
      parents.set(Number(name), Number(parent));
    } catch {
      // It has just ended.
    }
  }
  const isOurs = (pid) => pid === root || (parents.has(pid) && isOurs(parents.get(pid)));
  let bytes = 0;
  for (const pid of parents.keys()) {
    if (!isOurs(pid)) continue;
    try {
      bytes += 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
    } catch {
      // The same.
    }
  }
  return bytes;
}

function lookOnly() {
  let root;
  let peak = 0;
  let look;
  return {
    how: 'processes looked at, no limit',
    through: [],
    watch(pid) {
      root = pid;
      look = setInterval(() => {
        peak = Math.max(peak, pssOf(root));
      }, LOOK_MS);
    },
    usedMiB: () => toMiB(pssOf(root)),
    peak: () => ({ ownPeakMiB: toMiB(peak), peakMiB: toMiB(peak), kills: 0 }),
    async close() {
      clearInterval(look);
    },
  };
}

/** `through` runs a command under the limit; `watch` is told its process. */
export function openMemoryLimit(limitMiB) {
  for (const version of VERSIONS) {
    try {
      if (version.isThere(version.root)) return openGroup(version, limitMiB);
    } catch {
      // Not this one, or not for us.
    }
  }
  return lookOnly();
}
