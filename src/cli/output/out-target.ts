// What the name of a result stands for: which file is written in the end, and whether that can be known to be impossible before
// the work is begun. Nothing is made or changed here.

import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As Linux follows them (path_resolution(7)). */
const MAX_LINKS = 40;
/** Names of files that this process, or its shell, has open: what they lead to is never replaced. */
const OPEN_FILE = /^\/(?:dev\/(?:std(?:in|out|err)|fd\/)|proc\/)/;

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

export type OutTarget = {
  /** With all links followed, also of a link that leads to nothing yet. */
  readonly path: string;
  /** Of what is there; undefined: nothing. */
  readonly stats: Stats | undefined;
  /** `replaced`: by a whole file beside it; `written`: as it is, a device or what somebody has open. */
  readonly how: 'replaced' | 'written';
};

/** Throws what the system says: a folder that is not there, links in a circle. */
export function outTarget(path: string): OutTarget {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true || /\/$/.test(path)) throw systemError('EISDIR');
  if (stats === undefined) return { path: followLinks(path), stats, how: 'replaced' };
  if (!stats.isFile() || OPEN_FILE.test(path)) return { path, stats, how: 'written' };
  return { path: realpathSync(path), stats, how: 'replaced' };
}

/** Where a file would be made: a link that leads to nothing is no place to put one in its stead. */
function followLinks(path: string): string {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    at = join(realpathSync(dirname(at)), basename(at));
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return at;
    at = resolve(dirname(at), readlinkSync(at));
  }
  throw systemError('ELOOP');
}

/** Throws what the system would say of writing there. */
export function checkWritable(given: string): void {
  const { path, stats } = outTarget(given);
  if (stats === undefined) accessSync(dirname(path), constants.W_OK | constants.X_OK);
  else accessSync(given, constants.W_OK);
}
