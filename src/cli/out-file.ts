// Files that a command writes: whether they can be written is told before the work, not after it.

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Terminal, UsageError } from './command.ts';

export function checkOutFile(terminal: Terminal, flag: string, path: string | undefined): void {
  if (path === undefined) return;
  try {
    terminal.checkWritable(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unwritable';
    throw new UsageError(`${flag} is ${JSON.stringify(path)}, which cannot be written (${reason})`);
  }
}

/** What is at `url` as the file `path`, whole or not at all. */
export async function download(url: string, path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null)
    throw new Error(`The file could not be fetched (${response.status}).`);
  const unfinished = `${path}.part`;
  try {
    await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(unfinished), {
      signal,
    });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
