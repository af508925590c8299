// A thread that works in spare time, and tells what the system says of it and of a program that it starts.
import { execFileSync } from 'node:child_process';
import { parentPort } from 'node:worker_threads';
import { ownThread } from '../../src/base/thread-time.ts';
import { workInSpareTime } from '../../src/base/yield-to-playback.ts';

workInSpareTime();
const policyOf = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' });
parentPort!.postMessage({
  own: policyOf('chrt', '--pid', String(ownThread())),
  program: policyOf('sh', '-c', 'chrt --pid $$'),
});
