// What a process keeps, against what it is given to keep.
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keptMemory } from '../../../bench/lab/kept-memory.ts';

const MIB = 1024 * 1024;

describe('keptMemory', () => {
  it('counts what is held and not what was let go', () => {
    const before = keptMemory();
    let held: Buffer | undefined = Buffer.alloc(32 * MIB, 1);
    const during = keptMemory();
    expect(during.externalBytes - before.externalBytes).toBeGreaterThan(28 * MIB);
    expect(held[0]).toBe(1);
    held = undefined;
    expect(keptMemory().externalBytes - before.externalBytes).toBeLessThan(4 * MIB);
  });

  it.runIf(process.platform === 'linux')('counts what is open', () => {
    const before = keptMemory().files!;
    const file = openSync(import.meta.filename, 'r');
    expect(keptMemory().files).toBe(before + 1);
    closeSync(file);
  });

  it('counts timers', () => {
    const before = keptMemory().resources;
    const timer = setTimeout(() => {}, 60_000);
    expect(keptMemory().resources).toBe(before + 1);
    clearTimeout(timer);
  });
});
