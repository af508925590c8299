// Programs that some test files need and npm cannot bring: declared here, asked for by test.mjs.
// Where installing is fine (root on Debian or what descends from it, or CI) they are installed, and in CI and on
// Debian itself they must then be there. Elsewhere, and on somebody's own machine, where nothing is installed, what
// needs a missing one is left out and counted.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * `probes`: commands that all succeed when the program is there. `packages`: Debian's names.
 * `files`: test files that are nothing without it. `partOf`: test files in which some tests need it; those
 * skip themselves when the variable WITHOUT_PROGRAMS (names separated by commas) holds its name.
 */
const PROGRAMS = [
  {
    name: 'ffmpeg',
    packages: ['ffmpeg'],
    probes: [
      ['ffmpeg', '-version'],
      ['ffprobe', '-version'],
    ],
    files: /^test\/compat\/(ffmpeg|ogg-flac|same-turn)[^/]*\.test\.ts$/,
  },
  {
    name: 'flac',
    packages: ['flac'],
    probes: [['flac', '--version']],
    files: /^test\/compat\/ogg-flac[^/]*\.test\.ts$/,
  },
  {
    name: 'opus-tools',
    packages: ['opus-tools'],
    probes: [
      ['opusinfo', '-h'],
      ['opusdec', '--version'],
    ],
    files: /^test\/compat\/ogg-flac[^/]*\.test\.ts$/,
  },
  {
    name: 'chromium',
    packages: ['chromium'],
    // By its path, from which the tests start it; Ubuntu has no such package, only a snap.
    probes: [['/usr/bin/chromium', '--version']],
    files: /^test\/(compat\/browser[^/]*|browser\/[^/]*)\.test\.ts$/,
  },
  {
    name: 'poppler-utils',
    packages: ['poppler-utils'],
    probes: [['pdftotext', '-v']],
    files: /^test\/compat\/browser-pdf-columns\.test\.ts$/,
  },
  {
    name: 'python3-websockets',
    packages: ['python3', 'python3-websockets'],
    // The system's own Python: another one first in PATH would not see Debian's packages.
    probes: [['/usr/bin/python3', '-c', 'import websockets']],
    partOf: /^test\/(examples|docs\/(bots|blocks))\.test\.ts$/,
  },
  {
    name: 'redis-server',
    packages: ['redis-server'],
    probes: [['redis-server', '--version']],
    files: /^test\/integration\/redis-[^/]*\.test\.ts$/,
    partOf: /^test\/(conformance\/[^/]*|integration\/balanced)\.test\.ts$/,
  },
  {
    name: 'postgresql',
    packages: ['postgresql'],
    // Debian keeps its programs out of PATH.
    probes: [['sh', '-c', 'PATH="$(echo /usr/lib/postgresql/*/bin | tr " " :):$PATH" initdb --version']],
    files: /^test\/integration\/postgres-[^/]*\.test\.ts$/,
    partOf: /^test\/((conformance|storage)\/[^/]*|integration\/balanced)\.test\.ts$/,
  },
  {
    name: 'haproxy',
    packages: ['haproxy'],
    // Out of the PATH of users who are not root.
    probes: [['sh', '-c', 'PATH="$PATH:/usr/sbin" haproxy -v']],
    partOf: /^test\/(docs\/cluster|integration\/balanced)\.test\.ts$/,
  },
  {
    name: 'promtool',
    packages: ['prometheus'],
    probes: [['promtool', '--version']],
    partOf: /^test\/integration\/what-an-operator-reads\.test\.ts$/,
  },
  {
    name: 'faketime',
    packages: ['faketime'],
    probes: [['faketime', '--version']],
    partOf: /^test\/integration\/redis-quota\.test\.ts$/,
  },
];

const isRoot = process.getuid?.() === 0;
const inCi = !['', '0', 'false'].includes(process.env.CI ?? '');
const isDebian =
  existsSync('/etc/os-release') && /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8'));
const mustHaveAll = inCi || (isRoot && isDebian);
const mayInstall = inCi || (isRoot && existsSync('/etc/debian_version'));

const run = ([program, ...args], output) =>
  spawnSync(program, args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }).status === 0;

const isPresent = (program) => program.probes.every((probe) => run(probe, 'ignore'));
const installCommand = (programs) =>
  `sudo apt-get install ${programs.flatMap((program) => program.packages).join(' ')}`;

function install(programs) {
  const packages = programs.flatMap((program) => program.packages);
  console.log(`installing ${packages.join(' ')}`);
  const apt = isRoot ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  run([...apt, 'update', '-qq'], 'inherit');
  const get = (names) =>
    run([...apt, 'install', '-y', '-qq', '--no-install-recommends', ...names], 'inherit');
  // One package that a distribution lacks fails the whole command; the other programs are still to be had.
  if (!get(packages) && programs.length > 1) for (const program of programs) get(program.packages);
}

/**
 * Sees to the programs that `testFiles` (paths from the root) need.
 * `missing` are the names that are not there, `leftOut` the files that cannot run for that, `command` what
 * gets them. `allowed` is false when one is missing where all had to be there.
 */
export function provideSystemPrograms(testFiles) {
  const needed = PROGRAMS.filter(({ files, partOf }) =>
    testFiles.some((file) => files?.test(file) || partOf?.test(file)),
  );
  let missing = needed.filter((program) => !isPresent(program));
  if (missing.length > 0 && mayInstall) {
    install(missing);
    missing = missing.filter((program) => !isPresent(program));
  }
  return {
    allowed: missing.length === 0 || !mustHaveAll,
    missing: missing.map((program) => program.name),
    leftOut: testFiles.filter((file) => missing.some((program) => program.files?.test(file))),
    command: installCommand(missing),
  };
}
