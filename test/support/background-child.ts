// Starts itself again as a thread that works beside playback, and prints how nice that is.
import { getPriority } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { yieldToPlayback } from '../../src/base/processes/yield-to-playback.ts';

if (isMainThread)
  new Worker(new URL(import.meta.url)).once('message', (niceness) => process.stdout.write(String(niceness)));
else {
  yieldToPlayback();
  parentPort!.postMessage(getPriority());
}
