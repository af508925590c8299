// Builds dist/ from src/: compiles, copies what the compiler leaves alone, makes the program executable, bundles the page.
// dist/ is either whole and current or not there: a failed build removes it.
//
//   node scripts/build.mjs              build
//   node scripts/build.mjs --if-stale   build only when dist/ is missing or older than the sources

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { buildPlayground } from './build-playground.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const PROGRAM = join(DIST, 'main.js');
const PAGE = 'playground';

/** Everything the output depends on; a package from the registry has no src/ and is never stale. */
function isStale() {
  if (!existsSync(PROGRAM) || !existsSync(join(DIST, PAGE))) return true;
  if (!existsSync(SRC)) return false;
  const builtAt = statSync(PROGRAM).mtimeMs;
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((name) => join(SRC, name));
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => join(ROOT, name));
  return [SRC, ...sources, ...settings].some((path) => statSync(path).mtimeMs > builtAt);
}

function fail(why) {
  rmSync(DIST, { recursive: true, force: true });
  console.error(`build failed: ${why}`);
  process.exit(1);
}

async function build() {
  rmSync(DIST, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (compiled.status !== 0) fail(existsSync(tsc) ? 'see above' : 'run `npm ci` first');
  cpSync(SRC, DIST, {
    recursive: true,
    filter: (path) =>
      !`${path}${sep}`.startsWith(join(SRC, PAGE) + sep) &&
      (statSync(path).isDirectory() || !path.endsWith('.ts')),
  });
  await buildPlayground(join(DIST, PAGE)).catch((error) => fail(error.message));
  chmodSync(PROGRAM, 0o755);
}

if (!process.argv.includes('--if-stale') || isStale()) await build();
