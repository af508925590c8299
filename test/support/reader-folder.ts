// A folder as a reader of the pages has one: what they tell to install is there, programs stand in its own `bin` before others.

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { scratchFolder } from './scratch-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export type ReaderFolder = {
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  write(name: string, content: string | Uint8Array): string;
  /** A shell script in the place of a program. */
  standIn(program: string, script: string): void;
  remove(): void;
};

/** `linkClone`: with `dist` and the packages of the repository, as in a clone that has been built. */
export function createReaderFolder(
  name: string,
  { linkClone = false }: { readonly linkClone?: boolean } = {},
): ReaderFolder {
  const path = scratchFolder(name);
  const bin = join(path, 'bin');
  mkdirSync(bin);
  const modules = join(path, 'node_modules');
  mkdirSync(modules);
  for (const each of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', each), join(modules, each));
  if (!existsSync(join(modules, 'voxgate'))) symlinkSync(ROOT, join(modules, 'voxgate'));
  if (!existsSync(join(modules, '@voxgate'))) {
    mkdirSync(join(modules, '@voxgate'));
    symlinkSync(join(ROOT, 'packages/client'), join(modules, '@voxgate/client'));
  }
  if (linkClone) symlinkSync(join(ROOT, 'dist'), join(path, 'dist'));
  const { PATH, HOME } = process.env;
  return {
    path,
    env: { HOME, PATH: `${bin}${delimiter}${PATH}` },
    write(file, content) {
      writeFileSync(join(path, file), content);
      return join(path, file);
    },
    standIn(program, script) {
      writeFileSync(join(bin, program), `#!/bin/bash\n${script}\n`);
      chmodSync(join(bin, program), 0o755);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
