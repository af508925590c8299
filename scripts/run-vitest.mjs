// Runs vitest once and counts from its JSON report what passed, failed and was skipped. What a test file needs from
// the system is seen to before; files that cannot run for its lack are left out and counted as skipped.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { provideSystemPrograms } from './system-programs.mjs';

const ROOT = resolve(import.meta.dirname, '..');

function testFilesMatching(filters) {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name.split(sep).join('/')}`)
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort();
}

/** A file that fails as a whole (it does not load, say) counts as one. */
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

/** The failed tests of a report as `file > suite > test`. */
const failuresIn = (report) =>
  (report?.testResults ?? [])
    .filter((file) => file.status === 'failed')
    .flatMap((file) => {
      const path = file.name.slice(ROOT.length + 1);
      const failed = file.assertionResults.filter((test) => test.status === 'failed');
      return failed.length === 0 ? [path] : failed.map((test) => `${path} > ${test.fullName}`);
    });

/**
 * `args` go to vitest; those that are no flags choose files by a part of their path. `node` is the program to run it
 * with. `reporters`: vitest's own, for the terminal; none = silence. Gives `counts`, `failures` as names, and `notes` to print.
 */
export function runVitest({ args = [], node = process.execPath, reporters = ['default'] } = {}) {
  const files = testFilesMatching(args.filter((arg) => !arg.startsWith('-')));
  const { allowed, missing, leftOut, command } = provideSystemPrograms(files);
  if (!allowed) {
    const notes = [`could not install ${missing.join(', ')}; by hand: ${command}`];
    return { counts: { passed: 0, failed: 1, skipped: leftOut.length }, failures: [], notes };
  }
  const scratch = mkdtempSync(join(tmpdir(), 'voxgate-test-'));
  const reportPath = join(scratch, 'report.json');
  const { status } = spawnSync(
    node,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...reporters.map((name) => `--reporter=${name}`),
      `--reporter=${join(ROOT, 'scripts/second-tries.mjs')}`,
      '--reporter=json',
      `--outputFile.json=${reportPath}`,
      ...leftOut.flatMap((file) => ['--exclude', file]),
      ...(leftOut.length > 0 ? ['--passWithNoTests'] : []),
      ...args,
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', reporters.length === 0 ? 'ignore' : 'inherit', 'inherit'],
      env: {
        ...process.env,
        // Tests that start `node` by its name get the same one.
        PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
        WITHOUT_PROGRAMS: missing.join(','),
      },
    },
  );
  const report = existsSync(reportPath) ? JSON.parse(readFileSync(reportPath, 'utf8')) : undefined;
  rmSync(scratch, { recursive: true, force: true });
  const counts = countResults(report, status);
  const notes =
    missing.length === 0
      ? []
      : [
          ...leftOut.map((file) => `not run: ${file}`),
          `missing here: ${missing.join(', ')}; to get it: ${command}`,
        ];
  return {
    counts: { ...counts, skipped: counts.skipped + leftOut.length },
    failures: failuresIn(report),
    notes,
  };
}
