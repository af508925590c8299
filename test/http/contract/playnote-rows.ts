// Interface 4.1 to 4.3: PlayNotes, row by row. A user has one generation at a time, so each row deletes what it made.

import { expect } from 'vitest';
import { type Answer, credentialsOf, VOICE } from '../../support/running-service.ts';
import {
  type Contract,
  type ContractRow,
  expectRefused,
  type FieldEndpoint,
  fieldRows,
} from './contract-row.ts';

const LEAST = {
  sourceFileUrl: 'https://example.com/report.pdf',
  synthesisStyle: 'podcast',
  voice1: VOICE,
  voice1Name: 'Anna',
};
const SOURCE = new Blob(['Tides rise twice a day. The moon pulls the sea.'], { type: 'text/plain' });

/** A form has no null: the word stands for it, and so does an empty value. */
const toForm = (fields: Record<string, unknown>): Record<string, string | Blob> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Blob ? value : String(value)]),
  );

const playNotes: FieldEndpoint = {
  section: '4.3',
  least: LEAST,
  post: ({ service }, fields) =>
    service.ask('POST', '/api/v1/playnotes', { user: 'dan', form: toForm(fields) }),
  async taken(contract, fields, field) {
    const answer = await playNotes.post(contract, fields);
    await drop(contract, answer);
    expect(answer.status, answer.text).toBe(201);
    if (fields[field] == null) expect(answer.json[field] ?? null).toBeNull();
    else if (field !== 'sourceFile') expect(answer.json[field]).toBe(fields[field]);
  },
};

async function drop({ service }: Contract, { status, json }: Answer): Promise<void> {
  if (status !== 201) return;
  expect((await service.ask('DELETE', `/api/v1/playnotes/${json.id}`, { user: 'dan' })).status).toBe(204);
}

const styles = ['podcast', 'executive-briefing', 'childrens-story', 'debate'];
const two = { voice2: 'voice://b' };

