// Interface 4.4, POST /api/v1/tts, row by row.

import { expect } from 'vitest';
import { VOICE } from '../../support/running-service.ts';
import {
  type ContractRow,
  commonRules,
  expectRefused,
  type FieldEndpoint,
  fieldRows,
  LANGUAGES,
} from './contract-row.ts';

const VOX = { model: 'VoxDialog', text: 'job', voice: VOICE };
const MINI = { model: 'Vox3.0-mini' };

const jobs: FieldEndpoint = {
  section: '4.4',
  least: VOX,
  post: ({ service }, fields) => service.ask('POST', '/api/v1/tts', { user: 'bob', json: fields }),
  async taken(contract, fields, field) {
    const answer = await jobs.post(contract, fields);
    expect(answer.status, answer.text.slice(0, 300)).toBe(201);
    const input = answer.json.input as Record<string, unknown>;
    if (fields[field] == null) return;
    expect(input[field]).toEqual(fields[field]);
  },
};

const text = (model: string, most: number): ContractRow[] => [
  {
    section: '4.4 text',
    says: `${model} takes ${most} characters, whatever they take in bytes`,
    check: (contract) =>
      jobs.taken(
        contract,
        { ...VOX, model, text: '\u{1d11e}'.repeat(most), prompt: 'ö'.repeat(20_000) },
        'text',
      ),
  },
  {
    section: '4.4 text',
    says: `${model} refuses ${most + 1} characters`,
    check: async (contract) =>
      expectRefused(await jobs.post(contract, { ...VOX, model, text: 'a'.repeat(most + 1) }), 'text'),
  },
];

const onlyOf = (only: string, other: string, fields: Record<string, unknown>): ContractRow[] =>
  Object.entries(fields).map(([field, value]) => ({
    section: `4.4 ${field}`,
    says: `is for ${only} only`,
    check: async (contract) => {
      await jobs.taken(contract, { ...VOX, model: only, [field]: value }, field);
      expectRefused(await jobs.post(contract, { ...VOX, model: other, [field]: value }), field);
    },
  }));

