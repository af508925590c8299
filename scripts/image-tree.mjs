// Builds a stage of a parsed Dockerfile as a plain folder, without a container engine: each RUN line is really
// run, in the order of the file, on nothing but what was copied.
//
// What is not as in a container, all of it:
//   FROM an image    an empty folder; `node` and `npm` are those of the process that runs this
//   --mount=cache    the caller's own npm cache, left as it is
//   --chown          everything belongs to the caller
//   USER             is not changed to, but told in the configuration
//   absolute paths   COPY, WORKDIR and VOLUME mean below the stage's folder; a RUN line may hold none

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';

const HOST_VARIABLES =
  /^(HOME|LANG|TMPDIR|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_(registry|cache|userconfig|cafile|proxy|https_proxy|noproxy))$/i;
const ABSOLUTE_PATH = /(^|[\s=:;&|<>"'(])\/[\w.]/;

/** The environment that a program of an image gets here: little of ours, then the image's own. */
export const environmentOf = (variables) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => HOST_VARIABLES.test(name))),
  PATH: [dirname(process.execPath), process.env.PATH].join(':'),
  ...variables,
});

/** Paths below `folder`, from it, with `/`; links are not followed. */
export const pathsBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'));

/** `open(name)` → the stage's `root` folder and `config`, each stage built once. `scratch` takes the folders. */
export function createImageTrees({ stages, context, isIgnored, scratch, tell }) {
  const built = new Map();

  function open(name) {
    const stage = stages.find((each) => each.name === name);
    if (stage === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
    if (!built.has(name)) built.set(name, build(stage));
    return built.get(name);
  }

  function build(stage) {
    const root = join(scratch, stage.name);
    mkdirSync(root);
    const isOnStage = stages.some(({ name }) => name === stage.from);
    const parent = isOnStage ? open(stage.from) : undefined;
    if (parent !== undefined) cpSync(parent.root, root, { recursive: true, verbatimSymlinks: true });
    const config = structuredClone(
      parent?.config ?? { workdir: '/', env: {}, labels: {}, ports: [], volumes: [] },
    );
    config.image ??= stage.from;
    for (const step of stage.steps) {
      try {
        apply(step, root, config);
      } catch (error) {
        throw new Error(`Dockerfile:${step.line}, stage ${stage.name}: ${error.message}`);
      }
    }
    return { name: stage.name, root, config };
  }

  const within = (root, workdir, path) => join(root, posix.resolve(workdir, path));

  function apply({ keyword, flags, value }, root, config) {
    if (keyword === 'WORKDIR') {
      config.workdir = posix.resolve(config.workdir, value);
      mkdirSync(join(root, config.workdir), { recursive: true });
    } else if (keyword === 'COPY') copy(value, flags.from, root, config.workdir);
    else if (keyword === 'RUN') run(value, flags, root, config);
    else if (keyword === 'ENV') Object.assign(config.env, value);
    else if (keyword === 'LABEL') Object.assign(config.labels, value);
    else if (keyword === 'EXPOSE') config.ports.push(Number(value));
    else if (keyword === 'VOLUME') config.volumes.push(value);
    else config[{ STOPSIGNAL: 'stopSignal' }[keyword] ?? keyword.toLowerCase()] = value;
  }

  function run(command, { mount }, root, { workdir, env }) {
    if (mount !== undefined && !mount.startsWith('type=cache,'))
      throw new Error(`--mount=${mount} is not checked`);
    if (ABSOLUTE_PATH.test(command)) throw new Error(`an absolute path in: ${command}`);
    const startedAt = performance.now();
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
      cwd: join(root, workdir),
      env: environmentOf({ npm_config_prefer_offline: 'true', ...env }),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (status !== 0) throw new Error(`${command}\n${stdout}${stderr}`);
    tell(`RUN ${command} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  }

  /** As COPY does it: a folder's contents, a file by its name into a target that is or must be a folder. */
  function copy({ sources, target }, from, root, workdir) {
    const sourceRoot = from === undefined ? context : open(from).root;
    const isLeftOut = (path) => from === undefined && isIgnored(relative(context, path).split(sep).join('/'));
    const to = within(root, workdir, target);
    if (sources.length > 1 && !target.endsWith('/'))
      throw new Error(`several sources need a folder: ${target}`);
    for (const source of sources) {
      const path = join(sourceRoot, posix.resolve('/', source));
      if (!existsSync(path)) throw new Error(`there is no ${source}`);
      if (isLeftOut(path)) throw new Error(`${source} is kept out by .dockerignore`);
      const isFolder = statSync(path).isDirectory();
      const intoFolder =
        !isFolder && (target.endsWith('/') || (existsSync(to) && statSync(to).isDirectory()));
      const end = intoFolder ? join(to, basename(path)) : to;
      mkdirSync(isFolder ? end : dirname(end), { recursive: true });
      cpSync(path, end, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (each) => each === path || !isLeftOut(each),
      });
    }
  }

  return { open };
}
