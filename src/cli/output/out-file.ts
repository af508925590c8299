// Where a command writes its result: a file, which has its name only when it is whole; standard output; a named pipe, a device.
// Whether it can be written is told before the work, not after it. No fault of writing is thrown into what makes the bytes: it
// is told by `failed`, and what comes after it is dropped.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { connectFault } from '../../../packages/client/src/connect-fault.ts';
import { finishedWavHeader, WAV_HEADER_BYTES } from '../../audio/containers/wav.ts';
import { shownOrigin } from '../../base/addresses/shown-address.ts';
import { ReaderLeft, type Terminal, UsageError } from '../command.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { isStandardOutput } from './file-endings.ts';
import { type OutTarget, outTarget } from './out-target.ts';
import { systemWords } from './system-words.ts';

/** What a reader that does not keep up may leave in memory: half an hour of 48 kHz. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** Between two looks whether somebody has opened the other end of a named pipe. */
const LOOK_MS = 100;
/** Beyond them no room is left for more in a name (NAME_MAX is 255). */
const MAX_NAMED_BYTES = 230;
const UNFINISHED_MARK_BYTES = 4;
/** How long a reader has for the rest when the command has been interrupted. */
const LAST_WAIT_MS = 2000;

export type OutFile = {
  /** Never throws, and nothing is written after a fault. */
  write(bytes: Uint8Array): void;
  /** Resolves when there is room for more; rejects after a fault. */
  room(): Promise<void>;
  /** Bytes that were to be written so far. */
  bytes(): number;
  /** Rejects at the first fault, with the sentence for it; never resolves. */
  readonly failed: Promise<never>;
  /**
   * All of it is where it belongs, a file under its name and a WAV header with its true sizes; of nothing there is no file.
   * Rejects after a fault, when what could be written before it has been kept.
   */
  finish(): Promise<void>;
  /** Takes back what can be taken back. */
  discard(): void;
};

/** Where the bytes go. */
type Sink = {
  /** Throws what the system says. */
  write(bytes: Uint8Array): void;
  room(): Promise<void>;
  end(): Promise<void>;
  discard(): void;
};

type Place = Pick<Terminal, 'output' | 'interrupted'>;

export function checkOutFile(
  terminal: Pick<Terminal, 'checkWritable'>,
  flag: string,
  path: string | undefined,
): void {
  if (path === undefined || isStandardOutput(path)) return;
  try {
    terminal.checkWritable(path);
  } catch (error) {
    throw new UsageError(
      `${flag} is ${JSON.stringify(path)}, which cannot be written: ${systemWords(error)}`,
    );
  }
}

/** A pipe without a reader is waited for, until the command is interrupted. Throws a sentence. */
export async function openOutFile(place: Place, flag: string, path: string): Promise<OutFile> {
  const name = isStandardOutput(path) ? 'standard output' : JSON.stringify(path);
  const explain = (error: unknown): Error => {
    const { code } = error as NodeJS.ErrnoException;
    // Whatever befalls standard output is told where it is owned.
    if (code === 'EPIPE' || (isStandardOutput(path) && code !== undefined))
      return new ReaderLeft(`${name} is lost`);
    return new Error(`${flag}: ${name} could not be written: ${systemWords(error)}`);
  };
  let fail = (_error: Error) => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => {}); // whoever waits for it is told
  let fault: Error | undefined;
  const onFault = (error: unknown) => {
    if (fault !== undefined) return;
    fault = explain(error);
    fail(fault);
  };
  let sink: Sink;
  try {
    sink = await openSink(place, path, onFault);
  } catch (error) {
    throw explain(error);
  }
  let bytes = 0;
  return {
    write(more) {
      bytes += more.length;
      if (fault !== undefined) return;
      try {
        sink.write(more);
      } catch (error) {
        onFault(error);
      }
    },
    room: () => (fault === undefined ? Promise.race([sink.room(), failed]) : Promise.reject(fault)),
    bytes: () => bytes,
    failed,
    async finish() {
      const late = withdraw(place.interrupted, onFault);
      try {
        await Promise.race([sink.end(), failed]);
      } catch (error) {
        onFault(error);
      } finally {
        late.stop();
      }
      if (fault !== undefined) throw fault;
    },
    discard: () => sink.discard(),
  };
}

/** Once the command is interrupted, a reader that takes nothing more is not waited for long. */
function withdraw(interrupted: AbortSignal, onFault: (error: unknown) => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(onFault, LAST_WAIT_MS, new Error('interrupted before its reader took it'));
  };
  if (interrupted.aborted) onAbort();
  else interrupted.addEventListener('abort', onAbort, { once: true });
  return {
    stop() {
      clearTimeout(timer);
      interrupted.removeEventListener('abort', onAbort);
    },
  };
}

/** `bytes` as the whole of a file. */
export async function writeOutFile(
  place: Place,
  flag: string,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const out = await openOutFile(place, flag, path);
  out.write(bytes);
  await out.finish();
}

