// Interface 4.6 and 5 to 9: agents, credentials, events, errors, limits and the version.

import { request } from 'node:http';
import { expect } from 'vitest';
import { credentialsOf, keyOf, VOICE } from '../../support/running-service.ts';
import type { Contract, ContractRow } from './contract-row.ts';

const ID = '00000000-0000-4000-8000-000000000000';
/** Every endpoint of section 4. */
const ENDPOINTS: readonly (readonly [string, string])[] = [
  ['GET', `/api/v1/playnotes/${ID}`],
  ['GET', '/api/v1/playnotes'],
  ['POST', '/api/v1/playnotes'],
  ['POST', '/api/v1/tts'],
  ['POST', '/api/v1/tts/stream'],
  ['POST', '/api/v1/agents'],
  ['PATCH', `/api/v1/agents/${ID}`],
  ['GET', `/api/v1/agents/${ID}`],
  ['GET', `/api/v1/agent-stats/${ID}`],
];

type Told = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: string };

/** Headers line by line, also such as fetch would join. */
const askRaw = (origin: string, method: string, path: string, headers: readonly string[]): Promise<Told> =>
  new Promise((resolve, reject) => {
    const asked = request(new URL(path, origin), { method }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }));
    });
    const lines: Record<string, string[]> = {};
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!.toLowerCase();
      lines[name] = [...(lines[name] ?? []), headers[at + 1]!];
    }
    for (const [name, values] of Object.entries(lines)) asked.setHeader(name, values);
    asked.on('error', reject);
    asked.end();
  });

const BEARER = ['Authorization', `Bearer ${keyOf('eve')}`];
const USER = ['X-USER-ID', 'eve'];
const NOBODY: Readonly<Record<string, readonly string[]>> = {
  'no header': [],
  'no X-USER-ID': BEARER,
  'no Authorization': USER,
  'an empty X-USER-ID': [...BEARER, 'X-USER-ID', ''],
  'an X-USER-ID of spaces': [...BEARER, 'X-USER-ID', '   '],
  'an empty Authorization': ['Authorization', '', ...USER],
  'a bearer without a key': ['Authorization', 'Bearer', ...USER],
  'a key without Bearer': ['Authorization', keyOf('eve'), ...USER],
  'another scheme': ['Authorization', `Basic ${keyOf('eve')}`, ...USER],
  'two keys in a line': ['Authorization', `Bearer ${keyOf('eve')} ${keyOf('ann')}`, ...USER],
  'an unknown key': ['Authorization', 'Bearer nobodys', ...USER],
  'a key in other letters': ['Authorization', `Bearer ${keyOf('eve').toUpperCase()}`, ...USER],
  'the key of another user': ['Authorization', `Bearer ${keyOf('ann')}`, ...USER],
  'an unknown user': [...BEARER, 'X-USER-ID', 'nobody'],
  'Authorization twice': [...BEARER, ...BEARER, ...USER],
  'X-USER-ID twice': [...BEARER, ...USER, ...USER],
  'an X-USER-ID of 1000 characters': [...BEARER, 'X-USER-ID', 'e'.repeat(1000)],
};

