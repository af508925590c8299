// Compiles wasm/sound-path.ts (AssemblyScript) to src/audio/sound-path-wasm.ts, which is committed: building and
// running Voxgate needs no compiler for it. The same compiler gives the same bytes everywhere.
//
//   node scripts/build-wasm.mjs           write it anew, after a change of the source or of the compiler
//   node scripts/build-wasm.mjs --check   fail when what is committed is not what the source gives

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { main } from 'assemblyscript/asc';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCE = 'wasm/sound-path.ts';
const TARGET = join(ROOT, 'src/audio/sound-path-wasm.ts');
const OUT_FILE = 'out.wasm';

/** No runtime, since nothing is allocated; no assertions, since addresses come from sound-memory.ts alone. */
const OPTIONS = [
  '-O3',
  '--converge',
  '--noAssert',
  '--enable',
  'simd',
  '--runtime',
  'stub',
  '--initialMemory',
  '1',
];

async function compile() {
  let wasm;
  let complaints = '';
  const { error } = await main([SOURCE, ...OPTIONS, '--outFile', OUT_FILE], {
    readFile(name, directory) {
      try {
        return readFileSync(join(ROOT, directory, name), 'utf8');
      } catch {
        return null; // the compiler asks for files that need not be there
      }
    },
    writeFile(name, contents) {
      if (name === OUT_FILE) wasm = contents;
    },
    listFiles: () => [],
    stderr: {
      write(text) {
        complaints += text;
      },
    },
  });
  if (error !== null) throw new Error(`${complaints}${error.message}`);
  return Buffer.from(wasm);
}

const embed = (
  wasm,
) => `// Made by scripts/build-wasm.mjs from ${SOURCE}: ${wasm.length} bytes of WebAssembly, never edited by hand.

import { Buffer } from 'node:buffer';

export const SOUND_PATH_WASM: Uint8Array = Buffer.from(
  '${wasm.toString('base64')}',
  'base64',
);
`;

try {
  const made = embed(await compile());
  if (!process.argv.includes('--check')) writeFileSync(TARGET, made);
  else if (readFileSync(TARGET, 'utf8') !== made)
    throw new Error(`${SOURCE} gives other bytes than src/audio/sound-path-wasm.ts`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
