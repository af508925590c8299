// Addresses of finished files: who may fetch them, what comes, and in which pieces.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { sendError } from '../../../src/base/error-reply.ts';
import { fromFramework } from '../../../src/base/framework-error.ts';
import { addFileRoutes } from '../../../src/http/routes/file-routes.ts';
import { createServiceAddress } from '../../../src/service/service-address.ts';
import { createFileWorkFiles } from '../../../src/storage/works/file-work-files.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const WORK = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const TEXT = '0123456789';
const NAMES = [
  'audio.mp3',
  'audio.wav',
  'audio.ogg',
  'audio.flac',
  'audio.16000.raw',
  'audio.8000.ulaw',
  'captions.vtt',
  'script.json',
  'source.bin',
];

const dataDir = scratchFolder('files');
const files = createFileWorkFiles(dataDir);
const address = createServiceAddress([Buffer.alloc(32, 7)]);
const app = Fastify();
app.setErrorHandler((thrown, _request, reply) => sendError(reply, fromFramework(thrown)));
addFileRoutes(app, { files, address, clock: systemClock });
beforeAll(async () => {
  for (const work of [WORK, OTHER])
    for (const name of NAMES) {
      const path = join(await files.scratch(work), name);
      writeFileSync(path, TEXT);
      await files.publish(work, name, path);
    }
});
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const pathOf = (name: string, work = WORK) => address.urlOf('', work, name);
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('the address of a file', () => {
  it('needs no credentials and is all that is needed', async () => {
    const { statusCode, body, headers } = await get(pathOf('audio.mp3'));
    expect([statusCode, body, headers['content-length']]).toEqual([200, TEXT, '10']);
    expect(headers).toMatchObject({
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'") as string,
      'cache-control': expect.stringContaining('private') as string,
    });
  });

  it.each([
    ['audio.mp3', 'audio/mpeg'],
    ['audio.wav', 'audio/wav'],
    ['audio.ogg', 'audio/ogg; codecs=opus'],
    ['audio.flac', 'audio/flac'],
    ['audio.16000.raw', 'audio/pcm;rate=16000;channels=1;encoding=s16le'],
    ['audio.8000.ulaw', 'audio/basic'],
    ['captions.vtt', 'text/vtt; charset=utf-8'],
    ['script.json', 'application/json; charset=utf-8'],
    ['source.bin', 'application/octet-stream'],
  ])('serves %s as %s', async (name, type) => {
    expect((await get(pathOf(name))).headers['content-type']).toBe(type);
  });

  const signatureOf = (path: string) => path.split('/')[4]!;
  const forged = {
    'another work’s signature': pathOf('audio.mp3').replace(
      signatureOf(pathOf('audio.mp3')),
      signatureOf(pathOf('audio.mp3', OTHER)),
    ),
    'another file’s signature': pathOf('audio.mp3').replace(
      signatureOf(pathOf('audio.mp3')),
      signatureOf(pathOf('source.bin')),
    ),
    'no signature': `/v1/files/${WORK}/x/audio.mp3`,
    'an empty signature': `/v1/files/${WORK}//audio.mp3`,
    'a cut signature': pathOf('audio.mp3').replace(/.(?=\/audio)/, ''),
    'a longer signature': pathOf('audio.mp3').replace('/audio', 'AAAA/audio'),
    'a signature in capitals': pathOf('audio.mp3').replace(
      signatureOf(pathOf('audio.mp3')),
      signatureOf(pathOf('audio.mp3')).toUpperCase(),
    ),
    'a file that is not there': pathOf('other.mp3'),
    'a work that is not there': pathOf('audio.mp3', '33333333-3333-4333-8333-333333333333'),
    'a path that leads out': address.urlOf('', WORK, '../../../service-secret'),
    'an id that leads out': address.urlOf('', '..', 'works'),
    'an ending zero': pathOf('audio.mp3\0'),
  };
  it.each(Object.entries(forged))('is nothing with %s', async (_what, path) => {
    const { statusCode, json } = await get(path);
    expect(statusCode).toBe(404);
    expect(JSON.stringify(json())).not.toContain(TEXT);
  });

  it('of another secret is nothing', async () => {
    const path = createServiceAddress([Buffer.alloc(32, 8)]).urlOf('', WORK, 'audio.mp3');
    expect((await get(path)).statusCode).toBe(404);
  });
});

