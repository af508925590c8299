// What this program keeps in one bucket of S3, or of a server with its interface, below one prefix: single objects, listings,
// files that go up in parts and reads that go on where a connection broke. Names are those behind the prefix.

import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type MultipartUpload,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { AppError } from '../../base/app-error.ts';
import {
  BucketClient,
  type BucketOptions,
  CALL_MS,
  codeOf,
  timedOut,
  unreachable,
  waitForBucket,
} from './client.ts';

export type Kept = { readonly bytes: Uint8Array; readonly metadata: Readonly<Record<string, string>> };
export type Range = {
  readonly start: number;
  readonly end: number;
  /** Of which version. */
  readonly version?: string | undefined;
};

/** Of a call that carries a part. */
const PART_MS = 60_000;
const SMALL_BYTES = 64 * 1024;
/** Without a byte of an object that is being read. */
const STALL_MS = 15_000;
/** The least that S3 takes for a part that is not the last; smaller files go in one piece. */
const PART_BYTES = 5 * 1024 * 1024;
/** Continuations of a read that brought nothing. */
const MAX_REOPENED = 3;
/** One by one: not every server takes a batch. */
const DELETIONS_AT_ONCE = 8;
/** A page of a thousand is read in 10 ms and more, in which no sound is played. */
const LISTED_AT_ONCE = 200;

export class Bucket {
  readonly place: string;
  readonly #asks: BucketClient;
  readonly #prefix: string;
  readonly #at: { readonly Bucket: string };

  /** Asks nothing yet. */
  constructor(options: BucketOptions) {
    this.#asks = new BucketClient(options);
    this.#prefix = options.address.prefix;
    this.#at = { Bucket: options.address.bucket };
    this.place = this.#asks.place;
  }

  /** When it has been listed, read and written; an `Error` for the operator that names the setting otherwise. */
  static async open(options: BucketOptions): Promise<Bucket> {
    const bucket = new Bucket(options);
    try {
      await waitForBucket(options, bucket.place, () => bucket.look('thorough'));
      return bucket;
    } catch (error) {
      bucket.close();
      throw error;
    }
  }

  close(): void {
    this.#asks.client.destroy();
  }

  isReachable(): boolean {
    return this.#asks.circuit.isClosed();
  }

  /** Throws `storage_unavailable` while it is known not to answer. */
  checkReachable(): void {
    this.#asks.circuit.check();
  }

  /** Asks it, whatever is known; `thorough` lists, writes, reads and deletes something. */
  async look(how: 'quick' | 'thorough'): Promise<void> {
    this.#asks.circuit.tryNow();
    const name = `probe-${randomUUID()}`;
    for await (const _ of this.list(name)) break;
    if (how === 'quick') return;
    await this.put(name, Buffer.from('voxgate'));
    await this.get(name, 100);
    await this.delete(name);
  }

