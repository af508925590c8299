// A folder for one test, in memory where the system has such a place: what is flushed there is flushed at once.

import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

function place(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    return IN_MEMORY;
  } catch {
    return tmpdir();
  }
}

/** The test removes it. */
export const scratchFolder = (name: string): string => mkdtempSync(join(place(), `voxgate-${name}-`));
