// How much memory the built program needs, all of its processes together: starts `voxgate serve` under a limit, has ten
// captioned turns spoken at the same time, and tells the most that was used. Needs a control group of its own, so root; where
// there is none the processes are looked at instead, which limits nothing. Exit code 1: it was killed, cut or above the limit.
//
//   node scripts/measure-memory.mjs [--engine-limit MIB] [--elsewhere-limit MIB] [--turns N] [--runs N]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connectSession } from '../dist/bench/program-parts.js';
import { openMemoryLimit } from './memory-limit.mjs';

const PROGRAM = resolve(import.meta.dirname, '../dist/main.js');
const START_MS = 60_000;
const TURN_MS = 120_000;
/** Behind the last turn, so that what it leaves shows. */
const SETTLE_MS = 1000;
const KEY = 'measure:secret';
const VOICE = 'voxgate://embedded/voices/anna';
/** A slow machine is to show how much memory is used, not how slow it is. */
const PATIENT = { VOXGATE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '60000', VOXGATE_BUSY_AT: '0' };
const TEXTS = [
  'Good morning, this is the harbour office. How can I help you today?',
  'The next ferry to Bergen leaves at a quarter to ten from pier three. Shall I keep two seats for you?',
  'Your parcel was handed to a neighbour yesterday afternoon, and a note is in your letter box.',
  'The doctor has one appointment left this week, on Friday at half past eight. Would that be all right?',
  'If you press the green button for five seconds, the lamp should begin to blink.',
];

const { values } = parseArgs({
  options: {
    'engine-limit': { type: 'string', default: '384' },
    'elsewhere-limit': { type: 'string', default: '256' },
    turns: { type: 'string', default: '10' },
    runs: { type: 'string', default: '1' },
  },
});
const TURNS = Number(values.turns);

/** Starts a command of the program; resolves with its address, rejects with what it printed. */
async function start(command, { through = [], env = {} } = {}) {
  const [program, ...args] = [...through, process.execPath, PROGRAM, ...command];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...PATIENT, ...env },
  });
  let printed = '';
  const url = await new Promise((found, failed) => {
    const deadline = setTimeout(() => failed(new Error(`no address in time: ${printed}`)), START_MS);
    const look = (chunk) => {
      printed += chunk;
      const match = /listening at (http:\S+)/.exec(printed);
      if (match === null) return;
      clearTimeout(deadline);
      found(match[1]);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code, signal) => failed(new Error(`ended with ${signal ?? code}: ${printed}`)));
  });
  return {
    url,
    pid: child.pid,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
    },
  };
}

/** One turn in a session of its own; resolves with what went wrong, if anything. */
async function speak(url, index) {
  let captions = 0;
  let refused = '';
  const client = await connectSession({
    url: `${url.replace('http', 'ws')}/v1/session?format=mulaw&sampleRate=8000&captions=words`,
    onEvent(event) {
      if (event.type === 'caption') captions += event.words.length;
      if (event.type === 'error') refused = ` (${event.code})`;
    },
    onAudio() {},
  });
  try {
    const ended = client.next('ended');
    client.send({ type: 'speak', turn: 'measured', text: TEXTS[index % TEXTS.length], seed: index });
    const late = new Promise((tell) => setTimeout(tell, TURN_MS, { outcome: 'late' }).unref());
    const { outcome } = await Promise.race([ended, late]);
    if (outcome !== 'complete') return `turn ${index + 1}: ${outcome}${refused}`;
    return captions === 0 ? `turn ${index + 1}: no captions` : undefined;
  } catch (error) {
    return `turn ${index + 1}: ${error.message}`;
  } finally {
    client.close();
  }
}

async function measure(name, limitMiB, env) {
  const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-memory-'));
  const limit = openMemoryLimit(limitMiB);
  const faults = [];
  let startedMiB = Number.NaN;
  try {
    const gateway = await start(['serve', '--port', '0', '--data-dir', dataDir], {
      through: limit.through,
      env,
    });
    limit.watch(gateway.pid);
    await new Promise((then) => setTimeout(then, SETTLE_MS));
    startedMiB = limit.usedMiB();
    const told = await Promise.all(Array.from({ length: TURNS }, (_, index) => speak(gateway.url, index)));
    faults.push(...told.filter((fault) => fault !== undefined));
    await new Promise((then) => setTimeout(then, SETTLE_MS));
    if (gateway.isOver()) faults.push('the gateway has ended');
    const { ownPeakMiB, peakMiB, kills } = limit.peak();
    if (kills > 0) faults.push(`${kills} processes were killed for want of memory`);
    if (ownPeakMiB > limitMiB) faults.push(`${ownPeakMiB} MiB are more than ${limitMiB}`);
    await gateway.end();
    return { name, limitMiB, how: limit.how, startedMiB, ownPeakMiB, peakMiB, faults };
  } catch (error) {
    const { ownPeakMiB, peakMiB, kills } = limit.peak();
    const killed = kills > 0 ? [`${kills} processes were killed for want of memory`] : [];
    return {
      name,
      limitMiB,
      how: limit.how,
      startedMiB,
      ownPeakMiB,
      peakMiB,
      faults: [...killed, error.message],
    };
  } finally {
    await limit.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const results = [];
for (let run = 0; run < Number(values.runs); run += 1) {
  results.push(await measure('serve with its engine', Number(values['engine-limit']), {}));
  const engine = await start(['engine', '--port', '0', '--keys', KEY]);
  const env = { VOXGATE_UPSTREAM_URL: engine.url, VOXGATE_UPSTREAM_KEYS: KEY, VOXGATE_VOICE: VOICE };
  results.push(await measure('speech service elsewhere', Number(values['elsewhere-limit']), env));
  await engine.end();
}
console.log(`${TURNS} captioned turns at the same time, MiB (own: without what is only a copy of a file)`);
for (const { name, limitMiB, how, startedMiB, ownPeakMiB, peakMiB, faults } of results) {
  console.log(
    `  ${name.padEnd(26)} limit ${limitMiB}  started ${startedMiB}  peak, own ${ownPeakMiB}  peak ${peakMiB}  (${how})`,
  );
  for (const fault of faults) console.log(`    FAULT: ${fault}`);
}
console.log(JSON.stringify({ turns: TURNS, results }));
process.exit(results.some(({ faults }) => faults.length > 0) ? 1 : 0);
