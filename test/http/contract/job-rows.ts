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
