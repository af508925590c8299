import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { leaveFirstCore, withoutFirstCore } from '../../src/bench/cores-apart.ts';
import { hasProgram } from '../../src/bench/has-program.ts';

const coresToldBy = ([program, ...words]: readonly string[]): string =>
  execFileSync(program!, words, { encoding: 'utf8' }).split(': ')[1]!.trim();
const coresOf = (): string => coresToldBy(['taskset', '--cpu-list', '--pid', String(process.pid)]);
/** What a child is told of itself. */
const coresOfChild = (through: readonly string[] = []): string =>
  coresToldBy([...through, 'sh', '-c', 'taskset --cpu-list --pid $$']);

describe('withoutFirstCore', () => {
  it.each([
    ['0,1', '1'],
    ['0-3', '1,2,3'],
    ['2-4,7', '3,4,7'],
    ['0', undefined],
  ])('of %s leaves %s', (list, others) => {
    expect(withoutFirstCore(list)).toBe(others);
  });
});

describe.skipIf(!hasProgram('taskset'))('leaveFirstCore', () => {
  it('moves this process and its children, but not what is run through its command, and undoes it', () => {
    const before = coresOf();
    const apart = leaveFirstCore();
    if (withoutFirstCore(before) === undefined) return expect(apart).toBeUndefined();
    try {
      const others = withoutFirstCore(before);
      expect(withoutFirstCore(`999,${coresOf()}`)).toBe(others);
      expect(withoutFirstCore(`999,${coresOfChild()}`)).toBe(others);
      expect(coresOfChild(apart!.through)).toBe(before);
    } finally {
      apart?.end();
    }
    expect(coresOf()).toBe(before);
  });
});
