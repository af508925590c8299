// Compiles wasm/ (AssemblyScript) to modules of src/audio, which are committed: building and running Voxgate needs no
// compiler for them. The same compiler gives the same bytes everywhere.
//
//   node scripts/build-wasm.mjs           write them anew, after a change of the source or of the compiler
//   node scripts/build-wasm.mjs --check   fail when what is committed is not what the source gives

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { main } from 'assemblyscript/asc';

const ROOT = resolve(import.meta.dirname, '..');
const MODULES = [
  {
    source: 'wasm/sound-path.ts',
    target: 'src/audio/dsp/sound-path-wasm.ts',
    name: 'SOUND_PATH_WASM',
    pages: 1,
  },
  { source: 'wasm/layer3/decoder.ts', target: 'src/audio/mp3/layer3-wasm.ts', name: 'LAYER3_WASM', pages: 2 },
];
const OUT_FILE = 'out.wasm';

/** No runtime, since nothing is allocated; no assertions, since addresses come from the host's free lists alone. */
const OPTIONS = ['-O3', '--converge', '--noAssert', '--enable', 'simd', '--runtime', 'stub'];

async function compile({ source, pages }) {
  let wasm;
  let complaints = '';
  const { error } = await main([source, ...OPTIONS, '--initialMemory', `${pages}`, '--outFile', OUT_FILE], {
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
  { source, name },
  wasm,
) => `// Made by scripts/build-wasm.mjs from ${source}: ${wasm.length} bytes of WebAssembly, never edited by hand.

import { Buffer } from 'node:buffer';

export const ${name}: Uint8Array = Buffer.from(
  '${wasm.toString('base64')}',
  'base64',
);
`;

try {
  for (const module of MODULES) {
    const target = join(ROOT, module.target);
    const made = embed(module, await compile(module));
    if (!process.argv.includes('--check')) writeFileSync(target, made);
    else if (readFileSync(target, 'utf8') !== made)
      throw new Error(`${module.source} gives other bytes than ${module.target}`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
