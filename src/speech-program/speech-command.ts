// How the speech program that Voxgate brings along is started, if it is there: an image without it, or an installation
// without optional packages, has none.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What the program needs; optional, because it is under the GPL. */
export const SPEECH_PACKAGE = '@echogarden/espeak-ng-emscripten';

const PROGRAM = fileURLToPath(new URL('../engine/espeak-entry.mjs', import.meta.url));

/** Program and arguments, whether it is there or not. */
export const espeakCommand = (): readonly string[] => [process.execPath, PROGRAM];

export function isEspeakInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(SPEECH_PACKAGE);
  } catch {
    return false;
  }
  return existsSync(PROGRAM);
}
