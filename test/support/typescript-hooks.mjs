// Module hooks for threads: `x.js` that is not there is `x.ts`, and types are taken out by the compiler that vitest
// has anyway.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !specifier.endsWith('.js')) throw error;
    return next(specifier.replace(/\.js$/, '.ts'), context);
  }
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const path = fileURLToPath(url);
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'));
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return { format: 'module', shortCircuit: true, source: code };
}
