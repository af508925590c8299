// What the engine's HTTP face takes and refuses. The speech program is a stand-in: here only the request matters.
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine-server.ts';
import { AUDIO_FORMATS } from '../../src/speech/audio-format.ts';
import { LANGUAGES } from '../../src/speech/language.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import {
  ADAM,
  ANNA,
  CREDENTIALS,
  closeEngines,
  engineForTest,
  fakeProgram,
  post,
  removeScratch,
  speechBody,
} from './engine-fixture.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await engineForTest({ command: fakeProgram() });
});
afterAll(async () => {
  await closeEngines();
  removeScratch();
});

const errorOf = async (response: Response) => {
  const body = (await response.json()) as Record<string, unknown>;
  expect(Object.keys(body).sort()).toEqual(['errorId', 'errorMessage']);
  return { status: response.status, id: body.errorId, message: String(body.errorMessage) };
};

type FieldCase = { taken: readonly unknown[]; refused: readonly unknown[]; with?: Record<string, unknown> };
const seconds = { taken: [null, 0, 20, 3600], refused: ['20', -1, 3601] };
const prompt = { taken: [null, '', 'calm'], refused: [3, ['calm']] };

/** The fields of 4.5: values just inside and just outside their bounds, of the wrong type, and null. */
const FIELDS: Record<string, FieldCase> = {
  model: {
    taken: ['VoxDialog'],
    refused: [undefined, null, 'Vox3.0-mini', 'VoxDialog-turbo', 'voxdialog', 1],
  },
  text: {
    taken: ['a', 'a'.repeat(20_000), '\u{1d4d0}'.repeat(20_000), '\u0000', '\ud800', '<speak>'],
    refused: [undefined, null, '', 'a'.repeat(20_001), 7, ['a']],
  },
  voice: { taken: [ANNA, ADAM], refused: [undefined, null, '', 'anna', `${ANNA}x`, 'x'.repeat(3000), 5] },
  voice2: { taken: [ADAM], refused: ['', 'adam', 5, null] },
  outputFormat: { taken: [null, ...AUDIO_FORMATS], refused: ['alaw', 'MP3', '', 1] },
  speed: { taken: [0.1, 1, 5], refused: [null, 0.09, 5.01, '1', true] },
  sampleRate: { taken: [8000, 22_050, 48_000], refused: [null, 7999, 48_001, 8000.5, '8000'] },
  seed: {
    taken: [null, 0, 4_294_967_295, 1_764_200_000_000, 2 ** 53, 1.5],
    refused: [-1, 2 ** 53 + 2, '1'],
  },
  temperature: { taken: [null, 0, 2], refused: [-0.01, 2.01, '1'] },
  turnPrefix: { taken: [null, 'A:', ' ', ''], refused: ['x'.repeat(201), 1], with: { turnPrefix2: 'B:' } },
  turnPrefix2: { taken: [null, 'B:', ''], refused: ['A:', ' A: ', 1], with: { turnPrefix: 'A:' } },
  prompt,
  prompt2: prompt,
  voiceConditioningSeconds: seconds,
  voiceConditioningSeconds2: seconds,
  language: { taken: [null, ...LANGUAGES], refused: ['klingon', 'English', '', 1] },
};