const limitRow = (
  section: string,
  method: string,
  perMinute: number,
  pathOf: (id: string) => string,
  json: (n: number) => unknown,
): ContractRow => ({
  section,
  says: `${perMinute} requests in 60 s by key, then 429 with the time to wait`,
  check: async ({ service }: Contract) => {
    const made = await service.ask('POST', '/api/v1/agents', { user: 'fay', json: { name: 'Of Fay' } });
    expect(made.status).toBe(201);
    const path = pathOf(String(made.json.id));
    const ask = (n: number) =>
      service.ask(method, path, { user: 'eve', ...(json(n) === undefined ? {} : { json: json(n) }) });
    const answers = [];
    for (let n = 1; n <= perMinute; n += 1) answers.push(await ask(n));
    expect(answers.filter(({ status }) => status === 429)).toEqual([]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-limit'))).toEqual(
      answers.map(() => String(perMinute)),
    );
    expect(answers.map(({ headers }) => Number(headers.get('ratelimit-remaining')))).toEqual(
      answers.map((_, index) => perMinute - 1 - index),
    );
    const refused = await ask(perMinute + 1);
    expect([refused.status, refused.json.errorId]).toEqual([429, 'RATE_LIMITED']);
    expect(Object.keys(refused.json).sort()).toEqual(['errorId', 'errorMessage']);
    for (const name of ['retry-after', 'ratelimit-reset']) {
      const seconds = Number(refused.headers.get(name));
      expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${name}: ${seconds}`).toBe(true);
    }
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    // The limit is the key's: another one is not held up.
    expect(
      (await service.ask(method, path, { user: 'fay', json: json(0) ?? undefined })).status,
    ).toBeLessThan(300);
  },
});

export const serviceRows: readonly ContractRow[] = [
  ...Object.entries(NOBODY).map(
    ([what, headers]): ContractRow => ({
      section: '5 both headers',
      says: `401 for ${what}, at every endpoint`,
      check: async ({ service }) => {
        const told = await Promise.all(
          ENDPOINTS.map(([method, path]) => askRaw(service.url, method, path, headers)),
        );
        for (const { status, headers: replied, body } of told) {
          expect([status, replied['www-authenticate']]).toEqual([401, 'Bearer']);
          const { errorId, errorMessage, ...rest } = JSON.parse(body) as Record<string, string>;
          expect([errorId, rest]).toEqual(['UNAUTHORIZED', {}]);
          expect(errorMessage).not.toContain('key-of');
        }
      },
    }),
  ),
  {
    section: '5 Authorization',
    says: 'is "Bearer KEY", the scheme in any case',
    check: async ({ service }) => {
      for (const line of [`Bearer ${keyOf('eve')}`, `bearer ${keyOf('eve')}`, `BEARER  ${keyOf('eve')}`])
        expect(
          (await askRaw(service.url, 'GET', '/api/v1/playnotes', ['AUTHORIZATION', line, ...USER])).status,
        ).toBe(200);
    },
  },
  {
    section: '5 X-USER-ID',
    says: 'is the id of the user whose key it is',
    check: async ({ service }) => {
      const told = await askRaw(service.url, 'GET', '/api/v1/playnotes', [...BEARER, 'x-user-id', 'eve']);
      expect(told.status).toBe(200);
    },
  },
  {
    section: '6 webHookUrl',
    says: 'of a job and of a PlayNote receives progress and the end',
    check: ({ lived }) => {
      const told = lived.told.map(({ body }) => body as { type: string; data: Record<string, unknown> });
      const types = told.map(({ type }) => type);
      for (const type of ['tts.completed', 'playnote.progress', 'playnote.completed', 'playnote.failed'])
        expect(types).toContain(type);
      expect(told.find(({ type }) => type === 'playnote.completed')!.data).toMatchObject({
        id: lived.playNote.ended.json.id,
        status: 'completed',
        audioUrl: lived.playNote.ended.json.audioUrl,
      });
    },
  },
  {
    section: '7 body',
    says: 'of every refusal is errorMessage and errorId, both strings',
    check: async ({ service }) => {
      const refusals = await Promise.all([
        service.ask('POST', '/api/v1/tts', { json: {} }),
        service.ask('POST', '/api/v1/tts/stream', { json: { model: 'x' } }),
        service.ask('GET', `/api/v1/tts/${ID}`),
        service.ask('PUT', '/api/v1/tts'),
        service.ask('GET', '/api/v1/nothing'),
        service.ask('GET', '/api/v1/tts?limit=0'),
        service.ask('POST', '/api/v1/playnotes', { json: {} }),
      ]);
      expect(refusals.map(({ status }) => status)).toEqual([400, 400, 404, 405, 404, 400, 415]);
      for (const { json } of refusals) {
        expect(Object.keys(json).sort()).toEqual(['errorId', 'errorMessage']);
        expect([typeof json.errorId, typeof json.errorMessage]).toEqual(['string', 'string']);
      }
    },
  },
  {
    section: '4.6 agents',
    says: 'are made, read, changed and counted',
    check: async ({ service }) => {
      const asked = { user: 'dan' };
      const profile = { name: 'Desk', voice: VOICE, speed: 1.25, greeting: 'Good day.' };
      const made = await service.ask('POST', '/api/v1/agents', { ...asked, json: profile });
      expect(made.status).toBe(201);
      expect(made.json).toMatchObject(profile);
      const path = `/api/v1/agents/${made.json.id}`;
      expect((await service.ask('GET', path, asked)).json).toEqual(made.json);
      const patch = { speed: null, language: 'german' };
      const patched = await service.ask('PATCH', path, { ...asked, json: patch });
      const { speed: _, ...rest } = made.json;
      expect(patched.json).toEqual({ ...rest, language: 'german', updatedAt: patched.json.updatedAt });
      const bad = await service.ask('PATCH', path, { ...asked, json: { speed: 9 } });
      expect([bad.status, bad.json.errorId]).toEqual([400, 'INVALID_REQUEST']);
      const stats = await service.ask('GET', `/api/v1/agent-stats/${made.json.id}`, asked);
      expect(stats.json).toMatchObject({
        agentId: made.json.id,
        sessions: 0,
        turns: 0,
        firstAudioP50Ms: null,
      });
    },
  },
  limitRow(
    '8.4 POST agents',
    'POST',
    20,
    () => '/api/v1/agents',
    (n) => ({ name: `Agent ${n}` }),
  ),
  limitRow(
    '8.4 PATCH agents',
    'PATCH',
    20,
    (id) => `/api/v1/agents/${id}`,
    (n) => ({ name: `Agent ${n}` }),
  ),
  limitRow(
    '8.4 GET agents',
    'GET',
    60,
    (id) => `/api/v1/agents/${id}`,
    () => undefined,
  ),
  limitRow(
    '8.4 GET agent-stats',
    'GET',
    60,
    (id) => `/api/v1/agent-stats/${id}`,
    () => undefined,
  ),
  {
    section: '9 version',
    says: 'is in the path, and 1.0.0 in the document',
    check: async ({ service }) => {
      const document = await service.ask('GET', '/openapi.json');
      expect(document.json.info).toMatchObject({ version: '1.0.0' });
      expect((await service.ask('GET', '/api/v2/playnotes', { headers: credentialsOf('ann') })).status).toBe(
        404,
      );
    },
  },
];
