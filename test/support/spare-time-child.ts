// A process that works in spare time, and tells what the system says of its threads and of a program that it starts.
import { execFileSync } from 'node:child_process';
import { threads } from '../../src/base/processes/thread-time.ts';
import { workInSpareTime } from '../../src/base/processes/yield-to-playback.ts';

workInSpareTime();
const policyOf = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' });
process.stdout.write(
  JSON.stringify({
    own: threads().map((thread) => policyOf('chrt', '--pid', String(thread))),
    program: policyOf('sh', '-c', 'chrt --pid $$'),
  }),
);
