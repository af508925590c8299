// Files and standard input as bytes. A named pipe is read as a stream: opening one that nobody writes to would block the whole
// process, and no signal would end it.

import { constants, openSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { fileTooLarge } from '../../reading/invalid-source.ts';
import { READING_LIMITS } from '../../reading/reading-limits.ts';
import { type Terminal, UsageError } from '../command.ts';
import { STANDARD } from '../output/file-endings.ts';

type Input = Terminal['input'];

/** Throws an AppError for what is longer than any document that is read, and when the command is interrupted. */
async function readAll(input: Input, interrupted: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const stop = () => input.destroy?.();
  interrupted.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of input) {
      bytes += chunk.length;
      if (bytes > READING_LIMITS.fileBytes) throw fileTooLarge(READING_LIMITS.fileBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    interrupted.throwIfAborted();
    throw error;
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
  interrupted.throwIfAborted();
  return Buffer.concat(chunks);
}

export const readAllInput = ({ input, interrupted }: Pick<Terminal, 'input' | 'interrupted'>) =>
  readAll(input, interrupted);

/** What is in the file `path`, whatever it is; `-` is standard input. Throws what the system says. */
export async function readInputFile(
  terminal: Pick<Terminal, 'input' | 'interrupted'>,
  path: string,
): Promise<Uint8Array> {
  if (isStandardInput(path)) return readAllInput(terminal);
  if (!statSync(path).isFIFO()) return readFile(path);
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return readAll(new Socket({ fd: file, readable: true, writable: false }), terminal.interrupted);
}

/** Other names of it. */
const OF_STANDARD_INPUT: readonly string[] = [STANDARD, '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

const isStandardInput = (path: string | undefined): boolean =>
  path !== undefined && OF_STANDARD_INPUT.includes(path);

/**
 * Throws a UsageError where two of `given`, each with its name, are to come from standard input. `implied`: what is read from
 * there because nothing was named.
 */
export function checkInputs(given: Readonly<Record<string, string | undefined>>, implied?: string): void {
  const [first, second] = Object.entries(given).filter(([, path]) => isStandardInput(path));
  if (second !== undefined)
    throw new UsageError(`${first![0]} and ${second[0]} are both -; standard input can be one of them`);
  if (first !== undefined && implied !== undefined)
    throw new UsageError(
      `${first[0]} is -, and ${implied} comes from standard input, too, where it is not given; standard input can be one of them`,
    );
}
