// A thread that takes frames from a ring as fast as it can, until it gets one of a single byte; says
// when it begins, and tells what it took.
import { parentPort, workerData } from 'node:worker_threads';
import { type FrameRingMemory, readFrameRing } from '../../src/playout/frame-ring.ts';

const ring = readFrameRing(workerData as FrameRingMemory);
const taken: number[] = [];
const torn: number[] = [];
parentPort!.postMessage('ready');
for (;;) {
  const frame = ring.take(0);
  if (frame === undefined) continue;
  if (frame.length === 1) break;
  const [first] = new Uint32Array(frame.buffer, 0, 1);
  taken.push(first!);
  if (new Uint32Array(frame.buffer).some((word) => word !== first)) torn.push(first!);
}
parentPort!.postMessage({ taken, torn });