export const playNoteRows: readonly ContractRow[] = [
  ...fieldRows(playNotes, [
    { field: 'synthesisStyle', required: 'required', takes: styles, refuses: ['monologue', 'Podcast', ''] },
    { field: 'voice1', required: 'required', takes: [VOICE, 's3://a/b.json'], refuses: [''] },
    {
      field: 'voice1Name',
      required: 'required',
      nullable: 'nullable',
      takes: ['Anna', 'Zoë <b>'],
      refuses: ['a'.repeat(81)],
    },
    { field: 'voice1Gender', nullable: 'nullable', takes: ['Male', 'Female'], refuses: ['male', 'Other'] },
    { field: 'voice2', nullable: 'nullable', takes: ['voice://b'], refuses: ['v'.repeat(2049)] },
    { field: 'voice2Name', nullable: 'nullable', takes: ['Ben'], refuses: ['b'.repeat(81)], beside: two },
    { field: 'voice2Name', nullable: 'nullable', takes: ['Ben'], refuses: ['b'.repeat(81)] },
    { field: 'voice2Gender', nullable: 'nullable', takes: ['Male', 'Female'], refuses: ['x'], beside: two },
    {
      field: 'webHookUrl',
      takes: ['https://example.com/hook', 'http://127.0.0.1:9/h'],
      refuses: ['hook', 'ftp://example.com/', ''],
    },
  ]).filter(({ section, says }) => !(section === '4.3 voice1' && says === 'refuses null')),
  {
    section: '4.3 sourceFileUrl',
    says: 'takes a web address, which the record shows',
    check: (contract) => playNotes.taken(contract, LEAST, 'sourceFileUrl'),
  },
  ...['report.pdf', '', 'ftp://example.com/a', 'file:///etc/passwd', 'data:text/plain,a'].map(
    (sourceFileUrl): ContractRow => ({
      section: '4.3 sourceFileUrl',
      says: `refuses "${sourceFileUrl}"`,
      check: async (contract) =>
        expectRefused(await playNotes.post(contract, { ...LEAST, sourceFileUrl }), 'sourceFileUrl'),
    }),
  ),
  {
    section: '4.3 sourceFile',
    says: 'takes a file, which is where the record says',
    check: async (contract) => {
      const { sourceFileUrl: _, ...fields } = LEAST;
      const answer = await playNotes.post(contract, { ...fields, sourceFile: SOURCE });
      expect(answer.status, answer.text).toBe(201);
      const source = await fetch(answer.json.sourceFileUrl as string);
      expect(await source.text()).toBe(await SOURCE.text());
      await drop(contract, answer);
      expect((await fetch(answer.json.sourceFileUrl as string)).status).toBe(404);
    },
  },
  {
    section: '4.3 exactly one',
    says: 'of sourceFile and sourceFileUrl must be provided',
    check: async (contract) => {
      const { sourceFileUrl: _, ...neither } = LEAST;
      for (const fields of [neither, { ...LEAST, sourceFile: SOURCE }]) {
        const { status, json } = await playNotes.post(contract, fields);
        expect([status, json.errorId]).toEqual([400, 'INVALID_REQUEST']);
        expect(json.errorMessage).toMatch(/exactly one of sourceFile and sourceFileUrl/);
      }
    },
  },
  {
    section: '4.3 content-type',
    says: 'must be multipart/form-data',
    check: async ({ service }) => {
      const asJson = await service.ask('POST', '/api/v1/playnotes', { user: 'dan', json: LEAST });
      expect([asJson.status, asJson.json.errorId]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      const asQuery = await fetch(`${service.url}/api/v1/playnotes`, {
        method: 'POST',
        headers: credentialsOf('dan'),
        body: new URLSearchParams(LEAST),
      });
      expect(asQuery.status).toBe(415);
    },
  },
  {
    section: '4.3 accept',
    says: 'may be application/json',
    check: async (contract) => {
      const answer = await contract.service.ask('POST', '/api/v1/playnotes', {
        user: 'dan',
        form: LEAST,
        headers: { accept: 'application/json' },
      });
      await drop(contract, answer);
      expect(answer.status).toBe(201);
    },
  },
  {
    section: '4.3 voice1',
    says: 'may be a short name of the gateway, and so may voice2; one name may be both',
    check: async (contract) => {
      for (const [voices, told] of [
        [{ voice1: 'anna' }, { voice1: VOICE, voice2: null }],
        [
          { voice1: 'anna', voice2: 'ben' },
          { voice1: VOICE, voice2: 'voice://b' },
        ],
        [{ voice1: 'both' }, { voice1: VOICE, voice2: 'voice://b' }],
      ] as const) {
        const answer = await playNotes.post(contract, { ...LEAST, ...voices });
        await drop(contract, answer);
        expect(answer.json).toMatchObject(told);
      }
    },
  },
  {
    section: '4.3 reply',
    says: '201 with a PlayNote that is generating',
    check: async (contract) => {
      const answer = await playNotes.post(contract, LEAST);
      await drop(contract, answer);
      expect([answer.status, answer.json.status, answer.json.ownerId]).toEqual([201, 'generating', 'dan']);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.headers.get('location')).toBe(`/api/v1/playnotes/${answer.json.id}`);
    },
  },
  {
    section: '4.3 failure',
    says: '403 while the user has an active generation; others are not held up',
    check: async (contract) => {
      const first = await playNotes.post(contract, LEAST);
      for (const fields of [LEAST, { ...LEAST, synthesisStyle: 'debate' }]) {
        const second = await playNotes.post(contract, fields);
        expect(second.status).toBe(403);
        expect(second.json).toEqual({
          errorId: 'UNAUTHORIZED',
          errorMessage: expect.stringMatching(/already has an active generation/) as string,
        });
      }
      await drop(contract, first);
      const next = await playNotes.post(contract, LEAST);
      expect(next.status).toBe(201);
      await drop(contract, next);
    },
  },
  ...['/api/v1/playnotes', '/api/v1/playnotes/:id'].map(
    (path, index): ContractRow => ({
      section: `${index === 0 ? '4.2' : '4.1'} accept`,
      says: 'may be application/json, and may be left out',
      check: async ({ service, lived }) => {
        const url = path.replace(':id', String(lived.playNote.taken.json.id));
        for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }]) {
          const answer = await service.ask('GET', url, { headers });
          expect(answer.status).toBe(200);
          expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        }
      },
    }),
  ),
  {
    section: '4.1 playNoteId',
    says: 'names the PlayNote; an unknown one is 404',
    check: async ({ service, lived }) => {
      const { id } = lived.playNote.taken.json;
      expect((await service.ask('GET', `/api/v1/playnotes/${id}`)).json).toEqual(lived.playNote.ended.json);
      for (const other of ['00000000-0000-4000-8000-000000000000', 'x', '%00', 'a'.repeat(200)]) {
        const { status, json } = await service.ask('GET', `/api/v1/playnotes/${other}`);
        expect([status, json.errorId], other).toEqual([404, 'NOT_FOUND']);
      }
    },
  },
  {
    section: '4.2 reply',
    says: 'is an array of PlayNotes',
    check: async ({ service, lived }) => {
      const { json } = await service.ask('GET', '/api/v1/playnotes');
      const list = json as unknown as unknown[];
      expect(Array.isArray(list)).toBe(true);
      expect(list).toContainEqual(lived.playNote.ended.json);
      expect((await service.ask('GET', '/api/v1/playnotes', { user: 'fay' })).json).toEqual([]);
    },
  },
];
