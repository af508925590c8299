// `npm test`: every gate a change has to pass, then the tests, then one closing line, alone and last:
//
//   N passed, N failed, N skipped
//
// The first gate that fails ends the run and counts as 1 failed. With arguments (`npm test -- test/audio`)
// only the tests run, and the arguments go to vitest. Exit code 0 = all green, 1 = not.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runVitest } from './run-vitest.mjs';

const ROOT = resolve(import.meta.dirname, '..');

const node = (script, ...args) => [process.execPath, join(ROOT, script), ...args];
const npm = (...args) =>
  process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath, ...args]
    : ['npm', ...args];

/**
 * What a gate checks, its command, and what mends most of its failures. Those of one group need nothing of each other, and run
 * two at a time, begun in this order.
 */
const GATES = [
  [
    [
      'format and lint',
      node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
      'npm run format',
    ],
    ['types', node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json')],
    ['types of the page', node('node_modules/typescript/bin/tsc', '-p', 'src/playground/tsconfig.json')],
    ['lint with types', node('node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings')],
    ['dead code and dependencies', node('node_modules/knip/bin/knip.js', '--no-progress')],
    // A lockfile that lacks some platform's packages installs here and breaks elsewhere; no network is needed to tell.
    [
      'lockfile',
      npm('ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'),
      'npm install',
    ],
    ['licences', node('scripts/check-licences.mjs'), 'node scripts/check-licences.mjs --write'],
    ['WASM from its source', node('scripts/build-wasm.mjs', '--check'), 'node scripts/build-wasm.mjs'],
  ],
  [['build', node('scripts/build.mjs')]],
  [['same seed, same bytes', node('scripts/engine-bytes.mjs'), 'node scripts/engine-bytes.mjs --write']],
];

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const closingLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

function finish(counts) {
  console.log(closingLine(counts));
  process.exit(counts.failed === 0 ? 0 : 1);
}

/** Runs a gate to its end; its output is shown only when it fails, and then the run is over. */
async function passGate([name, [program, ...args], remedy]) {
  const startedAt = performance.now();
  const gate = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  gates.add(gate);
  let said = '';
  for (const stream of [gate.stdout, gate.stderr])
    stream.setEncoding('utf8').on('data', (part) => {
      said += part;
    });
  const status = await new Promise((resolve) => {
    gate.once('error', ({ message }) => {
      said += message;
      resolve(1);
    });
    gate.once('close', resolve);
  });
  gates.delete(gate);
  if (status === 0) {
    console.log(`ok  ${name} (${seconds(startedAt)})`);
    return;
  }
  for (const other of gates) other.kill();
  console.log(said.trimEnd());
  console.log(`\ngate failed: ${name}${remedy === undefined ? '' : ` (try: ${remedy})`}`);
  finish({ passed: 0, failed: 1, skipped: 0 });
}

/** Those that run. */
const gates = new Set();
async function passGates(group) {
  const left = [...group];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await passGate(next);
  };
  await Promise.all([lane(), lane()]);
}

if (!existsSync(join(ROOT, 'node_modules/vitest'))) {
  console.log('the packages are not installed; run `npm ci` first');
  finish({ passed: 0, failed: 1, skipped: 0 });
}
const args = process.argv.slice(2);
if (args.length === 0) for (const group of GATES) await passGates(group);
const { counts, notes } = runVitest({ args });
for (const note of notes) console.log(note);
finish(counts);
