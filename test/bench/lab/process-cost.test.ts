import { describe, expect, it } from 'vitest';
import { processCost } from '../../../bench/lab/process-cost.ts';

describe('processCost', () => {
  it('only grows, and tells threads apart where the system does', () => {
    const before = processCost();
    let after = before;
    while (after.cpuMs - before.cpuMs < 5) after = processCost();
    const isTold = [after.mainCpuMs, after.waitedMs].map((ms) => ms !== null);
    expect(isTold[0]).toBe(isTold[1]);
    expect(after.mainCpuMs ?? 0).toBeGreaterThanOrEqual(before.mainCpuMs ?? 0);
    expect(after.residentBytes).toBeGreaterThan(1024 * 1024);
  });
});
