// Lets a worker thread that a test starts run our sources, and the engine's process that a gateway forks. vitest compiles what a
// test imports, but a thread is a program of its own, and Node 20 knows no TypeScript. Given to Node by `execArgv` in vitest.config.ts, which
// threads inherit; the test process itself goes on as it is.

import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const isEngine = process.argv[1]?.endsWith('/engine/engine-process.js') ?? false;
if (!isMainThread || isEngine) register('./typescript-hooks.mjs', import.meta.url);
