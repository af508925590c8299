// Scheduling as Linux tells it of a real thread, where there is a Linux with `chrt`.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

const hasChrt = process.platform === 'linux' && spawnSync('chrt', ['--version']).status === 0;

describe.runIf(hasChrt)('work in spare time', () => {
  it('is of the idle policy, in the thread that asks for it and in the programs that it starts', async () => {
    const thread = new Worker(new URL('../support/spare-time-child.ts', import.meta.url));
    const [told] = (await once(thread, 'message')) as [{ own: string; program: string }];
    expect(told.own).toMatch(/SCHED_IDLE/);
    expect(told.program).toMatch(/SCHED_IDLE/);
    const main = spawnSync('chrt', ['--pid', String(process.pid)], { encoding: 'utf8' });
    expect(main.stdout).toMatch(/SCHED_OTHER/);
  });
});
