// What of a command goes to standard output. Where a result is to go there, nothing else does: what is said about it goes to
// standard error, to a person alone.

import { resolve } from 'node:path';
import type { EventOf } from '../../dialects/native-events.ts';
import { type Terminal, UsageError } from '../command.ts';
import { isStandardOutput } from './file-endings.ts';

export type Result = {
  readonly flag: string;
  readonly path: string | undefined;
  /** A terminal shows text. */
  readonly holds: 'audio' | 'text';
};

/** Of a command: who is told what it does. */
export type Told = Terminal & { readonly tells: 'people' | 'lines' | 'nobody' };

const nothing = () => {};

/** What came first would be lost. */
function checkDifferent(results: readonly Result[]): void {
  const flags = new Map<string, string>();
  for (const { flag, path } of results) {
    if (path === undefined || isStandardOutput(path) || path.startsWith('/dev/')) continue;
    const other = flags.get(resolve(path));
    if (other !== undefined)
      throw new UsageError(
        `${other} and ${flag} are both ${JSON.stringify(path)}; give each a file of its own`,
      );
    flags.set(resolve(path), flag);
  }
}

/**
 * The terminal of a command that writes `results`. With `json` it speaks in lines of JSON wherever it is. Throws a UsageError where
 * two of them are to go to standard output, or audio to a terminal.
 */
export function tellBeside(
  terminal: Terminal,
  { json, results = [] }: { readonly json: boolean; readonly results?: readonly Result[] },
): Told {
  const [first, second] = results.filter(({ path }) => isStandardOutput(path));
  if (second !== undefined)
    throw new UsageError(`${first!.flag} and ${second.flag} are both -; standard output takes one of them`);
  checkDifferent(results);
  if (first?.holds === 'audio' && terminal.output.isTTY === true)
    throw new UsageError(
      `${first.flag} is -, and standard output is a terminal; pipe it to a program that plays it, or name a file`,
    );
  const messages = first === undefined ? terminal : terminal.besideResult;
  const { print, status, isInteractive } = messages;
  if (json) return { ...terminal, print, status: nothing, isInteractive: false, tells: 'lines' };
  if (isInteractive) return { ...terminal, print, status, isInteractive, tells: 'people' };
  if (first === undefined) return { ...terminal, tells: 'lines' };
  return { ...terminal, print: nothing, status: nothing, isInteractive, tells: 'nobody' };
}

/** What was written of a turn is the result, and the last line; of a turn without audio there is no file. */
export function tellAudioFile(
  { tells, print }: Pick<Told, 'tells' | 'print'>,
  {
    path,
    bytes,
    ended: { outcome, sentMs },
  }: { readonly path: string; readonly bytes: number; readonly ended: EventOf<'ended'> },
): void {
  const seconds = Math.round(sentMs / 100) / 10;
  const stopped = outcome === 'complete' ? '' : `, ${outcome}: what was spoken so far can be played`;
  const words =
    bytes === 0 ? 'not written, there is no audio' : `${seconds.toFixed(1)} s, ${bytes} bytes${stopped}`;
  const file = bytes === 0 ? null : path;
  print(tells === 'people' ? `${path}: ${words}` : JSON.stringify({ file, outcome, seconds, bytes }));
}
