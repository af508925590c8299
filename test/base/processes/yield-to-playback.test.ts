// Scheduling as Linux tells it of real threads, where there is a Linux with `chrt`.
import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const HOOKS = pathToFileURL(join(import.meta.dirname, '../../support/typescript-hooks.mjs')).href;
const REGISTER = `data:text/javascript,import{register}from"node:module";register(${JSON.stringify(HOOKS)})`;
const BACKGROUND_CHILD = join(import.meta.dirname, '../../support/background-child.ts');
const SPARE_TIME_CHILD = join(import.meta.dirname, '../../support/spare-time-child.ts');
const HELPERS_CHILD = join(import.meta.dirname, '../../support/yielding-helpers-child.ts');

const hasChrt = process.platform === 'linux' && spawnSync('chrt', ['--version']).status === 0;

describe.runIf(hasChrt)('work in spare time', () => {
  it('is of the idle policy, in all threads of the process that asks for it and in the programs that it starts', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', REGISTER, SPARE_TIME_CHILD], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const told = JSON.parse(stdout) as { own: string[]; program: string };
    expect(told.own.length).toBeGreaterThan(1);
    for (const policy of [...told.own, told.program]) expect(policy).toMatch(/SCHED_IDLE/);
    const main = spawnSync('chrt', ['--pid', String(process.pid)], { encoding: 'utf8' });
    expect(main.stdout).toMatch(/SCHED_OTHER/);
  });
});

describe.runIf(process.platform === 'linux')('work that runs beside playback', () => {
  it('is nicer than the process, however nice that is', () => {
    const args = ['-n', '4', process.execPath, '--import', REGISTER, BACKGROUND_CHILD];
    const { stdout, stderr } = spawnSync('nice', args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(Number(stdout)).toBe(Math.min(19, getPriority() + 4 + 5));
  });
});

describe.runIf(process.platform === 'linux')("the engine's own threads", () => {
  it('yield to the one that plays, and to threads that are started later', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', REGISTER, HELPERS_CHILD], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const told = JSON.parse(stdout) as { own: number; early: number[]; late: number[] };
    const usual = getPriority();
    expect(told.own).toBe(usual);
    expect(told.early.length).toBeGreaterThan(0);
    expect(new Set(told.early)).toEqual(new Set([Math.min(19, usual + 10)]));
    expect(new Set(told.late)).toEqual(new Set([usual]));
  });
});
