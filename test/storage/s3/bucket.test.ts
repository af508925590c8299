// A bucket whose server is away, slow or refuses: deadlines and retries that are bounded, faults of storage for callers,
// words for the operator at the start, and never a key in either.

import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/base/app-error.ts';
import type { LogEvent } from '../../../src/base/log-events.ts';
import { Bucket } from '../../../src/storage/s3/bucket.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { freePort } from '../../support/redis-server.ts';
import { bucketAt, openTestBucket, S3_KEYS, type S3Server, startS3 } from '../../support/s3-server.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const PART_BYTES = 5 * 1024 * 1024;

describe('a bucket', () => {
  let server: S3Server;
  let bucket: Bucket;
  let folder: string;
  beforeAll(async () => {
    server = await startS3();
    bucket = await openTestBucket(server.endpoint);
    folder = scratchFolder('upload');
  });
  afterAll(async () => {
    bucket.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const fileOf = (bytes: number) => {
    const path = join(folder, 'file');
    writeFileSync(path, Buffer.alloc(bytes, 'x'));
    return path;
  };

  it('deletes what a name begins with', async () => {
    const names = ['many/1', 'many/2', 'many/deep/3', 'manyfold'];
    await Promise.all(names.map((name) => bucket.put(name, Buffer.from('x'))));
    const listed = async () => {
      const found: string[] = [];
      for await (const { name } of bucket.list('many')) found.push(name);
      return found;
    };
    expect(await listed()).toEqual(names);
    await bucket.deleteAll('many/');
    expect(await listed()).toEqual(['manyfold']);
  });

  it('has nothing outside its prefix', async () => {
    const other = await openTestBucket(server.endpoint, 'other/');
    await other.put('of-another', Buffer.from('x'));
    expect(await bucket.sizeOf('of-another')).toBeUndefined();
    for await (const { name } of bucket.list('')) expect(name).not.toContain('of-another');
    other.close();
  });

  it.each([1, PART_BYTES, PART_BYTES + 1])('shows nothing of %i bytes when it may not', async (bytes) => {
    const lost = new Error('lost');
    const refuses = () => Promise.reject(lost);
    await expect(bucket.upload('lost', fileOf(bytes), refuses)).rejects.toBe(lost);
    expect(await bucket.sizeOf('lost')).toBeUndefined();
  });
});

describe('a bucket whose server fails', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let asked: string[] = [];
  let endpoint: string;
  beforeAll(async () => {
    Object.assign(process.env, S3_KEYS);
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url?.split('?')[0]}`);
      request.resume();
      answer(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  const opened: Bucket[] = [];
  afterEach(() => {
    asked = [];
    for (const bucket of opened.splice(0)) bucket.close();
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const says = (status: number, code: string) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${S3_KEYS.AWS_ACCESS_KEY_ID}</Message></Error>`,
    );
  };
  const told: [LogEvent, unknown][] = [];
  const open = (at = endpoint, clock = bucketAt(at).clock) => {
    told.length = 0;
    const tell = (event: LogEvent, fields?: unknown) => void told.push([event, fields]);
    const log = { debug: tell, info: tell, warn: tell, error: tell };
    const bucket = new Bucket({ ...bucketAt(at), clock, log });
    opened.push(bucket);
    return bucket;
  };
  const fails = (asking: Promise<unknown>) =>
    asking.then(
      () => undefined,
      (error: AppError) => error,
    );

  it.each([
    [503, 'SlowDown', 'storage_unavailable', 3],
    [403, 'AccessDenied', 'storage_unavailable', 1],
    [400, 'ExpiredToken', 'storage_unavailable', 1],
    [507, 'XMinioStorageFull', 'insufficient_storage', 1],
  ])('with %i %s is a fault of storage, after few attempts', async (status, name, code, attempts) => {
    answer = says(status, name);
    const error = await fails(open().put('file', Buffer.from('x')));
    expect(error).toMatchObject({ code, cause: new Error(`S3: ${name}`) });
    expect(error!.retryAfterMs).toBeGreaterThan(0);
    expect(asked).toEqual(Array.from({ length: attempts }, () => 'PUT /speech-files/voxgate/file'));
  });

  it('is not asked any more for a while when it is away, and is asked again', async () => {
    const clock = createFakeClock();
    const bucket = open(`http://127.0.0.1:${await freePort()}`, clock);
    expect(await fails(bucket.sizeOf('file'))).toMatchObject({ code: 'storage_unavailable' });
    expect([bucket.isReachable(), told.map(([event]) => event)]).toEqual([false, ['files_not_reachable']]);
    expect(JSON.stringify(told)).toContain('ECONNREFUSED');
    expect(() => bucket.checkReachable()).toThrow('cannot be reached');
    expect(await fails(bucket.sizeOf('file'))).toMatchObject({ retryAfterMs: 5000 });
  });

  it('is taken again when it answers', async () => {
    const clock = createFakeClock();
    const bucket = open(endpoint, clock);
    answer = says(403, 'AccessDenied');
    for (let at = 0; at < 3; at += 1) await fails(bucket.put('file', Buffer.from('x')));
    expect(bucket.isReachable()).toBe(false);
    asked = [];
    await fails(bucket.put('file', Buffer.from('x')));
    expect(asked).toEqual([]);
    clock.advance(5_000);
    answer = (_, response) => response.writeHead(200).end();
    await bucket.put('file', Buffer.from('x'));
    expect([bucket.isReachable(), told.map(([event]) => event)]).toEqual([
      true,
      ['files_not_reachable', 'files_reachable_again'],
    ]);
  });

  it('that says nothing is left after ten seconds', async () => {
    const clock = createFakeClock();
    let arrived = () => {};
    const here = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    answer = () => arrived();
    const failed = fails(open(endpoint, clock).sizeOf('file'));
    await here;
    clock.advance(10_000);
    expect(await failed).toMatchObject({ code: 'storage_unavailable', cause: new Error('S3: timeout') });
  });

  it('that breaks off in mid-file is asked for the rest', async () => {
    const content = Buffer.from('0123456789');
    answer = (request, response) => {
      const [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '')!.map(Number);
      const body = content.subarray(start, end! + 1);
      response.writeHead(206, { 'content-length': body.length });
      response.write(body.subarray(0, 4), () => setImmediate(() => response.destroy()));
    };
    const read = await buffer(open().read('file', { start: 1, end: 9 }));
    expect(read.toString()).toBe('123456789');
    expect(asked.length).toBe(3);
  });

  it('mixes no two versions', async () => {
    const bucket = open();
    let wanted: string | undefined;
    answer = (request, response) => {
      wanted = request.headers['if-match'];
      says(412, 'PreconditionFailed')(request, response);
    };
    const failed = fails(buffer(bucket.read('file', { start: 0, end: 9, version: '"one"' })));
    expect(await failed).toMatchObject({ code: 'storage_unavailable' });
    expect([wanted, asked.length]).toEqual(['"one"', 1]);
  });

  it('is listed page by page, and rid of uploads that nobody has completed', async () => {
    const pages: Record<string, string> = {
      first: '<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>',
      next: '<IsTruncated>false</IsTruncated>',
    };
    answer = (request, response) => {
      const query = new URL(request.url!, endpoint).searchParams;
      if (request.method === 'DELETE') return response.writeHead(204).end();
      const name = `voxgate/works/${query.get('continuation-token') ?? 'first'}`;
      const body = query.has('uploads')
        ? '<Upload><Key>voxgate/works/big</Key><UploadId>7</UploadId></Upload>'
        : `<Contents><Key>${name}</Key></Contents>${pages[name.slice('voxgate/works/'.length)]}`;
      return response.writeHead(200).end(`<?xml version="1.0"?><Result>${body}</Result>`);
    };
    await open().deleteAll('works/');
    expect([...asked.slice(0, 2), ...asked.slice(2, 4).sort(), ...asked.slice(4)]).toEqual([
      ...Array.from({ length: 2 }, () => 'GET /speech-files/'),
      ...['first', 'next'].map((name) => `DELETE /speech-files/voxgate/works/${name}`),
      'GET /speech-files/',
      'DELETE /speech-files/voxgate/works/big',
    ]);
  });

  it('that stalls in mid-file is left in the end', async () => {
    const clock = createFakeClock();
    answer = (_, response) => {
      response.writeHead(206, { 'content-length': 10 });
      response.flushHeaders();
    };
    const failed = fails(buffer(open(endpoint, clock).read('file', { start: 0, end: 9 })));
    let isOver = false;
    void failed.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await settle();
      clock.advance(50);
    }
    expect(await failed).toMatchObject({ code: 'storage_unavailable' });
  });

  it.each([
    [404, 'NoSuchBucket', /does not exist \(NoSuchBucket\): create the bucket/],
    [403, 'InvalidAccessKeyId', /refuses the credentials \(InvalidAccessKeyId\): check AWS_ACCESS_KEY_ID/],
    [403, 'SignatureDoesNotMatch', /refuses the credentials/],
    [403, 'AccessDenied', /lets these credentials not .*s3:ListBucket/],
    [400, 'AuthorizationHeaderMalformed', /is in another region .*correct \?region=/],
    [501, 'NotImplemented', /does not answer \(NotImplemented\)/],
  ])('ends the start with %i %s in words that name the setting and no key', async (status, code, words) => {
    answer = says(status, code);
    const { message } = (await fails(Bucket.open({ ...bucketAt(endpoint), startMs: 0 })))!;
    expect(message).toMatch(/^VOXGATE_FILES_URL: s3:\/\/speech-files\/voxgate\/ at 127\.0\.0\.1:\d+ /);
    expect(message).toMatch(words);
    expect(message).not.toContain(S3_KEYS.AWS_ACCESS_KEY_ID);
  });

  it('ends the start where there are no credentials', async () => {
    const kept = { ...process.env };
    for (const name of Object.keys(S3_KEYS)) delete process.env[name];
    Object.assign(process.env, {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
      AWS_CONFIG_FILE: '/nowhere',
    });
    try {
      const { message } = (await fails(Bucket.open({ ...bucketAt(endpoint), startMs: 0 })))!;
      expect(message).toMatch(/cannot be asked without credentials .*: check AWS_ACCESS_KEY_ID/);
    } finally {
      process.env = kept;
    }
  });
});
