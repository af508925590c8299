// What the page may do, how long its files may be kept, what it is told of the gateway; and that sources are not served.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createMetrics } from '../../../src/base/metrics.ts';
import {
  addPlaygroundRoutes,
  type PlaygroundRoutesOptions,
} from '../../../src/http/routes/playground-routes.ts';
import { createHttpServer } from '../../../src/http/server/http-server.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const INDEX = '<meta name="voxgate-gateway" content="" /><script src="./assets/page-1.js"></script>';
function builtPage(): string {
  const folder = scratchFolder('page');
  folders.push(folder);
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'assets/page-1.js'), 'run()');
  return folder;
}

function serve(options: Partial<PlaygroundRoutesOptions>) {
  const app = createHttpServer({
    clock: createFakeClock(),
    log: silentLog,
    metrics: createMetrics(),
    tls: undefined,
    maxSockets: 10,
    loopbackOnly: options.wants !== 'keys',
    access: { adminKey: undefined, offeredBy: undefined },
    notReady: () => undefined,
    exposeMetrics: () => '',
    asyncApi: () => ({}),
  });
  const state = addPlaygroundRoutes(app, {
    folder: builtPage(),
    publicUrl: undefined,
    wants: 'nothing',
    ...options,
  });
  const get = (url: string, host = 'localhost:8080') => app.inject({ method: 'GET', url, headers: { host } });
  return { app, state, get };
}

describe('the page', () => {
  it('may run its own files and reach its own gateway, and is asked for anew each time', async () => {
    const { state, get } = serve({});
    const { statusCode, headers, body } = await get('/');
    expect([state, statusCode]).toEqual(['served', 200]);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy[0]).toBe("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self' ws://localhost:8080 wss://localhost:8080");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|\*|data:|blob:/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(body).toContain('./assets/page-1.js');
  });

  it('has files that may be kept for ever, and no others', async () => {
    const { get } = serve({});
    const { statusCode, headers, body } = await get('/assets/page-1.js');
    expect([statusCode, body]).toEqual([200, 'run()']);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    for (const path of ['/assets/other.js', '/assets/..%2Findex.html', '/assets/%2e%2e%2findex.html'])
      expect((await get(path)).statusCode).toBe(404);
  });

  it('is told what the gateway has and wants', async () => {
    const { app, get } = serve({ wants: 'keys', publicUrl: 'https://voice.example.com' });
    app.get('/v1/pool', () => ({}));
    app.get('/v1/operator', () => ({}));
    const { headers, body } = await get('/', 'inside:8080');
    const [, offer] = /name="voxgate-gateway" content="([^"]*)"/.exec(body)!;
    expect(offer!.split(' ').slice(0, 3)).toEqual(['keys', 'pool', 'operator']);
    expect(offer).not.toContain('sessions');
    expect(headers['content-security-policy']).toContain('wss://voice.example.com');
  });

  it('does not put into its policy what is no host', async () => {
    const { get } = serve({ wants: 'keys' });
    expect((await get('/', "a; script-src 'unsafe-inline'")).statusCode).toBe(400);
  });

  it('is not there when it has not been built, and says how to build it', async () => {
    const folder = new URL('../../../src/playground', import.meta.url).pathname;
    const { state, get } = serve({ folder });
    const answer = await get('/');
    expect([state, answer.statusCode]).toEqual(['not-built', 404]);
    expect(answer.json()).toMatchObject({ errorId: 'NOT_FOUND' });
    expect(answer.json().errorMessage).toContain('npm run build');
  });
});
