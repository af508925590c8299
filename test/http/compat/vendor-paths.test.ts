// What the routes of all vendors share: other methods, limits by key, the loopback guard, the document, and their end.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../../src/app/start.ts';
import { startRunningGateway } from '../../support/running-gateway.ts';
import { credentialsOf, keyOf, VOICE } from '../../support/running-service.ts';
import { accepted } from '../../support/settings.ts';
import { startVendorRig, type VendorRig } from './vendor-rig.ts';

const OUTPUT = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 8000 };
const ROUTES: readonly (readonly [path: string, body: object])[] = [
  ['/v1/audio/speech', { input: 'Hello.', voice: VOICE }],
  ['/v1/text-to-speech/anna/stream', { text: 'Hello.' }],
  ['/v1/text-to-dialogue', { inputs: [{ text: 'Hello.', voice_id: VOICE }] }],
  ['/v1/speak', { text: 'Hello.' }],
  ['/v2/speak', { text: 'Hello.' }],
  ['/tts/bytes', { transcript: 'Hello.', voice: VOICE, output_format: OUTPUT }],
  ['/tts/sse', { transcript: 'Hello.', voice: VOICE, output_format: OUTPUT }],
  ['/jambonz/tts', { text: 'Hello.' }],
];

describe('a path of another vendor', () => {
  let rig: VendorRig;
  beforeAll(async () => {
    rig = await startVendorRig({ authorization: `Bearer ${keyOf('ann')}` });
  });
  afterAll(() => rig?.close());

  it('answers other methods with 405 and those that it has, upgrades’ paths too', async () => {
    const key = { authorization: `Bearer ${keyOf('ann')}` };
    for (const path of [...ROUTES.map(([path]) => path), '/v1/text-to-speech/s3%3A%2F%2Fa/stream-input'])
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const response = await fetch(rig.service.url + path, { method, headers: key });
        expect([response.status, response.headers.get('allow')], `${method} ${path}`).toEqual([405, 'POST']);
        expect(response.headers.get('content-type')).toMatch(/json/);
      }
    const voices = await rig.post('/v1/voices', {});
    expect([voices.status, voices.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await rig.post('/v1/audio/music', {})).status).toBe(404);
  });

  it('is not there in a gateway that is not the service', async () => {
    const { config } = accepted({
      env: { VOXGATE_PORT: '0', VOXGATE_UPSTREAM_URL: 'http://127.0.0.1:9', VOXGATE_UPSTREAM_KEYS: 'a:b' },
    });
    const quiet = () => {};
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const gateway = await startGateway({ config, log, version: '0', service: 'off' });
    for (const [path] of ROUTES)
      expect((await fetch(gateway.url + path, { method: 'POST' })).status, path).toBe(404);
    await gateway.stop(0);
  });

  it('has an id for every reply', async () => {
    for (const [path, body] of ROUTES) {
      const { headers } = await rig.post(path, body);
      const ids = ['x-request-id', 'request-id', 'dg-request-id'].flatMap((name) => headers.get(name) ?? []);
      expect([...new Set(ids)], path).toEqual([
        expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      ]);
    }
  });

  it('is not in the document of the service', async () => {
    const document = await (await fetch(`${rig.service.url}/openapi.json`)).text();
    for (const [path] of ROUTES) expect(document).not.toContain(`"${path}`);
  });

  it('counts under the limit of its key, together with the service’s own routes', async () => {
    const limited = await startVendorRig(
      { authorization: `Bearer ${keyOf('ann')}` },
      { VOXGATE_MAKE_PER_MINUTE: String(ROUTES.length + 1) },
    );
    const own = () =>
      limited.post(
        '/api/v1/tts/stream',
        { model: 'VoxDialog', text: 'Hello.', voice: VOICE },
        { headers: credentialsOf('ann') },
      );
    for (const [path, body] of ROUTES) expect((await limited.post(path, body)).status).toBe(200);
    expect((await own()).status).toBe(200);
    expect((await own()).status).toBe(429);
    for (const [path, body] of ROUTES) {
      const response = await limited.post(path, body);
      expect(response.status, path).toBe(429);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const other = { headers: { authorization: `Bearer ${keyOf('bob')}` } };
    expect((await limited.post('/v1/speak', { text: 'Hello.' }, other)).status).toBe(200);
    await limited.close();
  });

  it('serves this machine alone without keys, whatever key it is given', async () => {
    const gateway = await startRunningGateway();
    const post = (path: string, body: object, headers: Record<string, string>) =>
      fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    for (const [path, body] of ROUTES) {
      expect((await post(path, body, {})).status, path).toBe(200);
      expect((await post(path, body, { authorization: 'Bearer any' })).status, path).toBe(200);
      const proxied = await post(path, body, { 'x-forwarded-for': '192.0.2.1' });
      expect(proxied.status, path).toBe(403);
    }
    await gateway.close();
  });
});
