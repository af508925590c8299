import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { sendError } from '../../../src/base/error-reply.ts';
import { fromFramework } from '../../../src/base/framework-error.ts';
import { refuseOtherMethods } from '../../../src/http/server/other-methods.ts';

const app = Fastify();
app.setErrorHandler((thrown, _request, reply) => sendError(reply, fromFramework(thrown)));
const methods = refuseOtherMethods(app);
app.get('/things/:id', () => 'a thing');
app.delete('/things/:id', () => 'gone');
app.post('/things', () => 'made');
methods.close();
app.get('/later', () => 'later');

const ask = async (method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string) => {
  const { statusCode, headers } = await app.inject({ method, url });
  return [statusCode, headers.allow];
};

describe('a method that a path has not', () => {
  it('is answered with 405 and those that it has, for paths with parameters, too', async () => {
    expect(await ask('PATCH', '/things/1')).toEqual([405, 'DELETE, GET, HEAD']);
    expect(await ask('POST', '/things/1')).toEqual([405, 'DELETE, GET, HEAD']);
    expect(await ask('GET', '/things')).toEqual([405, 'POST']);
    expect(await ask('HEAD', '/things')).toEqual([405, 'POST']);
  });

  it('leaves those alone that it has', async () => {
    for (const [method, url] of [
      ['GET', '/things/1'],
      ['HEAD', '/things/1'],
      ['DELETE', '/things/1'],
      ['POST', '/things'],
    ] as const)
      expect(await ask(method, url)).toEqual([200, undefined]);
  });

  it('is not its business on paths that came later', async () => {
    expect(await ask('PUT', '/later')).toEqual([404, undefined]);
  });

  it('tells what is wrong in the shape of every refusal', async () => {
    const { body } = await app.inject({ method: 'PUT', url: '/things/1' });
    expect(JSON.parse(body)).toEqual({
      errorId: 'METHOD_NOT_ALLOWED',
      errorMessage: 'This path is for DELETE, GET, HEAD; use one of them.',
    });
  });
});
