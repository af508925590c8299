// What this process keeps once the collector has been through it, and what it has open: what must not grow, however long it
// serves.

import { readdirSync } from 'node:fs';
import { collector } from './collector.ts';

export type KeptMemory = {
  /** The JavaScript heap's living objects. */
  readonly heapBytes: number;
  /** What they hold outside of it, WASM memories and buffers included. */
  readonly externalBytes: number;
  /** Timers, sockets and requests that Node has open. */
  readonly resources: number;
  /** Open files and sockets of the system; null where it does not tell. */
  readonly files: number | null;
};

function openFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

/** Collects first, which holds the event loop for some tens of milliseconds. */
export function keptMemory(): KeptMemory {
  const collect = collector();
  // What finalizers hold is let go by the first, and found by the second.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return {
    heapBytes: heapUsed,
    externalBytes: external,
    resources: process.getActiveResourcesInfo().length,
    files: openFiles(),
  };
}