describe('the fields of POST /api/v1/tts/stream', () => {
  for (const [field, { taken, refused, with: others }] of Object.entries(FIELDS)) {
    it(`${field}: takes what is inside its bounds`, async () => {
      for (const value of taken) {
        const response = await post(engine, speechBody({ ...others, [field]: value }));
        expect([value, response.status]).toEqual([value, 200]);
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
      }
    });

    it(`${field}: refuses what is not, and says which field it was`, async () => {
      for (const value of refused) {
        const error = await errorOf(await post(engine, speechBody({ ...others, [field]: value })));
        expect(error).toEqual({
          status: 400,
          id: 'INVALID_REQUEST',
          message: expect.stringContaining(field),
        });
      }
    });
  }

  it('are all that there are', async () => {
    for (const field of ['quality', 'webHookUrl', 'constructor', 'Text']) {
      const error = await errorOf(await post(engine, speechBody({ [field]: 'x' })));
      expect(error).toMatchObject({
        status: 400,
        id: 'INVALID_REQUEST',
        message: expect.stringContaining(field),
      });
    }
  });

  it('name what is allowed and never repeat the text', async () => {
    const { message } = await errorOf(
      await post(engine, speechBody({ voice: 'anna', text: 'secret words' })),
    );
    expect(message).toContain('GET /api/v1/voices');
    const sampleRate = await errorOf(
      await post(engine, speechBody({ outputFormat: 'mp3', sampleRate: 9000 })),
    );
    expect(sampleRate.message).toMatch(/sampleRate: .*9000.*8000, 11025/);
    const opus = await errorOf(await post(engine, speechBody({ outputFormat: 'ogg', sampleRate: 44_100 })));
    expect(opus.message).toMatch(/sampleRate: .*44100.*8000, 12000, 16000, 24000, 48000/);
    const long = await errorOf(await post(engine, speechBody({ text: 'secret '.repeat(4000) })));
    expect(long.message).not.toContain('secret');
  });
});

describe('bodies and paths that are no request', () => {
  it('are refused in the documented shape', async () => {
    const json = (text: string) => post(engine, text).then(errorOf);
    for (const text of [
      '',
      '{',
      'null x',
      '{"__proto__": {"text": "x"}}',
      '{"constructor": {"prototype": {}}}',
    ])
      expect(await json(text)).toMatchObject({ status: 400, id: 'INVALID_JSON' });
    for (const text of ['null', '[]', '"text"', '12'])
      expect(await json(text)).toMatchObject({ status: 400, id: 'INVALID_REQUEST' });
    expect(await json(`{"text": "${'a'.repeat(300_000)}"}`)).toMatchObject({
      status: 413,
      id: 'PAYLOAD_TOO_LARGE',
    });
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'nonsense']) {
      const headers = { ...CREDENTIALS, 'content-type': type };
      const refused = await post(engine, JSON.stringify(speechBody()), { headers }).then(errorOf);
      expect(refused).toMatchObject({ status: 415, id: 'UNSUPPORTED_MEDIA_TYPE' });
    }
  });

  it('take the last of two fields of one name, as JSON.parse does, and pollute nothing', async () => {
    const text = JSON.stringify(speechBody({ voice: 'nobody' })).replace(
      /}$/,
      `,"voice":${JSON.stringify(ANNA)}}`,
    );
    expect((await post(engine, text)).status).toBe(200);
    expect(({} as Record<string, unknown>).text).toBeUndefined();
  });

  it('are 404 for an unknown path and 405 for a wrong method', async () => {
    const get = (path: string, method = 'GET') =>
      fetch(engine.url + path, { method, headers: CREDENTIALS }).then(async (response) => ({
        allow: response.headers.get('allow'),
        ...(await errorOf(response)),
      }));
    for (const path of ['/', '/api/v1/tts', '/api/v1/playnotes', '/api/v1/tts/stream/', '/API/v1/voices'])
      expect(await get(path)).toMatchObject({ status: 404, id: 'NOT_FOUND' });
    expect(await get('/api/v1/tts/stream')).toMatchObject({
      status: 405,
      id: 'METHOD_NOT_ALLOWED',
      allow: 'POST',
    });
    expect(await get('/api/v1/voices', 'DELETE')).toMatchObject({ status: 405, allow: 'GET' });
    expect(await get('/%zz')).toMatchObject({ status: 400, id: 'INVALID_REQUEST' });
  });

  it('get an answer even when they are not HTTP', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(engine.port, '127.0.0.1', () => socket.write('speak to me\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ errorId: 'INVALID_REQUEST' });
  });
});

