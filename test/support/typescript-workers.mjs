// Lets a worker thread that a test starts run our sources. vitest compiles what a test imports, but a thread is a
// program of its own, and Node 20 knows no TypeScript. Given to Node by `execArgv` in vitest.config.ts, which
// threads inherit; the test process itself goes on as it is.

import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) register('./typescript-hooks.mjs', import.meta.url);