  /** Undefined when there is none. `version` changes when it is replaced. */
  async sizeOf(
    name: string,
  ): Promise<{ readonly bytes: number; readonly version?: string | undefined } | undefined> {
    const found = await this.#asks.find((asked) =>
      this.#asks.client.send(new HeadObjectCommand(this.#key(name)), asked),
    );
    return found && { bytes: found.ContentLength ?? 0, version: found.ETag };
  }

  /** A small one, whole; undefined when there is none, or when it has more than `maxBytes`. */
  get(name: string, maxBytes: number, deadlineMs = CALL_MS): Promise<Kept | undefined> {
    return this.#asks.find(async (asked) => {
      const got = await this.#asks.client.send(new GetObjectCommand(this.#key(name)), asked);
      const body = got.Body as Readable;
      if ((got.ContentLength ?? 0) > maxBytes) {
        body.destroy();
        return undefined;
      }
      asked.abortSignal.addEventListener('abort', () => body.destroy(timedOut()), { once: true });
      return { bytes: await got.Body!.transformToByteArray(), metadata: got.Metadata ?? {} };
    }, deadlineMs);
  }

  /**
   * The bytes from `start` to `end`, both counted. Goes on behind what came when a connection breaks, and never mixes two
   * versions. Holds no more than the connection does while its reader waits.
   */
  async *read(name: string, { start, end, version }: Range): AsyncGenerator<Uint8Array, void> {
    let at = start;
    let reopened = 0;
    let body: Readable | undefined;
    let chunks: AsyncIterator<Uint8Array> | undefined;
    const next = async (): Promise<Uint8Array> => {
      for (;;)
        try {
          if (body === undefined) {
            body = await this.#openBody(name, { start: at, end, version });
            chunks = body[Symbol.asyncIterator]();
          }
          const { value, done } = await this.#asks.within(STALL_MS, () => chunks!.next());
          if (done === true) throw new Error('short');
          reopened = 0;
          return value as Uint8Array;
        } catch (error) {
          body?.destroy();
          body = undefined;
          reopened += 1;
          if (error instanceof AppError) throw error;
          if (reopened > MAX_REOPENED) throw unreachable(error);
        }
    };
    try {
      while (at <= end) {
        const chunk = await next();
        at += chunk.length;
        yield chunk;
      }
    } finally {
      (body as Readable | undefined)?.destroy();
    }
  }

  async put(name: string, body: Uint8Array, metadata: Readonly<Record<string, string>> = {}): Promise<void> {
    const object = { ...this.#key(name), Body: body, Metadata: metadata };
    await this.#asks.call(body.length > SMALL_BYTES ? PART_MS : CALL_MS, (asked) =>
      this.#asks.client.send(new PutObjectCommand(object), asked),
    );
  }

  /**
   * The file at `path` under `name`, whole or not at all; one part of it is in memory at a time. `check` is asked before
   * anything can be seen of it, and rejects when nothing may be.
   */
  async upload(name: string, path: string, check: () => Promise<void>): Promise<{ readonly bytes: number }> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const part = Buffer.allocUnsafeSlow(Math.min(size, PART_BYTES));
      if (size > PART_BYTES) await this.#uploadInParts(name, { file, size, part }, check);
      else {
        await fill(file, part, 0);
        await check();
        await this.put(name, part);
      }
      return { bytes: size };
    } finally {
      await file.close();
    }
  }

  /** Names that begin with `start`, in order, and when each was written, Unix ms. */
  async *list(start: string): AsyncGenerator<{ readonly name: string; readonly writtenMs: number }, void> {
    for await (const { Contents = [] } of this.#pages({ Prefix: this.#prefix + start }))
      for (const { Key = '', LastModified } of Contents)
        yield { name: Key.slice(this.#prefix.length), writtenMs: LastModified?.getTime() ?? 0 };
  }

  /** What comes behind `start` in names, up to the next slash. */
  async *foldersIn(start: string): AsyncGenerator<string, void> {
    const Prefix = this.#prefix + start;
    for await (const { CommonPrefixes = [] } of this.#pages({ Prefix, Delimiter: '/' }))
      for (const { Prefix: found = '' } of CommonPrefixes) yield found.slice(Prefix.length, -1);
  }

  /** Also of one that is not there. */
  async delete(name: string): Promise<void> {
    await this.#asks.find((asked) => this.#asks.client.send(new DeleteObjectCommand(this.#key(name)), asked));
  }

  /** All that begins with `start`, and uploads of such that nobody has completed. */
  async deleteAll(start: string): Promise<void> {
    const names: string[] = [];
    for await (const { name } of this.list(start)) names.push(name);
    const lane = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await this.delete(name);
    };
    await Promise.all(Array.from({ length: DELETIONS_AT_ONCE }, lane));
    for (const { Key, UploadId } of await this.#uploadsOf(start))
      await this.#abort({ ...this.#at, Key, UploadId });
  }

  async *#pages(asked: { readonly Prefix: string; readonly Delimiter?: string }) {
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        ...this.#at,
        ...asked,
        MaxKeys: LISTED_AT_ONCE,
        ContinuationToken,
      });
      const page = await this.#asks.call(CALL_MS, (signal) => this.#asks.client.send(command, signal));
      yield page;
      ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  /** None of servers that do not list them, or may not: there a rule of the bucket has to end them. */
  async #uploadsOf(start: string): Promise<readonly MultipartUpload[]> {
    const command = new ListMultipartUploadsCommand({ ...this.#at, Prefix: this.#prefix + start });
    return await this.#asks.call(CALL_MS, async (asked) => {
      try {
        return (await this.#asks.client.send(command, asked)).Uploads ?? [];
      } catch (error) {
        const isRefused = error instanceof S3ServiceException && error.$fault === 'client';
        if (isRefused || codeOf(error) === 'NotImplemented') return [];
        throw error;
      }
    });
  }

  async #uploadInParts(
    name: string,
    { file, size, part }: { readonly file: FileHandle; readonly size: number; readonly part: Buffer },
    check: () => Promise<void>,
  ): Promise<void> {
    const { client } = this.#asks;
    const { UploadId } = await this.#asks.call(CALL_MS, (asked) =>
      client.send(new CreateMultipartUploadCommand(this.#key(name)), asked),
    );
    const upload = { ...this.#key(name), UploadId };
    const Parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
    try {
      for (let at = 0; at < size; at += PART_BYTES) {
        const Body = part.subarray(0, Math.min(PART_BYTES, size - at));
        await fill(file, Body, at);
        const sent = { ...upload, PartNumber: Parts.length + 1, Body };
        const { ETag } = await this.#asks.call(PART_MS, (asked) =>
          client.send(new UploadPartCommand(sent), asked),
        );
        Parts.push({ PartNumber: sent.PartNumber, ETag });
      }
      await check();
      const whole = { ...upload, MultipartUpload: { Parts } };
      await this.#asks.call(PART_MS, (asked) =>
        client.send(new CompleteMultipartUploadCommand(whole), asked),
      );
    } catch (error) {
      // What cannot be ended now is ended with the files of its work.
      await this.#abort(upload).catch(() => {});
      throw error;
    }
  }

  async #abort(upload: {
    readonly Bucket: string;
    readonly Key: string | undefined;
    readonly UploadId: string | undefined;
  }): Promise<void> {
    await this.#asks.find((asked) => this.#asks.client.send(new AbortMultipartUploadCommand(upload), asked));
  }

  async #openBody(name: string, { start, end, version }: Range): Promise<Readable> {
    const wanted = { ...this.#key(name), Range: `bytes=${start}-${end}`, IfMatch: version };
    const { Body } = await this.#asks.call(CALL_MS, (asked) =>
      this.#asks.client.send(new GetObjectCommand(wanted), asked),
    );
    return Body as Readable;
  }

  #key(name: string): { readonly Bucket: string; readonly Key: string } {
    return { ...this.#at, Key: this.#prefix + name };
  }
}

/** Makes `part` hold the bytes of the file behind `at`. */
async function fill(file: FileHandle, part: Buffer, at: number): Promise<void> {
  for (let filled = 0; filled < part.length; ) {
    const { bytesRead } = await file.read(part, filled, part.length - filled, at + filled);
    if (bytesRead === 0) throw new AppError('internal', 'A file became shorter while it was being uploaded.');
    filled += bytesRead;
  }
}
