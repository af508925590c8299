import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createMetrics } from '../../../src/base/metrics.ts';
import { createHttpServer, type HttpServerOptions } from '../../../src/http/server/http-server.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createSelfSigned, type SelfSigned } from '../../support/self-signed.ts';

let files: SelfSigned;
beforeAll(() => {
  files = createSelfSigned();
});
afterAll(() => files.remove());

const serverOf = (kind: 'plain' | 'TLS', options: Partial<HttpServerOptions> = {}) =>
  createHttpServer({
    clock: createFakeClock(),
    log: silentLog,
    metrics: createMetrics(),
    tls: kind === 'TLS' ? { cert: files.cert, key: files.key } : undefined,
    maxSockets: 123,
    loopbackOnly: true,
    access: { adminKey: undefined, offeredBy: undefined },
    notReady: () => undefined,
    exposeMetrics: () => 'metrics',
    asyncApi: () => ({}),
    ...options,
  });
const LOCAL = { host: '127.0.0.1' };

describe.each(['plain', 'TLS'] as const)('the HTTP server, %s', (kind) => {
  it('gives slow peers seconds to send their headers, not minutes', () => {
    const { server } = serverOf(kind);
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 2000,
    });
  });

  it('bounds sockets, and headers by their bytes alone', () => {
    const { server } = serverOf(kind);
    expect(server).toMatchObject({ maxConnections: 123, maxHeadersCount: 0 });
  });

  it('answers HEAD like GET, and another method with 405', async () => {
    const app = serverOf(kind);
    expect((await app.inject({ method: 'HEAD', url: '/livez', headers: LOCAL })).statusCode).toBe(200);
    const refused = await app.inject({ method: 'POST', url: '/livez?x=1', headers: LOCAL });
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(refused.json()).toMatchObject({ errorId: 'METHOD_NOT_ALLOWED' });
  });

  it('tells a path that is not percent-encoded UTF-8 in our codes, too', async () => {
    const app = serverOf(kind);
    app.post('/take/*', () => ({}));
    for (const url of ['/take/%ff', '/take/100%/more', '/%'])
      for (const method of ['GET', 'POST'] as const) {
        const refused = await app.inject({ method, url, headers: LOCAL });
        expect([refused.statusCode, refused.json()]).toMatchObject([400, { errorId: 'INVALID_REQUEST' }]);
      }
  });

  it('tells a body that is too large or of another type in our codes', async () => {
    const app = serverOf(kind);
    app.post('/take', () => ({}));
    const post = (payload: string, type: string) =>
      app.inject({ method: 'POST', url: '/take', headers: { ...LOCAL, 'content-type': type }, payload });
    expect((await post('x'.repeat(300_000), 'application/json')).json()).toMatchObject({
      errorId: 'PAYLOAD_TOO_LARGE',
    });
    expect((await post('<a/>', 'text/xml')).json()).toMatchObject({ errorId: 'UNSUPPORTED_MEDIA_TYPE' });
    expect((await post('{', 'application/json')).json()).toMatchObject({ errorId: 'INVALID_JSON' });
  });

  it('tells a plain request to a WebSocket what it is', async () => {
    const app = serverOf(kind, { isWebSocketPath: (path) => path === '/v1/session' });
    const reply = await app.inject({ method: 'GET', url: '/v1/session?format=raw', headers: LOCAL });
    expect([reply.statusCode, reply.headers.upgrade]).toEqual([426, 'websocket']);
    expect(reply.json()).toMatchObject({ errorId: 'UPGRADE_REQUIRED' });
    const elsewhere = await app.inject({ method: 'GET', url: '/v1/sess', headers: LOCAL });
    expect(elsewhere.json()).toMatchObject({ errorId: 'NOT_FOUND' });
  });
});
