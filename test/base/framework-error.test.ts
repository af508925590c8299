import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { sendError } from '../../src/base/error-reply.ts';
import { fromFramework } from '../../src/base/framework-error.ts';

const app = Fastify({ bodyLimit: 1000 });
app.setErrorHandler((thrown, request, reply) => sendError(reply, fromFramework(thrown, request)));
app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
app.post('/', async () => 'taken');
app.post('/large', { bodyLimit: 2000 }, async () => 'taken');

it.each([
  ['/', 'application/json', 1001, 'body: must have at most 1000 bytes (got 1001); send less at a time'],
  ['/large', 'application/json', 3000, 'body: must have at most 2000 bytes (got 3000); send less at a time'],
  [
    '/large',
    'multipart/form-data; boundary=x',
    3000,
    '2000 bytes (got 3000); the operator raises VOXGATE_SOURCE_BYTES',
  ],
])('a body that is too large for %s as %s is told the bound', async (url, type, bytes, words) => {
  const payload = `"${'x'.repeat(bytes - 2)}"`;
  const reply = await app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload });
  expect([reply.statusCode, reply.json()]).toEqual([
    413,
    { errorId: 'PAYLOAD_TOO_LARGE', errorMessage: expect.stringContaining(words) },
  ]);
});
