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
/** Of the clock, for the three sizes of one pattern. */
const DEADLINE_MS = 60_000;
const SHARES = [0.25, 0.5, 1];

register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { GROWING } = await import('../test/reading/growing-files.ts');

/** The three sizes in one thread, each told as soon as it has been read. */
async function readSizes(what) {
  const { readSource } = await import('../src/reading/read-source.ts');
  const { READING_LIMITS } = await import('../src/reading/reading-limits.ts');
  const { hasRunningText } = await import('../src/script/running-text.ts');
  const { ownThread, threadTimeMs } = await import('../src/base/processes/thread-time.ts');
  const thread = ownThread();
  const { name, maxBytes, make } = GROWING[what];
  const read = async (of) => {
    const bytes = new Uint8Array(of);
    const began = threadTimeMs(thread);
    let [part, partBegan, allowedMs, gateMs] = ['gate', began, undefined, 0];
    // As the reader does from outside: who takes longer than allowed is at an end.
    const step = (nextPart, withinMs) => {
      const now = threadTimeMs(thread);
      if (part === 'gate') gateMs = now - began;
      if (now - partBegan > (allowedMs ?? Number.POSITIVE_INFINITY))
        throw new Error(`ended: ${part} over its time`);
      [part, partBegan, allowedMs] = [nextPart, now, withinMs];
    };
    const outcome = await readSource(
      bytes,
      { name, contentType: undefined },
      READING_LIMITS.textChars,
      step,
      hasRunningText,
    ).then(
      ({ blocks }) => `${blocks.length} blocks`,
      (error) => error.message.slice(0, 60),
    );
    const ms = threadTimeMs(thread) - began;
    return {
      ms: outcome.startsWith('ended') ? gateMs + (allowedMs ?? 0) : ms,
      gateMs: gateMs || ms,
      outcome,
    };
  };
  // The libraries are loaded by a small file of the same kind.
  await read(make(200));
  for (const share of SHARES) parentPort.postMessage(await read(make(Math.floor(maxBytes * share))));
}

const measure = (what) =>
  new Promise((resolve) => {
    const results = [];
    const worker = new Worker(new URL(import.meta.url), {
      workerData: what,
      resourceLimits: { stackSizeMb: 4, maxOldGenerationSizeMb: 1024 },
    });
    const settle = (last) => {
      clearTimeout(timer);
      if (last !== undefined) results.push(last);
      resolve(results);
      void worker.terminate();
    };
    const timer = setTimeout(
      () => settle({ ms: DEADLINE_MS, outcome: 'not within the deadline' }),
      DEADLINE_MS,
    );
    worker.on('message', (result) => {
      results.push(result);
      if (results.length === SHARES.length) settle();
    });
    worker.once('error', (error) =>
      settle({ ms: DEADLINE_MS, outcome: `broke: ${error.message.slice(0, 60)}` }),
    );
  });

async function measureAll() {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
  let bad = 0;
  for (const what of Object.keys(GROWING).filter((name) => name.includes(values.only))) {
    const results = await measure(what);
    const times = results.map(({ ms }) => ms);
    const last = times.at(-1);
    const exponent = times.length < 2 ? Number.NaN : Math.log2(last / times.at(-2));
    const isBad = last > MAX_MS || (last > MIN_TOLD_MS && exponent > MAX_EXPONENT);
    if (isBad) bad += 1;
    const told = times
      .map((ms) => ms.toFixed(0).padStart(6))
      .join('')
      .padEnd(18);
    console.log(
      `${isBad ? 'BAD ' : '    '}${what.padEnd(44)}${told} ms  n^${exponent.toFixed(1)}  ${results.at(-1).outcome}`,
    );
  }
  console.log(bad === 0 ? 'All linear.' : `${bad} patterns take too long.`);
  process.exitCode = bad === 0 ? 0 : 1;
}

if (isMainThread) await measureAll();
else await readSizes(workerData);
