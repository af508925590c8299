// Lets a thread that a test starts run our sources, and a program of ours that is forked. vitest compiles what a test
// imports, but these are programs of their own, and Node 20 knows no TypeScript. Given to Node by `execArgv` in
// vitest.config.ts, which both inherit; the test process itself goes on as it is. What is built already (built-programs.ts) needs
// none of this.

import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
/** As they are named when they are built. */
const FORKED = /\/(engine\/engine|word-timing\/word-timer)-process\.js$/;

/** What is run: in a thread, its file. */
const program = process.argv[1] ?? '';
const isBuilt = program.startsWith(DIST);
if (!isBuilt && (!isMainThread || FORKED.test(program))) register('./typescript-hooks.mjs', import.meta.url);
