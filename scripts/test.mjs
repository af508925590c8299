// `npm test`: every gate a change has to pass, then the tests, then one closing line, alone and last:
//
//   N passed, N failed, N skipped
//
// The first gate that fails ends the run and counts as 1 failed. With arguments (`npm test -- test/audio`)
// only the tests run, and the arguments go to vitest. Exit code 0 = all green, 1 = not.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { provideSystemPrograms } from './system-programs.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const MODULES = join(ROOT, 'node_modules');

const node = (script, ...args) => [process.execPath, join(ROOT, script), ...args];
const npm = (...args) =>
  process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath, ...args]
    : ['npm', ...args];

/** In order: what a gate checks, its command, and what mends most of its failures. */
const GATES = [
  [
    'format and lint',
    node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
    'npm run format',
  ],
  ['types', node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json')],
  ['lint with types', node('node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings')],
  ['dead code and dependencies', node('node_modules/knip/bin/knip.js', '--no-progress')],
  // A lockfile that lacks some platform's packages installs here and breaks elsewhere; no network is needed to tell.
  [
    'lockfile',
    npm('ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'),
    'npm install',
  ],
  ['licences', node('scripts/check-licences.mjs'), 'node scripts/check-licences.mjs --write'],
  ['build', node('scripts/build.mjs')],
];

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const closingLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

function finish(counts) {
  console.log(closingLine(counts));
  process.exit(counts.failed === 0 ? 0 : 1);
}

/** Runs a gate to its end; its output is shown only when it fails, and then the run is over. */
function passGate([name, [program, ...args], remedy]) {
  const startedAt = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) {
    console.log(`ok  ${name} (${seconds(startedAt)})`);
    return;
  }
  console.log(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trimEnd());
  console.log(`\ngate failed: ${name}${remedy === undefined ? '' : ` (try: ${remedy})`}`);
  finish({ passed: 0, failed: 1, skipped: 0 });
}

function testFilesMatching(filters) {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name.split(sep).join('/')}`)
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort();
}

/** Counts from vitest's JSON report; a file that fails as a whole (it does not load, say) counts as one. */
function countResults(report, exitCode) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    const statuses = file.assertionResults.map((test) => test.status);
    const failed = statuses.filter((status) => status === 'failed').length;
    const passed = statuses.filter((status) => status === 'passed').length;
    counts.passed += passed;
    counts.failed += failed === 0 && file.status === 'failed' ? 1 : failed;
    counts.skipped += statuses.length - passed - failed;
  }
  // Errors outside any test, no test found, or vitest itself ended early: never green.
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

function runTests(args) {
  const files = testFilesMatching(args.filter((arg) => !arg.startsWith('-')));
  const { allowed, missing, leftOut, command } = provideSystemPrograms(files);
  if (!allowed) {
    console.log(`could not install ${missing.join(', ')}; by hand: ${command}`);
    finish({ passed: 0, failed: 1, skipped: leftOut.length });
  }
  const scratch = mkdtempSync(join(tmpdir(), 'voxgate-test-'));
  const reportPath = join(scratch, 'report.json');
  const { status } = spawnSync(
    process.execPath,
    [
      join(MODULES, 'vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportPath}`,
      ...leftOut.flatMap((file) => ['--exclude', file]),
      ...(leftOut.length > 0 ? ['--passWithNoTests'] : []),
      ...args,
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, WITHOUT_PROGRAMS: missing.join(',') },
    },
  );
  const report = existsSync(reportPath) ? JSON.parse(readFileSync(reportPath, 'utf8')) : undefined;
  rmSync(scratch, { recursive: true, force: true });
  const counts = countResults(report, status);
  if (missing.length > 0) {
    for (const file of leftOut) console.log(`not run: ${file}`);
    console.log(`missing here: ${missing.join(', ')}; to get it: ${command}`);
  }
  finish({ ...counts, skipped: counts.skipped + leftOut.length });
}

if (!existsSync(join(MODULES, 'vitest'))) {
  console.log('the packages are not installed; run `npm ci` first');
  finish({ passed: 0, failed: 1, skipped: 0 });
}
const args = process.argv.slice(2);
if (args.length === 0) GATES.forEach(passGate);
runTests(args);