/** What is at `url`, whole or not at all where that can be. */
export async function download(place: Place, url: string, flag: string, path: string): Promise<void> {
  const { interrupted: signal } = place;
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    throw signal.aborted ? error : connectFault(error, url);
  });
  if (!response.ok || response.body === null)
    throw new Error(`${flag}: the file could not be fetched from ${shownOrigin(url)} (${response.status}).`);
  const out = await openOutFile(place, flag, path);
  const stopped = untilInterrupted(signal);
  try {
    for await (const chunk of response.body) {
      out.write(chunk as Uint8Array);
      await Promise.race([out.room(), stopped]);
      signal.throwIfAborted();
    }
    await out.finish();
  } catch (error) {
    out.discard();
    throw error;
  }
}

async function openSink(place: Place, path: string, onFault: (error: unknown) => void): Promise<Sink> {
  if (isStandardOutput(path)) return streamSink(place.output, onFault, 'kept');
  const target = outTarget(path);
  if (target.stats?.isFIFO() === true)
    return streamSink(
      new Socket({ fd: await openPipe(path, place.interrupted), readable: false, writable: true }),
      onFault,
      'ended',
    );
  if (target.how === 'written') return directSink(path);
  try {
    return replacingSink(target);
  } catch (error) {
    // Its folder may be closed to us where the file is not, as one that is mounted by itself, or that is another user's.
    if (target.stats === undefined) throw error;
    return directSink(path);
  }
}

/** Opening a pipe that nobody reads would block the whole process, and no signal would end it. */
async function openPipe(path: string, interrupted: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      if (interrupted.aborted) throw new Error('interrupted before anybody read it');
    }
    await pause(LOOK_MS, undefined, { signal: interrupted }).catch(() => {});
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number | null): void {
  for (let at = 0; at < bytes.length; )
    at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at);
}

/**
 * Opens a file beside `path` that is ours alone: one that is there may be another command's, or what a killed one has left. A file
 * that is to be replaced keeps its mode and its owner; throws where it cannot.
 */
function openUnfinished({ path, stats }: OutTarget): { readonly unfinished: string; readonly file: number } {
  const name = basename(path);
  const mark = randomBytes(UNFINISHED_MARK_BYTES).toString('hex');
  const beside = Buffer.byteLength(name) > MAX_NAMED_BYTES ? mark : `${name}.${mark}`;
  const unfinished = join(dirname(path), `${beside}.part`);
  const file = openSync(unfinished, 'wx+');
  if (stats === undefined) return { unfinished, file };
  try {
    const ours = fstatSync(file);
    if (ours.uid !== stats.uid || ours.gid !== stats.gid) fchownSync(file, stats.uid, stats.gid);
    fchmodSync(file, stats.mode & 0o7777);
  } catch (error) {
    closeSync(file);
    rmSync(unfinished, { force: true });
    throw error;
  }
  return { unfinished, file };
}

/** Has its name when it is whole, so that a book need not be held in memory and nobody takes a part for the whole. */
function replacingSink(target: OutTarget): Sink {
  const { unfinished, file } = openUnfinished(target);
  let written = 0;
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const tellSizes = () => {
    const head = Buffer.alloc(WAV_HEADER_BYTES);
    const read = readSync(file, head, 0, head.length, 0);
    const header = finishedWavHeader(head.subarray(0, read), written);
    if (header !== undefined) writeAll(file, header, 0);
  };
  return {
    write(bytes) {
      writeAll(file, bytes, written);
      written += bytes.length;
    },
    room: async () => {},
    async end() {
      if (!isOpen) return;
      tellSizes();
      close();
      try {
        if (written > 0) renameSync(unfinished, target.path);
      } finally {
        rmSync(unfinished, { force: true });
      }
    },
    discard() {
      if (!isOpen) return;
      close();
      rmSync(unfinished, { force: true });
    },
  };
}

/** A device, or a file beside which nothing can be written. Opened at the first byte, so that what is there stays until then. */
function directSink(path: string): Sink {
  let file: number | undefined;
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    write(bytes) {
      file ??= openSync(path, 'w');
      writeAll(file, bytes, null);
    },
    room: async () => {},
    end: async () => close(),
    discard: close,
  };
}

/** Standard output is kept for others; a pipe is closed, so that its reader sees the end. */
function streamSink(stream: Writable, onFault: (error: unknown) => void, atEnd: 'kept' | 'ended'): Sink {
  stream.on('error', onFault);
  return {
    write(bytes) {
      if (stream.writableLength > MAX_WAITING_BYTES)
        throw new Error(`whoever reads it is ${MAX_WAITING_BYTES} bytes behind`);
      stream.write(bytes);
    },
    room: () =>
      stream.writableNeedDrain
        ? new Promise((resolve) => {
            stream.once('drain', resolve);
          })
        : Promise.resolve(),
    end: () =>
      new Promise((resolve, reject) => {
        stream.write('', (error) => {
          if (atEnd === 'ended') stream.destroy();
          if (error == null) resolve();
          else reject(error);
        });
      }),
    discard() {
      if (atEnd === 'ended') stream.destroy();
    },
  };
}
