// Bundles the playground (src/playground) for browsers: hashed files that may be kept for ever, and an index that names
// them. Nothing is put inline, because the page's policy allows nothing inline.

import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** Into `outDir`, which is emptied first. Throws when the sources do not build. */
export async function buildPlayground(outDir) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(ROOT, 'src/playground'),
    base: './',
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    worker: { format: 'es' },
  });
}
