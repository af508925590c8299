// `voxgate bench`: the benchmarks are a part of the repository, not of the package, and are loaded from where they were built.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, UsageError } from './command.ts';

const PROGRAM = new URL('../../bench/bench-command.js', import.meta.url);

/** Throws a UsageError where the program was installed without them. */
export async function loadBench(): Promise<Command> {
  if (!existsSync(fileURLToPath(PROGRAM)))
    throw new UsageError('The benchmarks are run from a clone of the repository: npm run bench -- NAME');
  return ((await import(PROGRAM.href)) as { readonly bench: Command }).bench;
}