describe('another method than GET and HEAD', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)(
    '%s is 405, whatever it brings',
    async (method) => {
      const bodies = method === 'OPTIONS' ? [{}] : [{}, { payload: 'a', headers: { 'content-type': 'a/b' } }];
      for (const url of [pathOf('audio.mp3'), pathOf('other.mp3'), `/v1/files/${WORK}/x/audio.mp3`])
        for (const body of bodies) {
          const reply = await app.inject({ method, url, ...body });
          expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
          expect(reply.json()).toMatchObject({ errorId: 'METHOD_NOT_ALLOWED' });
        }
    },
  );
});

describe('a range of a file', () => {
  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=0-', TEXT, 'bytes 0-9/10'],
    ['bytes=9-9', '9', 'bytes 9-9/10'],
    ['bytes=5-900', '56789', 'bytes 5-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-100', TEXT, 'bytes 0-9/10'],
  ])('%s is %s', async (range, body, told) => {
    const reply = await get(pathOf('audio.mp3'), { range });
    expect([reply.statusCode, reply.body]).toEqual([206, body]);
    expect(reply.headers).toMatchObject({
      'content-range': told,
      'content-length': String(body.length),
      'content-type': 'audio/mpeg',
    });
  });

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999999-'])(
    '%s is refused',
    async (range) => {
      const reply = await get(pathOf('audio.mp3'), { range });
      expect([reply.statusCode, reply.headers['content-range']]).toEqual([416, 'bytes */10']);
      expect(reply.json()).toMatchObject({ errorId: 'RANGE_NOT_SATISFIABLE' });
      expect(reply.headers['content-type']).toMatch(/json/);
      expect(Number(reply.headers['content-length'])).toBe(reply.body.length);
    },
  );

  it.each([
    ['several', 'bytes=0-0,2-2'],
    ['the wrong way round', 'bytes=5-2'],
    ['another unit', 'items=0-1'],
    ['nothing', 'bytes=-'],
    ['no numbers', 'bytes=a-b'],
    ['a fraction', 'bytes=0.5-2'],
    ['a number beyond all bounds', `bytes=0-${'9'.repeat(40)}`],
    ['an empty line', ''],
  ])('with %s is ignored', async (_what, range) => {
    const reply = await get(pathOf('audio.mp3'), { range });
    expect([reply.statusCode, reply.body, reply.headers['content-range']]).toEqual([200, TEXT, undefined]);
  });

  it('under a condition that nobody can meet is ignored', async () => {
    const reply = await get(pathOf('audio.mp3'), { range: 'bytes=2-4', 'if-range': '"v1"' });
    expect([reply.statusCode, reply.body]).toEqual([200, TEXT]);
  });
});

describe('HEAD of a file', () => {
  it('has the headers of the whole and no body, also with a range', async () => {
    for (const headers of [{}, { range: 'bytes=2-4' }, { range: 'bytes=50-' }]) {
      const reply = await app.inject({ method: 'HEAD', url: pathOf('audio.wav'), headers });
      expect([reply.statusCode, reply.body]).toEqual([200, '']);
      expect(reply.headers).toMatchObject({ 'content-length': '10', 'content-type': 'audio/wav' });
      expect(reply.headers['content-range']).toBeUndefined();
    }
  });

  it('of nothing is 404', async () => {
    expect((await app.inject({ method: 'HEAD', url: `/v1/files/${WORK}/x/audio.wav` })).statusCode).toBe(404);
  });
});