describe('credentials', () => {
  const statusOf = async (target: Engine, headers: Record<string, string>, path = '/api/v1/voices') => {
    const response = await fetch(target.url + path, { headers });
    return {
      status: response.status,
      body: (await response.json()) as { errorId?: string; errorMessage?: string },
    };
  };

  it('are both needed even when any pair is good', async () => {
    expect((await statusOf(engine, CREDENTIALS)).status).toBe(200);
    const { authorization, 'x-user-id': userId } = CREDENTIALS;
    const without = { 'X-USER-ID': { authorization }, Authorization: { 'x-user-id': userId } };
    for (const [header, headers] of Object.entries(without)) {
      const { status, body } = await statusOf(engine, headers);
      expect([status, body.errorId]).toEqual([401, 'UNAUTHORIZED']);
      expect(body.errorMessage).toContain(header);
    }
    for (const wrong of ['Bearer', 'Bearer ', 'Basic abc', 'key-1', 'Bearer two words'])
      expect((await statusOf(engine, { authorization: wrong, 'x-user-id': userId })).status).toBe(401);
    expect((await statusOf(engine, { authorization, 'x-user-id': ' ' })).status).toBe(401);
    expect(
      (await post(engine, speechBody(), { headers: { 'content-type': 'application/json' } })).status,
    ).toBe(401);
  });

  it('must belong together when keys are set, and cannot be gone around by spelling the path otherwise', async () => {
    const keys = [
      { userId: 'user-1', apiKey: 'key-1' },
      { userId: 'user-2', apiKey: 'key-2' },
    ];
    const closed = await engineForTest({ command: fakeProgram(), keys });
    expect((await statusOf(closed, { authorization: 'bearer key-2', 'x-user-id': 'user-2' })).status).toBe(
      200,
    );
    expect((await statusOf(closed, { authorization: 'Bearer key-2', 'x-user-id': 'user-1' })).status).toBe(
      401,
    );
    expect((await statusOf(closed, { authorization: 'Bearer key-3', 'x-user-id': 'user-3' })).status).toBe(
      401,
    );
    const spelt = await new Promise<number | undefined>((resolve, reject) => {
      const call = httpRequest(
        { port: closed.port, host: '127.0.0.1', path: '/%61pi/v1/voices' },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      call.on('error', reject).end();
    });
    expect(spelt).toBe(401);
  });

  it('are not needed to see that the engine lives', async () => {
    expect(await statusOf(engine, {}, '/livez')).toEqual({ status: 200, body: { status: 'ok' } });
  });
});

describe('the request limit of a key', () => {
  it('refuses with Retry-After until the window is over, for this key alone', async () => {
    const clock = createFakeClock();
    const keys = [
      { userId: 'user-1', apiKey: 'key-1', perMinute: 2 },
      { userId: 'user-2', apiKey: 'key-2', perMinute: 0 },
    ];
    const limited = await engineForTest({ command: fakeProgram(), keys, clock });
    const call = async (headers = CREDENTIALS) => {
      const response = await post(limited, speechBody(), {
        headers: { ...headers, 'content-type': 'application/json' },
      });
      await response.arrayBuffer();
      const state = ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`ratelimit-${name}`));
      return [response.status, response.headers.get('retry-after'), ...state];
    };
    expect(await call()).toEqual([200, null, '2', '1', '60']);
    clock.advance(20_500);
    expect(await call()).toEqual([200, null, '2', '0', '40']);
    expect(await call()).toEqual([429, '40', '2', '0', '40']);
    const other = { authorization: 'Bearer key-2', 'x-user-id': 'user-2' };
    expect(await call(other)).toEqual([200, null, null, null, null]);
    clock.advance(39_499);
    expect(await call()).toEqual([429, '1', '2', '0', '1']);
    clock.advance(1);
    expect(await call()).toEqual([200, null, '2', '1', '60']);
  });
});

describe('GET /api/v1/voices', () => {
  it('lists ids that the stream takes, the defaults first of their gender', async () => {
    const response = await fetch(`${engine.url}/api/v1/voices`, { headers: CREDENTIALS });
    const voices = (await response.json()) as { id: string; gender: string }[];
    expect(Object.keys(voices[0]!)).toEqual(['id', 'name', 'gender', 'language', 'description']);
    expect(voices.find((voice) => voice.gender === 'Female')!.id).toBe(ANNA);
    expect(voices.find((voice) => voice.gender === 'Male')!.id).toBe(ADAM);
    for (const { id } of voices)
      expect((await post(engine, speechBody({ voice: id, text: 'a' }))).status).toBe(200);
  });
});
