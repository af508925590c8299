// A process whose engine's threads yield: prints the niceness of its own thread, of those it began with, and of a later one.
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ownThread, threads } from '../../src/base/processes/thread-time.ts';
import { helpersYieldToPlayback } from '../../src/base/processes/yield-to-playback.ts';

const own = ownThread()!;
const early = threads().filter((thread) => thread !== own);
helpersYieldToPlayback();
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true, execArgv: [] });
worker.once('online', () => {
  const late = threads().filter((thread) => thread !== own && !early.includes(thread));
  console.log(
    JSON.stringify({ own: getPriority(own), early: early.map(getPriority), late: late.map(getPriority) }),
  );
  process.exit();
});
