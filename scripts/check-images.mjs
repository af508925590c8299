// Checks the Dockerfile and compose.yaml as far as that goes without a container engine: builds both targets as
// folders (image-tree.mjs tells what differs from a container), looks at what is in them, and runs them.
// Installs packages anew, so it needs the registry or an npm cache that has them.
//
//   node scripts/check-images.mjs        with the Node that runs this, and the npm beside it

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { checkCompose, overlaid } from './check-compose.mjs';
import { readDockerIgnore } from './docker-ignore.mjs';
import { parseDockerfile } from './dockerfile.mjs';
import { createImageTrees, environmentOf, pathsBelow } from './image-tree.mjs';
import { freePort, live, refuses, startEngineOf } from './image-trial.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const KEY = 'key-of-the-check';
const ENGINE_KEYS = 'check:key-of-the-engine';
const ENGINE_VOICE = 'voxgate://embedded/voices/anna';

const LICENCE_FILES = [
  'LICENSE',
  'NOTICE',
  'licenses/BSD-3-Clause-libopus.txt',
  'licenses/LGPL-2.0.txt',
  'licenses/LGPL-2.1.txt',
];

/** What each target promises: the licence on its label, and the files that this licence asks for. */
const TARGETS = {
  all: {
    licence: 'GPL-3.0-or-later',
    files: [...LICENCE_FILES, 'licenses/GPL-3.0.txt'],
    hasEspeak: true,
  },
  gateway: {
    licence: 'Apache-2.0 AND BSD-3-Clause AND LGPL-2.0-or-later AND LGPL-2.1-only',
    files: LICENCE_FILES,
    hasEspeak: false,
  },
};

const read = (name) => readFileSync(join(ROOT, name), 'utf8');
const { packages } = JSON.parse(read('package-lock.json'));
const developmentPackages = Object.keys(packages).filter((path) => packages[path].dev === true);

/** Contents and configuration of one image; throws at the first thing that is not as it must be. */
function inspect({ name, root, config }) {
  const must = (holds, message) => {
    if (!holds) throw new Error(`${name}: ${message}`);
  };
  const { licence, files, hasEspeak } = TARGETS[name];
  const app = join(root, config.workdir);
  must(/^node:24-[a-z]+-slim$/.test(config.image), `stands on ${config.image}`);
  must(
    /^[1-9]\d*:[1-9]\d*$/.test(config.user),
    `runs as ${config.user ?? 'root'}, not as a number that is not 0`,
  );
  must(config.stopSignal === 'SIGTERM', 'names no stop signal that Voxgate drains on');
  must(config.ports.includes(Number(config.env.VOXGATE_PORT)), 'does not expose the port that it listens on');
  must(config.volumes.includes(config.env.VOXGATE_DATA_DIR), 'keeps its data outside a volume');
  must(config.labels['org.opencontainers.image.licenses'] === licence, 'has the wrong licence on its label');
  for (const file of files) must(existsSync(join(app, file)), `lacks ${file}`);
  must(existsSync(join(app, 'dist/playground/index.html')), 'lacks the playground');

  const paths = pathsBelow(app);
  const espeak = paths.filter((path) => /espeak/i.test(path));
  must(espeak.length > 0 === hasEspeak, hasEspeak ? 'lacks eSpeak' : `holds ${espeak[0]}`);
  must(!paths.some((path) => /^(src|test|testkit|bench|scripts)$/.test(path)), 'holds sources');
  const extra = developmentPackages.filter((path) => existsSync(join(app, path)));
  must(extra.length === 0, `holds packages of development: ${extra.slice(0, 5).join(', ')}`);
  const { status, stderr } = spawnSync('npm', ['ls', '--omit=dev', '--all'], {
    cwd: app,
    env: environmentOf({}),
    encoding: 'utf8',
  });
  must(status === 0, `npm ls finds fault with its packages\n${stderr}`);
  return paths;
}

/** The environment that compose.yaml gives its service, its secrets in files of ours. */
function composeEnvironment({ services }, scratch) {
  const { environment } = services.voxgate;
  const file = join(scratch, 'api-keys');
  writeFileSync(file, `check:${KEY}\n`);
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value === '/run/secrets/api-keys' ? file : `${value}`,
    ]),
  );
}

async function main(scratch) {
  const tell = (line) => console.log(`    ${line}`);
  const images = createImageTrees({
    stages: parseDockerfile(read('Dockerfile')),
    context: ROOT,
    isIgnored: readDockerIgnore(join(ROOT, '.dockerignore')),
    scratch,
    tell,
  });
  const before = new Map();
  for (const name of Object.keys(TARGETS)) {
    console.log(`${name}: build`);
    before.set(name, inspect(images.open(name)));
  }

  const help = spawnSync(process.execPath, ['dist/main.js', 'serve', '--help'], {
    cwd: join(images.open('all').root, 'app'),
    encoding: 'utf8',
  }).stdout;
  const variables = new Set([...help.matchAll(/Variable: (VOXGATE_\w+)/g)].map(([, variable]) => variable));
  const compose = parse(read('compose.yaml'), { merge: true });
  const override = parse(/```yaml compose\n(services:[^`]*)```/.exec(read('docs/deploy.md'))[1]);
  const problems = [compose, overlaid(compose, override)].flatMap((file) =>
    checkCompose(file, { images, variables }),
  );
  const file = 'deploy/compose-cluster.yaml';
  problems.push(...checkCompose(parse(read(file), { merge: true }), { images, variables, file }));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  console.log(
    'compose.yaml, the override in docs/deploy.md, and deploy/compose-cluster.yaml: images, settings, secrets, limits and health checks hold',
  );

  const tryOut = async (name, settings) => {
    console.log(`${name}: run`);
    const image = images.open(name);
    tell(await refuses(image, {}, 'VOXGATE_API_KEYS'));
    const given = { VOXGATE_PORT: String(await freePort()), ...settings };
    for await (const line of live(image, { variables: given, key: KEY, scratch })) tell(line);
    const known = new Set(before.get(name));
    const written = pathsBelow(join(image.root, image.config.workdir)).filter((path) => !known.has(path));
    if (written.length > 0) throw new Error(`${name}: wrote ${written.join(', ')}; its root is read-only`);
  };
  await tryOut('all', composeEnvironment(compose, scratch));

  const keys = { VOXGATE_API_KEYS: `check:${KEY}` };
  tell(await refuses(images.open('gateway'), keys, 'VOXGATE_UPSTREAM_URL'));
  const engine = await startEngineOf(images.open('all'), ENGINE_KEYS);
  try {
    await tryOut('gateway', {
      ...keys,
      VOXGATE_UPSTREAM_URL: engine.url,
      VOXGATE_UPSTREAM_KEYS: ENGINE_KEYS,
      VOXGATE_VOICE: ENGINE_VOICE,
    });
  } finally {
    await engine.close();
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'voxgate-images-'));
const startedAt = performance.now();
try {
  await main(scratch);
  console.log(`images: both targets build and run on Node ${process.versions.node}`);
} catch (error) {
  console.log(`images: failed\n${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}
