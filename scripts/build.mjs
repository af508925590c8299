// Builds dist/ from the sources: bundles the program into few files, so that it starts quickly, and the page; declares the
// types of the client. Packages stay in node_modules, as does what their licences want to be replaceable.
// dist/ is either whole and current or not there: a failed build removes it.
//
//   node scripts/build.mjs              build
//   node scripts/build.mjs --if-stale   build only when dist/ is missing or older than the sources

import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildPlayground } from './build-playground.mjs';
import { buildPrograms, COPIED } from './build-programs.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const PROGRAM = join(DIST, 'main.js');
const PAGE = 'playground';

/** Everything the output depends on; a package from the registry has no src/ and is never stale. */
function isStale() {
  if (!existsSync(PROGRAM) || !existsSync(join(DIST, PAGE))) return true;
  if (!existsSync(join(ROOT, 'src'))) return false;
  const builtAt = statSync(PROGRAM).mtimeMs;
  const sources = ['src', 'testkit', 'bench', 'languages']
    .map((folder) => join(ROOT, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ]);
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => join(ROOT, name));
  return [...sources, ...settings].some((path) => statSync(path).mtimeMs > builtAt);
}

function fail(why) {
  rmSync(DIST, { recursive: true, force: true });
  console.error(`build failed: ${why}`);
  process.exit(1);
}

/** Of what others import: the client. */
function declareTypes() {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const declared = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (declared.status !== 0) fail(existsSync(tsc) ? 'see above' : 'run `npm ci` first');
}

async function build() {
  rmSync(DIST, { recursive: true, force: true });
  await buildPrograms(DIST).catch((error) => fail(error.message));
  declareTypes();
  for (const [from, to] of Object.entries(COPIED)) {
    mkdirSync(join(DIST, to, '..'), { recursive: true });
    copyFileSync(join(ROOT, from), join(DIST, to));
  }
  await buildPlayground(join(DIST, PAGE)).catch((error) => fail(error.message));
  chmodSync(PROGRAM, 0o755);
}

if (!process.argv.includes('--if-stale') || isStale()) await build();
