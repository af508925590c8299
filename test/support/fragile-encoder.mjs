// Stands in for an encoder thread: answers every push and flush without a frame, and dies of 13 samples.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', ({ kind, job, samples }) => {
  if (kind !== 'push' && kind !== 'flush') return;
  const takenSamples = samples?.length ?? 0;
  if (takenSamples === 13) throw new Error('13 samples');
  const frames = { bytes: new Uint8Array(0), byteLengths: [], samples: [] };
  parentPort.postMessage({ job, takenSamples, kind, frames });
});
