import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { wordTimerCost } from '../../../bench/lab/word-timer-cost.ts';

const BUSY = 'const until = Date.now() + 30; while (Date.now() < until);';
/** Works, starts programs by these names, and tells when they have worked. */
const program = (children: readonly string[]) => `
  ${BUSY}
  const { spawn } = require('node:child_process');
  const started = ${JSON.stringify(children)}.map((name) => {
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(`${BUSY} console.log('done'); process.stdin.resume()`)}, name]);
    return new Promise((resolve) => child.stdout.once('data', resolve));
  });
  Promise.all(started).then(() => console.log('done'));
  process.stdin.resume();
  process.stdin.on('end', () => process.exit());`;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});
async function start(name: string, children: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['-e', program(children), name]);
  const closed = once(child, 'close');
  ends.push(() => {
    child.kill();
    return closed;
  });
  await once(child.stdout, 'data');
}

it.runIf(platform() === 'linux')('counts the word timer and its speech program, and no others', async () => {
  await start('another', ['espeak-entry']);
  await start('espeak-entry', []);
  expect(wordTimerCost()).toEqual({ timerMs: 0, programMs: 0 });
  await start('word-timer-process', ['another']);
  const alone = wordTimerCost()!;
  expect(alone.timerMs).toBeGreaterThan(0);
  expect(alone.programMs).toBe(0);
  await start('word-timer-process', ['espeak-entry']);
  expect(wordTimerCost()!.timerMs).toBeGreaterThan(alone.timerMs);
  expect(wordTimerCost()!.programMs).toBeGreaterThan(0);
});
