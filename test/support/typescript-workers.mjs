// Lets a thread that a test starts run our sources, and a program of ours that is forked. vitest compiles what a test
// imports, but these are programs of their own, and Node 20 knows no TypeScript. Given to Node by `execArgv` in
// vitest.config.ts, which both inherit; the test process itself goes on as it is.

import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** As they are named when they are built. */
const FORKED = /\/(engine\/engine|word-timing\/word-timer)-process\.js$/;

if (!isMainThread || FORKED.test(process.argv[1] ?? '')) register('./typescript-hooks.mjs', import.meta.url);
