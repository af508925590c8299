// Forms of POST /api/v1/playnotes that lie, break off or try to be more than a form. Whatever comes, the answer says
// what was wrong, and nothing of it stays on disk.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { END, fieldPart, filePart, postRawForm, type RawForm, rawPart } from '../../support/raw-form.ts';
import { type RunningService, startRunningService, VOICE } from '../../support/running-service.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { silence } from '../../support/scripted-upstream.ts';

const MAX_BYTES = 64 * 1024;
const TEXT = 'The tide turns twice a day. The moon pulls the sea. Ships wait for high water.';
const fields = [
  fieldPart('synthesisStyle', 'podcast'),
  fieldPart('voice1', VOICE),
  fieldPart('voice1Name', 'Anna'),
];
const file = filePart('sourceFile', 'filename="a.txt"', TEXT);

let service: RunningService;
const dataDir = scratchFolder('uploads');
const works = () =>
  existsSync(join(dataDir, 'works'))
    ? readdirSync(join(dataDir, 'works')).filter((name) => name !== 'folder-id')
    : [];
const post = (form: RawForm) => postRawForm(`${service.url}/api/v1/playnotes`, form);
const told = async (form: RawForm) => {
  const answer = await post(form);
  const body = JSON.parse(answer?.text ?? '{}') as Record<string, string>;
  return { ...body, status: answer?.status } as {
    status: number;
    errorId?: string;
    errorMessage?: string;
  } & Record<string, unknown>;
};

