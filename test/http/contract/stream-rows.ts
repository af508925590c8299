// Interface 4.5, POST /api/v1/tts/stream, row by row. That a field was taken shows at the speech service, which gets it.

import { expect } from 'vitest';
import { readOggOpus } from '../../support/ogg-reader.ts';
import { spokenBody, VOICE } from '../../support/running-service.ts';
import {
  type Contract,
  type ContractRow,
  commonRules,
  expectRefused,
  type FieldEndpoint,
  fieldRows,
  LANGUAGES,
} from './contract-row.ts';

const LEAST = { model: 'VoxDialog', text: 'Say this.', voice: VOICE };
/** What is made here of the MP3 that the speech service sends, and what is said of turns only. */
const NOT_PASSED_ON = ['outputFormat', 'sampleRate', 'model', 'text', 'turnPrefix', 'turnPrefix2'];

const open = ({ service }: Contract, json: Record<string, unknown>) =>
  service.open('POST', '/api/v1/tts/stream', { user: 'cat', json });

const streams: FieldEndpoint = {
  section: '4.5',
  least: LEAST,
  post: ({ service }, json) => service.ask('POST', '/api/v1/tts/stream', { user: 'cat', json }),
  async taken(contract, fields, field) {
    const before = contract.service.upstream.requests.length;
    const response = await open(contract, fields);
    expect(response.status, `${response.status}`).toBe(200);
    await response.body!.cancel();
    const sent = contract.service.upstream.requests
      .slice(before)
      .map(({ body }) => spokenBody(body))
      .find(({ text }) => text !== 'job') as Record<string, unknown>;
    if (fields[field] != null && !NOT_PASSED_ON.includes(field)) expect(sent[field]).toEqual(fields[field]);
    if (fields[field] === null) expect(sent).not.toHaveProperty(field, null);
  },
};

