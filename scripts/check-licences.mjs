// Every package that Voxgate installs in production, direct or not, must be under a licence that goes with
// ours, and NOTICE must name it. The lockfile says which packages, their own package.json under what; a licence
// file deeper in a package tells of somebody else's work in it, which NOTICE has to explain above its list.
//
//   node scripts/check-licences.mjs           check
//   node scripts/check-licences.mjs --write   write the list into NOTICE anew, after reading what changed

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const NOTICE = join(ROOT, 'NOTICE');
const LICENCE_FILE = /[\\/](copying|licen[cs]e)[^\\/]*$/i;
const LIST_HEADING = 'npm packages installed with Voxgate';

/** Permissive licences, which ask for no more than NOTICE and the packages' own files give. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT AND Zlib',
]);

/** Others, each by name and with the reason why it may be there. */
const EXCEPTIONS = {
  '@echogarden/espeak-ng-emscripten': {
    licence: 'GPL-3.0',
    reason: 'optional, and run as a separate program; see docs/decisions/0006',
  },
};

/** Labels that say less, or more, than the licence under which the package is used. */
const READ_AS = {
  async: { label: undefined, licence: 'MIT' }, // by the text that it holds
  duck: { label: 'BSD', licence: 'BSD-2-Clause' }, // by the text that it holds
  jszip: { label: '(MIT OR GPL-3.0-or-later)', licence: 'MIT' },
  pako: { label: '(MIT AND Zlib)', licence: 'MIT AND Zlib' },
};

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));

/** Licence files below the top of the package in `folder`, from it; packages inside it speak for themselves. */
function nestedLicences(folder) {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => LICENCE_FILE.test(path) && !path.split(sep).includes('node_modules'));
}

const notice = readFileSync(NOTICE, 'utf8');
const start = notice.indexOf(LIST_HEADING);
if (start < 0) throw new Error(`NOTICE has no part headed "${LIST_HEADING}"`);
const explained = new Set(
  notice
    .slice(0, start)
    .match(/^ {2}\S+/gm)
    ?.map((name) => name.trim()),
);

const problems = [];
const lines = new Set();
for (const [path, locked] of Object.entries(packages)) {
  // Packages of our own lie in this repository, under its licence.
  const isOwn = !path.startsWith('node_modules/') || locked.link === true;
  if (isOwn || locked.dev || locked.devOptional) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const manifest = join(ROOT, path, 'package.json');
  // An optional package may be absent; what the lockfile recorded of it has to do.
  const label = (existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : locked).license;
  const isRead = Object.hasOwn(READ_AS, name) && READ_AS[name].label === label;
  const licence = isRead ? READ_AS[name].licence : label;
  const isExcepted = locked.optional === true && EXCEPTIONS[name]?.licence === licence;
  if (!ALLOWED.has(licence) && !isExcepted)
    problems.push(`${name} ${locked.version}: ${licence ?? 'no licence given'} is not in the allow list`);
  if (locked.hasInstallScript)
    problems.push(`${name} ${locked.version}: has an install script; production installs run none`);
  const [nested] = explained.has(name) ? [] : nestedLicences(join(ROOT, path));
  if (nested !== undefined)
    problems.push(
      `${name} ${locked.version}: holds ${nested}, and NOTICE does not say above its list whose work that is`,
    );
  lines.add(`  ${name} ${locked.version}, ${licence}`);
}

const wanted = `${notice.slice(0, start)}${LIST_HEADING}\n\n${[...lines].sort((a, b) => (a < b ? -1 : 1)).join('\n')}\n`;
if (process.argv.includes('--write')) writeFileSync(NOTICE, wanted);
else if (notice !== wanted) problems.push('the list in NOTICE is not that of the lockfile');

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${lines.size} production packages, all under allowed licences`);
