import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { SPARE_TIME_NICENESS } from '../../src/base/yield-to-playback.ts';
import { wordTimerCost } from '../../src/bench/word-timer-cost.ts';

const WORK_MS = 30;
const BUSY = `const until = Date.now() + ${WORK_MS}; while (Date.now() < until);`;
/** Works once it is as nice as the word timer's thread is, then waits to be ended. */
const NICE_THREAD = `
  const [, thread] = /task\\/(\\d+)$/.exec(require('node:fs').readlinkSync('/proc/thread-self'));
  require('node:os').setPriority(Number(thread), ${SPARE_TIME_NICENESS});
  ${BUSY}
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', () => {});
  parentPort.postMessage('done');`;
const PROGRAM = `${BUSY} process.stdout.write('done'); setInterval(() => {}, 1000);`;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

describe.runIf(platform() === 'linux')('wordTimerCost', () => {
  it('counts the thread that is as nice as the word timer, and no other', async () => {
    const before = wordTimerCost()!;
    const other = new Worker(`${BUSY} require('node:worker_threads').parentPort.postMessage('done')`, {
      eval: true,
    });
    await once(other, 'message');
    expect(wordTimerCost()).toEqual(before);
    const thread = new Worker(NICE_THREAD, { eval: true, name: 'word-timer' });
    ends.push(() => thread.terminate());
    await once(thread, 'message');
    expect(wordTimerCost()!.threadMs).toBeGreaterThan(before.threadMs);
  });

  it('counts a speech program of this process, and no other program of it', async () => {
    const [speech] = ['espeak-entry', 'another'].map((name) => {
      const child = spawn(process.execPath, ['-e', PROGRAM, name]);
      const closed = once(child, 'close');
      const end = () => {
        child.kill();
        return closed;
      };
      ends.push(end);
      return { child, end };
    });
    await once(speech!.child.stdout, 'data');
    expect(wordTimerCost()!.programMs).toBeGreaterThan(0);
    await speech!.end();
    expect(wordTimerCost()!.programMs).toBe(0);
  });
});
