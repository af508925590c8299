// A body from the network to a file: counted as it comes and again as it is unpacked, so that a small answer cannot
// become a large file. Nothing of it is held in memory but the chunk on its way.

import { open, rm } from 'node:fs/promises';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError, toAppError } from '../../base/app-error.ts';

export type SaveBodyRequest = {
  readonly body: Readable;
  /** The Content-Encoding field of the answer, if any. */
  readonly encoding: string | undefined;
  readonly toPath: string;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
};

/** RFC 9110 8.4.1; nothing was asked for, but some servers pack all the same. */
const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
const DISK_FAULT = /^(ENOSPC|EDQUOT|EIO|EFBIG|EROFS)$/;

export const tooLarge = (mostBytes: number) =>
  new AppError('payload_too_large', `The file at this address is larger than ${mostBytes} bytes.`);

const counter = (mostBytes: number) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge(mostBytes);
      yield chunk;
    }
  };

function unpackerFor(encoding: string): (() => Transform) | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  if (!Object.hasOwn(UNPACKERS, name))
    throw new AppError(
      'address_unreachable',
      'The file at this address is packed in a way that is not served.',
    );
  return UNPACKERS[name];
}

/** Answers with the bytes written. On any failure there is nothing at `toPath`; a disk that is full or cannot be written is told as such. */
export async function saveBody({
  body,
  encoding,
  toPath,
  mostBytes,
  signal,
}: SaveBodyRequest): Promise<number> {
  const unpacker = unpackerFor(encoding ?? '');
  const handle = await open(toPath, 'w', 0o600).catch((error: unknown) => {
    throw toAppError(error);
  });
  const file = handle.createWriteStream();
  const count = counter(mostBytes);
  try {
    if (unpacker === undefined) await pipeline(body, count, file, { signal });
    else await pipeline(body, count, unpacker(), counter(mostBytes), file, { signal });
    return file.bytesWritten;
  } catch (error) {
    await rm(toPath, { force: true });
    if (signal.aborted) throw signal.reason;
    const code = String((error as NodeJS.ErrnoException).code);
    if (DISK_FAULT.test(code)) throw toAppError(error);
    if (/^(Z_|ERR__?BROTLI|ERR_BROTLI)/.test(code))
      throw new AppError('address_unreachable', 'The file at this address cannot be unpacked.');
    throw error;
  }
}
