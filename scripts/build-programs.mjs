// Bundles the program: one file for each process and thread, and chunks that they share or load when they are needed.
// Packages are not bundled. Where a source names another program by `new URL('./x.js', import.meta.url)`, the name is that of
// the bundle.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** By the name of its bundle: what is run as a process or a thread, and what others import. */
const PROGRAMS = {
  main: 'src/check-node.ts',
  program: 'src/main.ts',
  'call-thread': 'src/gateway/calls/call-thread.ts',
  'encoder-worker': 'src/pipeline/encoders/encoder-worker.ts',
  'engine-process': 'src/engine/engine-process.ts',
  'finishing-worker': 'src/service/finishing/finishing-worker.ts',
  'reading-worker': 'src/reading/reading-worker.ts',
  'script-worker': 'src/service/playnotes/script-worker.ts',
  'source-digest-worker': 'src/service/playnotes/source-digest-worker.ts',
  'word-timer-process': 'src/pipeline/word-timing/word-timer-process.ts',
  'client/voxgate-client': 'src/client/voxgate-client.ts',
};
/** Not published: benchmarks, and the parts that scripts and tests of the built program take. */
const FOR_DEVELOPMENT = {
  'bench/bench-command': 'bench/bench-command.ts',
  'bench/program-parts': 'bench/program-parts.ts',
};

/** Copied as they are: the entry of the speech program is under another licence than the rest, and left out where that is. */
export const COPIED = { 'src/engine/espeak-entry.mjs': 'engine/espeak-entry.mjs' };

/** What else sources find by its place, and where that is in the output. */
const PLACES = { ...COPIED, 'src/playground': 'playground', 'package.json': '../package.json' };

/** Everything the output depends on is looked at; a package from the registry has no src/ and is never stale. */
export function areProgramsStale(outDir) {
  const program = join(outDir, 'main.js');
  if (!existsSync(program)) return true;
  if (!existsSync(join(ROOT, 'src'))) return false;
  const builtAt = statSync(program).mtimeMs;
  const sources = ['src', 'packages/client/src', 'testkit', 'bench', 'languages']
    .map((folder) => join(ROOT, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ]);
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => join(ROOT, name));
  return [...sources, ...settings].some((path) => statSync(path).mtimeMs > builtAt);
}

/** Output of a source, from the output folder; undefined: nothing is made of it. */
export function outputOf(source) {
  const programs = Object.entries({ ...PROGRAMS, ...FOR_DEVELOPMENT });
  const program = programs.find(([, file]) => file === source);
  return program === undefined ? PLACES[source] : `${program[0]}.js`;
}

const BY_PLACE = /new URL\('([^']+)', import\.meta\.url\)/g;

/** `fromFolder`: where the bundles lie, within the output folder. */
const findPrograms = (fromFolder) => ({
  name: 'find-programs',
  transform(code, id) {
    if (!BY_PLACE.test(code)) return null;
    return code.replaceAll(BY_PLACE, (_, name) => {
      const path = resolve(dirname(id), name);
      const source = relative(ROOT, existsSync(path) ? path : path.replace(/\.js$/, '.ts'));
      const output = outputOf(source);
      if (output === undefined)
        throw new Error(`${relative(ROOT, id)} names ${source}, of which build-programs.mjs makes nothing`);
      return `new URL('${relative(fromFolder, output)}', import.meta.url)`;
    });
  },
});

/** Into `outDir`. Throws when the sources do not build. */
export async function buildPrograms(outDir) {
  const { rolldown } = await import('rolldown');
  const isPackage = (name) => !name.startsWith('.') && !name.startsWith('/');
  const bundle = async (programs, folder) => {
    const build = await rolldown({
      cwd: ROOT,
      input: Object.fromEntries(
        Object.entries(programs).map(([name, file]) => [relative(folder, name), join(ROOT, file)]),
      ),
      platform: 'node',
      external: isPackage,
      plugins: [findPrograms(folder)],
    });
    try {
      await build.write({
        dir: join(outDir, folder),
        format: 'esm',
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        comments: false,
      });
    } finally {
      await build.close();
    }
  };
  const { 'client/voxgate-client': client, ...programs } = PROGRAMS;
  await bundle(programs, '');
  await bundle({ 'client/voxgate-client': client }, 'client');
  if (Object.values(FOR_DEVELOPMENT).every((file) => existsSync(join(ROOT, file))))
    await bundle(FOR_DEVELOPMENT, 'bench');
}
