// What of a command goes to standard output. Where a result is to go there, nothing else does: what is said about it goes to
// standard error, to a person alone.

import { type Terminal, UsageError } from '../command.ts';
import { STANDARD } from './file-endings.ts';

export type Result = {
  readonly flag: string;
  readonly path: string | undefined;
  /** A terminal shows text. */
  readonly holds: 'audio' | 'text';
};

/** Of a command: who is told what it does. */
export type Told = Terminal & { readonly tells: 'people' | 'lines' | 'nobody' };

const nothing = () => {};

/**
 * The terminal of a command that writes `results`. With `json` it speaks in lines of JSON wherever it is. Throws a UsageError where
 * two of them are to go to standard output, or audio to a terminal.
 */
export function tellBeside(
  terminal: Terminal,
  { json, results = [] }: { readonly json: boolean; readonly results?: readonly Result[] },
): Told {
  const [first, second] = results.filter(({ path }) => path === STANDARD);
  if (second !== undefined)
    throw new UsageError(`${first!.flag} and ${second.flag} are both -; standard output takes one of them`);
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
