// Builds dist/ from the sources: bundles the program into few files, so that it starts quickly, and the page and the client; declares the
// types of the client. Packages stay in node_modules, as does what their licences want to be replaceable.
// dist/ is either whole and current or not there: a failed build removes it.
//
//   node scripts/build.mjs              build
//   node scripts/build.mjs --if-stale   build only when dist/ is missing or older than the sources

import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded: what an older Node says of it helps nobody.
const LEAST = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).engines.node.replace('>=', '');
const [major, minor] = process.versions.node.split('.').map(Number);
const [leastMajor, leastMinor] = LEAST.split('.').map(Number);
if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  console.error(
    `Voxgate needs Node.js ${LEAST} or later; this is ${process.versions.node} (${process.execPath}).`,
  );
  process.exit(1);
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const PROGRAM = join(DIST, 'main.js');
const PAGE = 'playground';
const CLIENT = join(ROOT, 'packages/client');

async function isStale() {
  if (!existsSync(join(DIST, PAGE))) return true;
  if (existsSync(CLIENT) && !existsSync(join(CLIENT, 'dist'))) return true;
  const { areProgramsStale } = await import('./build-programs.mjs');
  return areProgramsStale(DIST);
}

function fail(why) {
  for (const built of [DIST, join(CLIENT, 'dist')]) rmSync(built, { recursive: true, force: true });
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
  const { buildClient, placeClientTypes } = await import('./build-client.mjs');
  const { buildPlayground } = await import('./build-playground.mjs');
  const { buildPrograms, COPIED } = await import('./build-programs.mjs');
  rmSync(DIST, { recursive: true, force: true });
  await buildPrograms(DIST).catch((error) => fail(error.message));
  await buildClient().catch((error) => fail(error.message));
  declareTypes();
  placeClientTypes(join(DIST, 'types'), DIST);
  for (const [from, to] of Object.entries(COPIED)) {
    mkdirSync(join(DIST, to, '..'), { recursive: true });
    copyFileSync(join(ROOT, from), join(DIST, to));
  }
  await buildPlayground(join(DIST, PAGE)).catch((error) => fail(error.message));
  chmodSync(PROGRAM, 0o755);
}

const isWanted = !process.argv.includes('--if-stale') || (await isStale());
// Until the gateway has an address there is nothing else to see, for up to a minute.
if (process.env.npm_lifecycle_event === 'start')
  console.error(`Voxgate is ${isWanted ? 'being built, then started' : 'starting'} …`);
if (isWanted) await build();
