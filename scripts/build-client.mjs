// Bundles the client (packages/client) for browsers and Node, and gives its types to both who have it: the package
// @voxgate/client, and `voxgate/client`, which is the same with the WebSocket of `ws`.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCE = 'packages/client/src';
/** Where the package has it; not in the repository. */
export const CLIENT_DIST = join(ROOT, 'packages/client/dist');

/** The player shares the client's chunk; the worklet is a file of its own, for it is loaded by address. */
const ENTRIES = [['voxgate-client', 'player'], ['playout-worklet']];
const FILES = { 'playout-worklet': 'player/playout-worklet' };

/** Into `outDir`. Throws when the sources do not build, or need anything that is not theirs. */
export async function buildClient(outDir = CLIENT_DIST, { minify = false } = {}) {
  const { rolldown } = await import('rolldown');
  rmSync(outDir, { recursive: true, force: true });
  for (const entries of ENTRIES) {
    const build = await rolldown({
      cwd: ROOT,
      input: Object.fromEntries(
        entries.map((name) => [name, join(ROOT, SOURCE, `${FILES[name] ?? name}.ts`)]),
      ),
      platform: 'browser',
      external: (name) => {
        if (name.startsWith('.') || name.startsWith('/')) return false;
        throw new Error(`the client imports ${name}, and has no dependencies`);
      },
    });
    try {
      await build.write({
        dir: outDir,
        format: 'esm',
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        comments: false,
        minify,
      });
    } finally {
      await build.close();
    }
  }
}

/** Declarations name files as the sources do; compilers want them as they are when they run. */
const named = (declarations) => declarations.replaceAll(/(from ')(\.[^']+)\.ts'/g, "$1$2.js'");

/** `typesDir`: what the compiler has made of the sources, by their places. It is removed. */
export function placeClientTypes(typesDir, dist) {
  const from = join(typesDir, SOURCE);
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = named(readFileSync(join(from, name), 'utf8'));
    for (const to of [join(CLIENT_DIST, name), join(dist, 'client/package', name)]) {
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, text);
    }
  }
  const own = readFileSync(join(typesDir, 'src/client/voxgate-client.d.ts'), 'utf8');
  writeFileSync(
    join(dist, 'client/voxgate-client.d.ts'),
    named(own).replaceAll(`../../${SOURCE}/`, './package/'),
  );
  rmSync(typesDir, { recursive: true });
}
