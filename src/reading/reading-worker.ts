// The program of a reading thread: one file, one answer. The thread ends with its answer, and frees whatever a library has
// kept of the file.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../base/app-error.ts';
import { ownThread } from '../base/processes/thread-time.ts';
import { yieldToPlayback } from '../base/processes/yield-to-playback.ts';
import { hasRunningText } from '../script/running-text.ts';
import { fileTooLarge } from './invalid-source.ts';
import { readSource } from './read-source.ts';
import type { ReadingAnswer, ReadingOrder, Step } from './reading-messages.ts';

yieldToPlayback();
const { source, limits } = workerData as ReadingOrder;

const tell = (message: ReadingAnswer) => parentPort!.postMessage(message);
const thread = ownThread();
const step: Step = (part, withinMs) => tell({ kind: 'step', part, withinMs, thread });

async function answer(): Promise<ReadingAnswer> {
  try {
    const bytes = readBytes(source.path, limits.fileBytes);
    const document = await readSource(bytes, source, limits.textChars, step, hasRunningText);
    return { kind: 'read', document };
  } catch (thrown) {
    if (thrown instanceof AppError) return { kind: 'refused', message: thrown.message };
    return { kind: 'broken', cause: thrown instanceof Error ? thrown.name : 'unknown' };
  }
}

/** The size is asked of the open file, so that it is the size of what is then read. */
function readBytes(path: string, mostBytes: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > mostBytes) throw fileTooLarge(mostBytes);
    const bytes = new Uint8Array(size);
    let filled = 0;
    while (filled < size) {
      const read = readSync(file, bytes, filled, size - filled, filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

tell(await answer());
