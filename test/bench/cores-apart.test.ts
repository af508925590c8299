import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { firstAndOthers, leaveFirstCore } from '../../src/bench/cores-apart.ts';
import { hasProgram } from '../../src/bench/has-program.ts';

const coresOf = (pid = process.pid): string =>
  execFileSync('taskset', ['--cpu-list', '--pid', String(pid)], { encoding: 'utf8' })
    .split(': ')[1]!
    .trim();
/** Without ranges. */
const listOf = (list: string): string => firstAndOthers(`999,${list}`)![1];

describe('firstAndOthers', () => {
  it.each([
    ['0,1', ['0', '1']],
    ['0-3', ['0', '1,2,3']],
    ['2-4,7', ['2', '3,4,7']],
    ['0', undefined],
  ])('of %s', (list, parts) => {
    expect(firstAndOthers(list)).toEqual(parts);
  });
});

describe.skipIf(!hasProgram('taskset'))('leaveFirstCore', () => {
  it('moves this process and its children, gives the first core to whom it is told, and undoes it', async () => {
    const before = coresOf();
    const [first, others] = firstAndOthers(before) ?? [];
    const apart = leaveFirstCore();
    if (others === undefined) return expect(apart).toBeUndefined();
    const child = spawn('sleep', ['60']);
    try {
      await once(child, 'spawn');
      expect(listOf(coresOf())).toBe(others);
      expect(listOf(coresOf(child.pid))).toBe(others);
      apart!.giveFirstCore(child.pid!);
      expect(coresOf(child.pid)).toBe(first);
      expect(() => apart!.giveFirstCore(2 ** 30)).toThrow('cannot be given');
    } finally {
      child.kill();
      apart?.end();
    }
    expect(coresOf()).toBe(before);
  });
});