export const streamRows: readonly ContractRow[] = [
  ...fieldRows(streams, [
    {
      field: 'model',
      required: 'required',
      takes: ['VoxDialog'],
      refuses: ['Vox3.0-mini', 'VoxDialog-turbo', '', 1],
    },
    { field: 'text', required: 'required', takes: ['Say this.'], refuses: ['a'.repeat(20_001), 1] },
    { field: 'voice', required: 'required', takes: [VOICE], refuses: [1, ''] },
    { field: 'voice2', takes: ['voice://b'], refuses: [1] },
    { field: 'language', nullable: 'nullable', takes: LANGUAGES, refuses: ['klingon', 'English', '', 1] },
    ...commonRules,
  ]),
  {
    section: '4.5 text',
    says: 'takes 20000 characters with both prompts full, whatever they take in bytes',
    check: async (contract) => {
      // As Python's json writes it: every sign beyond ASCII as one or two escapes of six bytes.
      const body = JSON.stringify({
        ...LEAST,
        text: `${'\u{1d11e}'.repeat(19_999)}.`,
        prompt: 'ö'.repeat(20_000),
        prompt2: 'ö'.repeat(20_000),
      }).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
      const response = await fetch(`${contract.service.url}/api/v1/tts/stream`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer key-of-cat',
          'x-user-id': 'cat',
          'content-type': 'application/json',
        },
        body,
      });
      expect(response.status).toBe(200);
      await response.body!.cancel();
    },
  },
  ...['quality', 'voiceGuidance', 'styleGuidance', 'webHookUrl'].map(
    (field): ContractRow => ({
      section: '4.5 model',
      says: `VoxDialog here has no ${field}`,
      check: async (contract) => {
        const { status, json } = await streams.post(contract, { ...LEAST, [field]: 2 });
        expect([status, json.errorId]).toEqual([400, 'INVALID_REQUEST']);
        expect(json.errorMessage).toContain(field);
      },
    }),
  ),
  ...[8000, 8001, 11_025, 22_050, 32_000, 44_100, 48_000].map(
    (sampleRate): ContractRow => ({
      section: '4.5 sampleRate',
      says: `may be ${sampleRate} with ogg, which tells it as the rate of its input`,
      check: async (contract) => {
        const response = await open(contract, { ...LEAST, outputFormat: 'ogg', sampleRate });
        expect([response.status, response.headers.get('content-type')]).toEqual([
          200,
          'audio/ogg; codecs=opus',
        ]);
        const { inputRate, heard } = readOggOpus(Buffer.from(await response.arrayBuffer()));
        expect(inputRate).toBe(sampleRate);
        expect(heard).toBeGreaterThan(4800);
      },
    }),
  ),
  {
    section: '4.5 turnPrefix',
    says: 'may be empty, which is as good as null',
    check: async (contract) => {
      const before = contract.service.upstream.requests.length;
      const response = await open(contract, { ...LEAST, turnPrefix: '', turnPrefix2: '' });
      expect(response.status).toBe(200);
      await response.body!.cancel();
      const sent = contract.service.upstream.requests.slice(before).map(({ body }) => spokenBody(body));
      expect(sent.find(({ text }) => text !== 'job')).not.toHaveProperty('turnPrefix');
    },
  },
  {
    section: '4.5 voice',
    says: 'may be a short name of the gateway, also one for two voices',
    check: async (contract) => {
      const sentFor = async (fields: object) => {
        const before = contract.service.upstream.requests.length;
        const response = await open(contract, { ...LEAST, ...fields });
        expect(response.status).toBe(200);
        await response.body!.cancel();
        const sent = contract.service.upstream.requests.slice(before).map(({ body }) => spokenBody(body));
        return sent.find(({ text }) => text !== 'job');
      };
      expect(await sentFor({ voice: 'anna' })).toMatchObject({ voice: VOICE });
      expect(await sentFor({ voice: 'both', text: '[S1] Yes? [S2] No.' })).toMatchObject({
        voice: VOICE,
        voice2: 'voice://b',
        turnPrefix: '[S1]',
        turnPrefix2: '[S2]',
      });
    },
  },
  {
    section: '4.5 seed',
    says: 'is told in the reply, random when it is null or absent; the same one again gives the same bytes',
    check: async (contract) => {
      const speak = async (more: object) => {
        const response = await open(contract, { ...LEAST, ...more });
        return [response.headers.get('x-voxgate-seed'), Buffer.from(await response.arrayBuffer())] as const;
      };
      const [first] = await speak({});
      const [second] = await speak({ seed: null });
      expect(first).toMatch(/^\d+$/);
      expect(second).not.toBe(first);
      const [, ...[bytes]] = await speak({ seed: 7 });
      const [seed, again] = await speak({ seed: 7 });
      expect(seed).toBe('7');
      expect(bytes.length).toBeGreaterThan(500);
      expect(again.equals(bytes)).toBe(true);
    },
  },
  {
    section: '4.5 AUTHORIZATION',
    says: 'is the same header as Authorization',
    check: async ({ service }) => {
      const response = await fetch(`${service.url}/api/v1/tts/stream`, {
        method: 'POST',
        headers: {
          AUTHORIZATION: 'Bearer key-of-cat',
          'X-USER-ID': 'cat',
          'Content-Type': 'application/json',
        },
        body: JSON.stringify(LEAST),
      });
      expect(response.status).toBe(200);
      await response.body!.cancel();
    },
  },
  {
    section: '4.5 reply',
    says: 'is a stream of audio/mpeg',
    check: async (contract) => {
      const response = await open(contract, LEAST);
      expect(response.headers.get('content-type')).toBe('audio/mpeg');
      expect(response.headers.get('transfer-encoding')).toBe('chunked');
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.readUInt16BE(0) & 0xffe0).toBe(0xffe0);
    },
  },
  {
    section: '4.5 multi-turn',
    says: 'voice and voice2 speak the turns of their prefixes',
    check: async (contract) => {
      const { service } = contract;
      const before = service.upstream.requests.length;
      const fields = { ...LEAST, voice2: 'voice://b', turnPrefix: 'A:', turnPrefix2: 'B:' };
      const response = await open(contract, { ...fields, text: 'A: Who is there? B: It is me.' });
      expect(response.status).toBe(200);
      await response.body!.cancel();
      const sent = service.upstream.requests.slice(before).map(({ body }) => spokenBody(body));
      const turns = sent.filter(({ text }) => text !== 'job');
      expect(turns[0]).toMatchObject({
        voice: VOICE,
        voice2: 'voice://b',
        turnPrefix: 'A:',
        turnPrefix2: 'B:',
        text: expect.stringMatching(/A:\s+Who is there\?\s+B:\s+It is me\./) as string,
      });
      expectRefused(await streams.post(contract, { ...fields, turnPrefix2: 'A:' }), 'turnPrefix2');
    },
  },
];
