// How the time of reading grows with the size of a file: every pattern of test/reading/growing-files.ts at a quarter, a
// half and all of its largest size, each in a thread of its own. Prints the processor time of each and the exponent of its growth;
// ends with 1 if one took longer than 2 s or grew faster than n^1.4. Linux: processor time is read from /proc.
//
//   node scripts/reading-growth.mjs [--only PART_OF_A_NAME]

import { register } from 'node:module';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const MAX_MS = 2_000;
const MAX_EXPONENT = 1.4;
/** Below this, what a library takes to load hides how the time grows. */
const MIN_TOLD_MS = 150;
const DEADLINE_MS = 20_000;

register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { GROWING } = await import('../test/reading/growing-files.ts');

async function readOne({ what, share }) {
  const { readSource } = await import('../src/reading/read-source.ts');
  const { READING_LIMITS } = await import('../src/reading/reading-limits.ts');
  const { hasRunningText } = await import('../src/script/running-text.ts');
  const { ownThread, threadTimeMs } = await import('../src/base/thread-time.ts');
  const thread = ownThread();
  const { name, maxBytes, make } = GROWING[what];
  const read = async (of, called) => {
    const bytes = new Uint8Array(of);
    const began = threadTimeMs(thread);
    const outcome = await readSource(
      bytes,
      { name: called, contentType: undefined },
      READING_LIMITS.textChars,
      () => {},
      hasRunningText,
    ).then(
      ({ blocks }) => `${blocks.length} blocks`,
      (error) => error.message.slice(0, 60),
    );
    return { ms: threadTimeMs(thread) - began, outcome };
  };
  // The libraries and the data of languages are loaded by a small file of the same kind.
  await read(make(200), name);
  await read(new TextEncoder().encode('The tide comes in and goes out again, and everybody on the beach looks on. '.repeat(9)), 'a.txt');
  parentPort.postMessage(await read(make(Math.floor(maxBytes * share)), name));
}

const measure = (what, share) =>
  new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { what, share },
      resourceLimits: { stackSizeMb: 4, maxOldGenerationSizeMb: 1024 },
    });
    const timer = setTimeout(() => {
      resolve({ ms: DEADLINE_MS, outcome: 'not within the deadline' });
      void worker.terminate();
    }, DEADLINE_MS + 3_000);
    const settle = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    worker.once('message', settle);
    worker.once('error', (error) => settle({ ms: 0, outcome: `broke: ${error.message.slice(0, 60)}` }));
  });

async function measureAll() {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
  let bad = 0;
  for (const what of Object.keys(GROWING).filter((name) => name.includes(values.only))) {
    const results = [];
    for (const share of [0.25, 0.5, 1]) {
      results.push(await measure(what, share));
      if (results.at(-1).ms >= DEADLINE_MS) break;
    }
    const times = results.map(({ ms }) => ms);
    const last = times.at(-1);
    const exponent = times.length < 2 ? Number.NaN : Math.log2(last / times.at(-2));
    const isBad = last > MAX_MS || (last > MIN_TOLD_MS && exponent > MAX_EXPONENT);
    if (isBad) bad += 1;
    const told = times.map((ms) => ms.toFixed(0).padStart(6)).join('').padEnd(18);
    console.log(`${isBad ? 'BAD ' : '    '}${what.padEnd(44)}${told} ms  n^${exponent.toFixed(1)}  ${results.at(-1).outcome}`);
  }
  console.log(bad === 0 ? 'All linear.' : `${bad} patterns take too long.`);
  process.exitCode = bad === 0 ? 0 : 1;
}

if (isMainThread) await measureAll();
else await readOne(workerData);
