// The test suite and the engine's bytes under each Node version that Voxgate promises, one after the other: a line
// for each, then a closing line. The gates are left to `npm test`: they say nothing about Node.
//
//   node scripts/test-node-versions.mjs                 20, 22 and 24, got through npx
//   node scripts/test-node-versions.mjs 24 test/audio   only this version, only these tests

import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runVitest } from './run-vitest.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const VERSIONS = ['20', '22', '24'];

/** Path of the newest Node of a major version. Its package links the program by an install script. */
function nodeOf(version) {
  const { status, stdout, stderr } = spawnSync(
    'npx',
    ['--yes', '--ignore-scripts=false', '--package', `node@${version}`, '--call', 'node -p process.execPath'],
    // From elsewhere, so that this project's own .npmrc and programs do not count.
    { cwd: tmpdir(), encoding: 'utf8' },
  );
  const path = stdout?.trim().split('\n').at(-1);
  if (status !== 0) throw new Error(`npx could not get Node ${version}\n${stderr}`);
  const named = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1) ?? '';
  if (!named.startsWith(`${version}.`))
    throw new Error(`asked for Node ${version}, got ${named || 'nothing'}`);
  return { path, named };
}

/** One sum over the engine's replies to the fixed requests, if it gave them, and what is wrong with them. */
function engineBytes(node) {
  const { status, stdout, stderr } = spawnSync(node, [join(ROOT, 'scripts/engine-bytes.mjs')], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const sum = stdout.trim();
  return { sum: sum === '' ? undefined : sum, wrong: status === 0 ? undefined : stderr.trim() };
}

function tryVersion(version, args) {
  const startedAt = performance.now();
  const { path, named } = nodeOf(version);
  const { counts, failures, notes } = runVitest({ args, node: path, reporters: [] });
  const { sum, wrong } = engineBytes(path);
  for (const line of [...notes, ...failures.map((name) => `failed: ${name}`)]) console.log(`  ${line}`);
  if (wrong !== undefined) console.log(`  ${wrong}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `Node ${named}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped; ` +
      `engine ${sum?.slice(0, 16) ?? 'silent'} (${seconds} s)`,
  );
  return { isGreen: counts.failed === 0 && wrong === undefined, sum };
}

const given = process.argv.slice(2);
const chosen = given.filter((arg) => /^\d+$/.test(arg));
const args = given.filter((arg) => !/^\d+$/.test(arg));
const versions = chosen.length > 0 ? chosen : VERSIONS;

const build = spawnSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), '--if-stale'], {
  stdio: 'inherit',
});
if (build.status !== 0) process.exit(1);

const results = versions.map((version) => {
  try {
    return tryVersion(version, args);
  } catch (error) {
    console.log(`Node ${version}: ${error.message}`);
    return { isGreen: false };
  }
});
const green = results.filter((result) => result.isGreen).length;
const isSame = results.every(({ sum }) => sum !== undefined && sum === results[0].sum);
console.log(
  `${green} of ${versions.length} Node versions passed; the engine's bytes ${isSame ? 'are the same' : 'differ'}`,
);
process.exitCode = green === versions.length && isSame ? 0 : 1;