beforeAll(async () => {
  service = await startRunningService({
    script: silence,
    env: {
      VOXGATE_DATA_DIR: dataDir,
      VOXGATE_SOURCE_BYTES: String(MAX_BYTES),
      VOXGATE_WORKS_AT_ONCE: '1',
      VOXGATE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '60000',
    },
  });
  // One job is never answered, so that no PlayNote begins.
  await service.ask('POST', '/api/v1/tts', { user: 'bob', json: { text: 'job', voice: VOICE } });
  for (let tries = 0; works().length === 0 && tries < 200; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
});
afterAll(async () => {
  await service?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Files of the job stay; of forms there is nothing once the server has seen their end. */
afterEach(async () => {
  const endMs = performance.now() + 5000;
  while (works().length > 1 && performance.now() < endMs)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(works().length).toBe(1);
});

describe('a form is refused', () => {
  it.each<[string, number, string, RegExp, RawForm]>([
    [
      'with a file that is too large',
      413,
      'PAYLOAD_TOO_LARGE',
      /^sourceFile: /,
      {
        chunks: [...fields, filePart('sourceFile', 'filename="a.txt"', Buffer.alloc(MAX_BYTES + 1, 97)), END],
      },
    ],
    [
      'with two files',
      400,
      'INVALID_REQUEST',
      /^sourceFile: given twice/,
      { chunks: [...fields, file, file, END] },
    ],
    [
      'with three files',
      400,
      'INVALID_REQUEST',
      /^sourceFile: given twice/,
      { chunks: [...fields, file, file, file, END] },
    ],
    [
      'with a file in another field',
      400,
      'INVALID_REQUEST',
      /^voice1: is no field for a file/,
      { chunks: [filePart('voice1', 'filename="a"', 'x'), END] },
    ],
    [
      'with a file in a field that there is not',
      400,
      'INVALID_REQUEST',
      /^other: is no field for a file/,
      { chunks: [...fields, filePart('other', 'filename="a"', 'x'), END] },
    ],
    [
      'with a field twice',
      400,
      'INVALID_REQUEST',
      /^voice1: given twice/,
      { chunks: [...fields, fieldPart('voice1', 'voice://b'), file, END] },
    ],
    [
      'with a field that there is not',
      400,
      'INVALID_REQUEST',
      /colour/,
      { chunks: [...fields, fieldPart('colour', 'red'), file, END] },
    ],
    [
      'with the file as a field',
      400,
      'INVALID_REQUEST',
      /sourceFile/,
      { chunks: [...fields, fieldPart('sourceFile', TEXT), END] },
    ],
    [
      'with a huge field',
      400,
      'INVALID_REQUEST',
      /^voice1Name: must have at most 65536 bytes/,
      { chunks: [fieldPart('voice1Name', 'a'.repeat(70_000)), ...fields.slice(0, 2), file, END] },
    ],
    [
      'with too many fields',
      400,
      'INVALID_REQUEST',
      /^form: must have at most 50 fields/,
      { chunks: [...Array.from({ length: 60 }, (_, n) => fieldPart(`f${n}`, 'x')), END] },
    ],
    [
      'with a field called __proto__',
      400,
      'INVALID_REQUEST',
      /name that is not allowed|__proto__/,
      { chunks: [...fields, fieldPart('__proto__', 'x'), file, END] },
    ],
    [
      'with a field called constructor',
      400,
      'INVALID_REQUEST',
      /name that is not allowed|constructor/,
      { chunks: [...fields, fieldPart('constructor', 'x'), file, END] },
    ],
    [
      'with a field called toString',
      400,
      'INVALID_REQUEST',
      /name that is not allowed|toString/,
      { chunks: [...fields, fieldPart('toString', 'x'), file, END] },
    ],
    [
      'with a field without a name',
      400,
      'INVALID_REQUEST',
      /./,
      { chunks: [...fields, fieldPart('', 'x'), file, END] },
    ],
    ['with nothing in it', 400, 'INVALID_REQUEST', /./, { chunks: [END] }],
    ['that is empty', 400, 'INVALID_REQUEST', /./, { chunks: [] }],
    [
      'that ends in the middle of the file',
      400,
      'INVALID_REQUEST',
      /ends too soon/,
      { chunks: [...fields, file.subarray(0, -20)] },
    ],
    [
      'that ends in the middle of a field',
      400,
      'INVALID_REQUEST',
      /ends too soon/,
      { chunks: [file, fields[0]!.subarray(0, -4)] },
    ],
    ['that ends in a header', 400, 'INVALID_REQUEST', /./, { chunks: [file, fields[0]!.subarray(0, 30)] }],
    [
      'without its boundary',
      400,
      'INVALID_REQUEST',
      /./,
      { chunks: [...fields, file, END], contentType: 'multipart/form-data' },
    ],
    [
      'with another boundary',
      400,
      'INVALID_REQUEST',
      /./,
      { chunks: [...fields, file, END], contentType: 'multipart/form-data; boundary=other' },
    ],
    [
      'with a field that is a JSON object',
      400,
      'INVALID_REQUEST',
      /^voice1: /,
      {
        chunks: [
          rawPart(
            ['Content-Disposition: form-data; name="voice1"', 'Content-Type: application/json'],
            '{"a":1}',
          ),
          END,
        ],
      },
    ],
    [
      'with a field that is no JSON and says so',
      400,
      'INVALID_REQUEST',
      /JSON/,
      {
        chunks: [
          rawPart(['Content-Disposition: form-data; name="voice1"', 'Content-Type: application/json'], '{'),
          END,
        ],
      },
    ],
    ['that is no form', 400, 'INVALID_REQUEST', /./, { chunks: [Buffer.from('{"voice1":"a"}')] }],
    [
      'of another media type',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      /multipart/,
      { chunks: [...fields, END], contentType: 'multipart/mixed; boundary=x' },
    ],
  ])('%s', async (_what, status, errorId, message, form) => {
    const answer = await told(form);
    expect([answer.status, answer.errorId]).toEqual([status, errorId]);
    expect(answer.errorMessage).toMatch(message);
  });

  it('that is cut off, and the next one is taken', async () => {
    const half = {
      chunks: [...fields, file.subarray(0, -30)],
      contentLength: 100_000,
      ending: 'cut' as const,
    };
    expect(await post(half)).toBeUndefined();
    const whole = await told({ chunks: [...fields, file, END] });
    expect(whole.status).toBe(201);
    expect((await service.ask('DELETE', `/api/v1/playnotes/${String(whole.id)}`)).status).toBe(204);
  });
});

describe('a form is taken', () => {
  const takes = async (form: RawForm) => {
    const answer = await told(form);
    expect(answer.status, JSON.stringify(answer)).toBe(201);
    const source = await fetch(answer.sourceFileUrl as string);
    const body = await source.text();
    expect(source.headers.get('content-type')).toBe('application/octet-stream');
    expect((await service.ask('DELETE', `/api/v1/playnotes/${String(answer.id)}`)).status).toBe(204);
    return { body, name: answer.name as string, url: answer.sourceFileUrl as string };
  };

  it('byte by byte', async () => {
    const bytes = Buffer.concat([...fields, file, END]);
    const chunks = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
    expect((await takes({ chunks })).body).toBe(TEXT);
  });

  it('with the file first, and of the largest size', async () => {
    const most = 'a'.repeat(MAX_BYTES);
    expect(
      (await takes({ chunks: [filePart('sourceFile', 'filename="a.txt"', most), ...fields, END] })).body,
    ).toBe(most);
  });

  it.each([
    ['../../../../etc/passwd'],
    ['..\\..\\boot.ini'],
    ['/etc/passwd'],
    ['a/../../b.txt'],
    ['.htaccess'],
    ['CON'],
    ['a\u0000.txt'],
    ['<script>alert(1)</script>.html'],
    ['n'.repeat(3000)],
    ["filename*=UTF-8''..%2F..%2Fx"],
  ])('with the filename %s, which names no path of ours', async (name) => {
    const disposition = name.startsWith('filename*') ? name : `filename="${name}"`;
    const {
      body,
      name: shown,
      url,
    } = await takes({ chunks: [...fields, filePart('sourceFile', disposition, TEXT), END] });
    expect(body).toBe(TEXT);
    expect(shown.length).toBeLessThanOrEqual(255);
    expect(url).toMatch(/\/v1\/files\/[\da-f-]{36}\/[\w-]{22}\/source\.bin$/);
  });

  it('whose file says it is a page, without ever being shown as one', async () => {
    const html = rawPart(
      ['Content-Disposition: form-data; name="sourceFile"; filename="a.html"', 'Content-Type: text/html'],
      '<script>alert(1)</script>',
    );
    expect((await takes({ chunks: [...fields, html, END] })).body).toContain('<script>');
  });

  it('twice with one Idempotency-Key as one PlayNote, and another form with it as none', async () => {
    const ask = (name: string) =>
      service.ask('POST', '/api/v1/playnotes', {
        headers: { 'idempotency-key': 'the-same' },
        form: { synthesisStyle: 'debate', voice1: VOICE, voice1Name: name, sourceFile: new Blob([TEXT]) },
      });
    const [first, again] = [await ask('Anna'), await ask('Anna')];
    expect([first.status, again.status, again.json.id]).toEqual([201, 201, first.json.id]);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const other = await ask('Ben');
    expect([other.status, other.json.errorId]).toEqual([422, 'IDEMPOTENCY_CONFLICT']);
    await service.ask('DELETE', `/api/v1/playnotes/${first.json.id}`);
  });
});
