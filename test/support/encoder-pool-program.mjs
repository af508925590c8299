// A program that encodes one turn and then has nothing more to do: it ends by itself, though the pool is open.
import { silentLog } from '../../src/base/log.ts';
import { createWorkerEncoderPool } from '../../src/pipeline/encoders/worker-encoder-pool.ts';

const pool = createWorkerEncoderPool({ log: silentLog, threads: 2 });
let frames = 0;
const events = { onFrame: () => frames++, onProgress() {} };
const encoder = pool.open({ format: 'flac', sampleRate: 16_000 }, events);
encoder.push(new Float32Array(3200));
await encoder.flush();
console.log(`${frames} frames`);
