// Builds dist/ from src/: compiles, copies what the compiler leaves alone, makes the program executable.
// dist/ is either whole and current or not there: a failed build removes it.
//
//   node scripts/build.mjs              build
//   node scripts/build.mjs --if-stale   build only when dist/ is missing or older than the sources

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const PROGRAM = join(DIST, 'main.js');

/** Everything the output depends on; a package from the registry has no src/ and is never stale. */
function isStale() {
  if (!existsSync(PROGRAM)) return true;
  if (!existsSync(SRC)) return false;
  const builtAt = statSync(PROGRAM).mtimeMs;
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((name) => join(SRC, name));
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => join(ROOT, name));
  return [SRC, ...sources, ...settings].some((path) => statSync(path).mtimeMs > builtAt);
}

function build() {
  rmSync(DIST, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (compiled.status !== 0) {
    rmSync(DIST, { recursive: true, force: true });
    console.error(existsSync(tsc) ? 'build failed: see above' : 'build failed: run `npm ci` first');
    process.exit(1);
  }
  cpSync(SRC, DIST, {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || !path.endsWith('.ts'),
  });
  chmodSync(PROGRAM, 0o755);
}

if (!process.argv.includes('--if-stale') || isStale()) build();