export const jobRows: readonly ContractRow[] = [
  ...fieldRows(jobs, [
    { field: 'model', takes: ['VoxDialog', 'Vox3.0-mini'], refuses: ['VoxDialog-turbo', 'voxdialog', '', 1] },
    { field: 'text', required: 'required', takes: ['job'], refuses: [1, ['job']] },
    {
      field: 'voice',
      required: 'required',
      takes: [VOICE, 's3://voices/me/manifest.json'],
      refuses: [1, ''],
    },
    { field: 'voice2', nullable: 'nullable', takes: ['voice://b'], refuses: [1] },
    {
      field: 'quality',
      takes: ['draft', 'low', 'medium', 'high', 'premium'],
      refuses: ['best', 'Low', 1],
      beside: MINI,
    },
    {
      field: 'voiceGuidance',
      nullable: 'nullable',
      takes: [1, 2.5, 6],
      refuses: [0.999, 6.001, '2'],
      beside: MINI,
    },
    { field: 'styleGuidance', nullable: 'nullable', takes: [1, 15, 30], refuses: [0.999, 30.001, '2'] },
    { field: 'textGuidance', nullable: 'nullable', takes: [1, 1.5, 2], refuses: [0.999, 2.001, '2'] },
    { field: 'language', takes: LANGUAGES, refuses: ['klingon', 'English', 'en', 1] },
    {
      field: 'webHookUrl',
      nullable: 'nullable',
      takes: ['http://127.0.0.1:9/hook', 'https://example.com/hook?a=b'],
      refuses: ['hook', '/hook', 'ftp://example.com/', 'javascript:alert(1)', 1],
    },
    ...commonRules,
  ]),
  ...text('VoxDialog', 50_000),
  ...text('Vox3.0-mini', 20_000),
  ...onlyOf('Vox3.0-mini', 'VoxDialog', { quality: 'low', voiceGuidance: 2 }),
  ...onlyOf('VoxDialog', 'Vox3.0-mini', { voice2: 'voice://b' }),
  ...Object.entries({ turnPrefix2: 'B:', prompt2: 'calm', voiceConditioningSeconds2: 20 }).map(
    ([field, value]): ContractRow => ({
      section: `4.4 ${field}`,
      says: 'is taken with Vox3.0-mini, and told to have no effect',
      check: async (contract) => {
        const answer = await jobs.post(contract, { ...VOX, ...MINI, [field]: value });
        expect([answer.status, answer.headers.get('x-voxgate-ignored')]).toEqual([201, field]);
      },
    }),
  ),
  {
    section: '4.4 turnPrefix',
    says: 'may be empty, which is as good as null',
    check: async (contract) => {
      const answer = await jobs.post(contract, { ...VOX, turnPrefix: '', turnPrefix2: ' ' });
      expect(answer.status).toBe(201);
      expect(answer.json.input).not.toHaveProperty('turnPrefix');
    },
  },
  {
    section: '4.4 voice',
    says: 'may be a short name of the gateway, which the record shows as the voice that it stands for',
    check: async (contract) => {
      const { json } = await jobs.post(contract, { ...VOX, voice: 'anna', voice2: 'ben' });
      expect(json.input).toMatchObject({ voice: VOICE, voice2: 'voice://b' });
      const both = await jobs.post(contract, { ...VOX, voice: 'both' });
      expect(both.json.input).toMatchObject({ voice: VOICE, voice2: 'voice://b', turnPrefix: '[S1]' });
    },
  },
  {
    section: '4.4 body',
    says: 'has its own media type: without it, and as plain text, it is 415 that names the header',
    check: async ({ service }) => {
      const headers = { authorization: 'Bearer key-of-bob', 'x-user-id': 'bob' };
      for (const path of ['/api/v1/tts', '/api/v1/tts/stream', '/api/v1/agents'])
        for (const body of [JSON.stringify(VOX), Buffer.from(JSON.stringify(VOX))]) {
          // `fetch` calls a text text/plain; of bytes it says nothing.
          const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body });
          const told = (await response.json()) as { errorId: string; errorMessage: string };
          expect([path, response.status, told.errorId]).toEqual([path, 415, 'UNSUPPORTED_MEDIA_TYPE']);
          expect(told.errorMessage).toMatch(/^Content-Type: must be application\/json/);
        }
    },
  },
  {
    section: '4.4 body',
    says: 'may be sent to the path with a slash behind it, as to any other',
    check: async ({ service }) => {
      const made = await service.ask('POST', '/api/v1/tts/', { user: 'bob', json: VOX });
      expect(made.status, made.text).toBe(201);
      for (const path of [
        '/api/v1/tts/',
        `/api/v1/tts/${made.json.id}/`,
        '/api/v1/playnotes/',
        '/api/v1/voices/',
      ])
        expect([path, (await service.ask('GET', path, { user: 'bob' })).status]).toEqual([path, 200]);
      const other = await service.ask('PUT', '/api/v1/tts/', { user: 'bob', json: VOX });
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    },
  },
  {
    section: '4.4 model',
    says: 'is VoxDialog by default',
    check: async (contract) => {
      const { json } = await jobs.post(contract, { text: 'job', voice: VOICE });
      expect(json.input).toMatchObject({ model: 'VoxDialog' });
    },
  },
  {
    section: '4.4 outputFormat',
    says: 'is mp3 by default',
    check: async (contract) => {
      expect((await jobs.post(contract, VOX)).json.input).toMatchObject({ outputFormat: 'mp3' });
    },
  },
  {
    section: '4.4 seed',
    says: 'is random when it is null or absent',
    check: async (contract) => {
      const answers = await Promise.all(
        [{}, {}, { seed: null }].map((more) => jobs.post(contract, { ...VOX, ...more })),
      );
      const seeds = answers.map(({ json }) => (json.input as { seed: number }).seed);
      expect(new Set(seeds).size).toBe(3);
      for (const seed of seeds) expect(Number.isInteger(seed) && seed >= 0).toBe(true);
    },
  },
  {
    section: '4.4 body',
    says: 'is JSON, an object, and holds no field that there is not',
    check: async ({ service }) => {
      const post = (body: string, type = 'application/json') =>
        fetch(`${service.url}/api/v1/tts`, {
          method: 'POST',
          headers: { authorization: 'Bearer key-of-bob', 'x-user-id': 'bob', 'content-type': type },
          body,
        });
      const ids = async (response: Promise<Response>) => {
        const { status } = await response;
        return [status, ((await (await response).json()) as { errorId: string }).errorId];
      };
      expect(await ids(post('{"text":'))).toEqual([400, 'INVALID_JSON']);
      expect(await ids(post(''))).toEqual([400, 'INVALID_JSON']);
      for (const body of ['[]', 'null', '1', '"a"'])
        expect(await ids(post(body))).toEqual([400, 'INVALID_REQUEST']);
      expect(await ids(post('a=b', 'application/x-www-form-urlencoded'))).toEqual([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ]);
      expect(await ids(post(JSON.stringify({ ...VOX, colour: 'red' })))).toEqual([400, 'INVALID_REQUEST']);
      expect(await ids(post(JSON.stringify({ ...VOX, text: 'a'.repeat(1 << 20) })))).toEqual([
        413,
        'PAYLOAD_TOO_LARGE',
      ]);
      expect((await post(`{"__proto__":{"model":"x"},"text":"job","voice":"${VOICE}"}`)).status).toBe(400);
    },
  },
  {
    section: '4.4 reply',
    says: 'is the job record, with a place of its own',
    check: async (contract) => {
      const { status, headers, json } = await jobs.post(contract, VOX);
      expect(status).toBe(201);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('location')).toBe(`/api/v1/tts/${json.id}`);
      expect((await contract.service.ask('GET', headers.get('location')!, { user: 'bob' })).json.id).toBe(
        json.id,
      );
    },
  },
];
