// Interface 2 and 3: what the records hold, by the schemas that the document is made of and by the tables themselves.

import { expect } from 'vitest';
import { jobSchema, playNoteSchema } from '../../../src/speech/service-records.ts';
import type { Contract, ContractRow } from './contract-row.ts';

type Fact = { readonly may?: 'absent'; readonly is: (value: unknown) => boolean };

const isString = (value: unknown) => typeof value === 'string' && value !== '';
const isUrl = (value: unknown) => typeof value === 'string' && URL.canParse(value);
const isTime = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value);
const isLength = (value: unknown) => typeof value === 'number' && value > 0;
const orNull = (is: Fact['is']) => (value: unknown) => value === null || is(value);
const oneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value);

const PLAYNOTE: Record<string, Fact> = {
  id: { is: isString },
  ownerId: { is: (value) => value === 'ann' },
  name: { is: isString },
  sourceFileUrl: { is: isUrl },
  audioUrl: { may: 'absent', is: orNull(isUrl) },
  synthesisStyle: { is: oneOf('podcast', 'executive-briefing', 'childrens-story', 'debate') },
  voice1: { is: isString },
  voice1Name: { may: 'absent', is: isString },
  voice1Gender: { may: 'absent', is: oneOf('Male', 'Female') },
  voice2: { may: 'absent', is: orNull(isString) },
  voice2Name: { may: 'absent', is: orNull(isString) },
  voice2Gender: { may: 'absent', is: orNull(oneOf('Male', 'Female')) },
  webHookUrl: { may: 'absent', is: isUrl },
  status: { is: oneOf('generating', 'completed', 'failed') },
  duration: { may: 'absent', is: orNull(isLength) },
  requestedAt: { is: isTime },
  createdAt: { may: 'absent', is: orNull(isTime) },
};

const JOB: Record<string, Fact> = {
  id: { is: (value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(String(value)) },
  createdAt: { is: isTime },
  input: { is: (value) => typeof value === 'object' && value !== null },
  completedAt: { is: orNull(isTime) },
  output: { is: (value) => typeof value === 'object' && value !== null },
};

const OUTPUT: Record<string, Fact> = {
  url: { is: isUrl },
  contentType: { is: oneOf('audio/wav') },
  fileSize: { is: (value) => Number.isInteger(value) && isLength(value) },
  duration: { is: isLength },
};

const rowsOf = (
  section: string,
  facts: Record<string, Fact>,
  records: (contract: Contract) => readonly Record<string, unknown>[],
): ContractRow[] =>
  Object.entries(facts).map(([field, { may, is }]) => ({
    section: `${section} ${field}`,
    says: `is ${may === undefined ? 'there' : 'absent or of its type'}, before and after`,
    check: (contract) => {
      for (const record of records(contract)) {
        if (may === 'absent' && !Object.hasOwn(record, field)) continue;
        expect(record).toHaveProperty(field);
        expect(is(record[field]), `${field}: ${JSON.stringify(record[field])}`).toBe(true);
      }
    },
  }));

const playNotesOf = ({ lived }: Contract) => [
  lived.playNote.taken.json,
  lived.playNote.ended.json,
  lived.failedPlayNote.json,
];

export const replyRows: readonly ContractRow[] = [
  ...rowsOf('2.1', PLAYNOTE, playNotesOf),
  ...rowsOf('2.2', JOB, ({ lived }) => [lived.job.taken.json, lived.job.ended.json]),
  ...rowsOf('2.2 output', OUTPUT, ({ lived }) => [lived.job.ended.json.output as Record<string, unknown>]),
  {
    section: '2.1 schema',
    says: 'every record is what the document says, and nothing more',
    check: (contract) => {
      for (const record of playNotesOf(contract))
        expect(playNoteSchema.strict().parse(record)).toEqual(record);
      for (const { json } of [contract.lived.job.taken, contract.lived.job.ended])
        expect(jobSchema.strict().parse(json)).toEqual(json);
    },
  },
  {
    section: '2.2 input',
    says: 'holds the parameters that were used',
    check: ({ lived: { job } }) => {
      expect(job.taken.json.input).toMatchObject(job.wish);
      expect(job.ended.json.input).toEqual(job.taken.json.input);
    },
  },
  {
    section: '2.2 completedAt',
    says: 'is null until the job completes',
    check: ({ lived: { job } }) => {
      expect([job.taken.json.completedAt, job.taken.json.output]).toEqual([null, {}]);
      expect(Date.parse(job.ended.json.completedAt as string)).toBeGreaterThanOrEqual(
        Date.parse(job.taken.json.createdAt as string),
      );
    },
  },
  {
    section: '2.2 output url',
    says: 'is where the audio is: of that media type, that size and that length',
    check: async ({ lived: { job } }) => {
      const output = job.ended.json.output as Record<string, number> & { url: string };
      const file = await fetch(output.url);
      const bytes = Buffer.from(await file.arrayBuffer());
      expect([file.headers.get('content-type'), bytes.length]).toEqual([output.contentType, output.fileSize]);
      expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
      expect(output.fileSize! / 2 / output.sampleRate!).toBeCloseTo(output.duration!, 1);
    },
  },
  {
    section: '2.3 voice',
    says: 'is a string in URI form, kept as it was given',
    check: ({ lived }) => {
      expect(lived.playNote.taken.json.voice1).toBe('s3://voices/anna/manifest.json?v=1#a');
    },
  },
  {
    section: '3 generating',
    says: 'at first; nothing is there yet',
    check: ({ lived }) => {
      expect(lived.playNote.taken.json).toMatchObject({
        status: 'generating',
        audioUrl: null,
        duration: null,
      });
    },
  },
  {
    section: '3 completed',
    says: 'at the end; audioUrl and duration hold the result',
    check: async ({ lived }) => {
      const { status, audioUrl, duration } = lived.playNote.ended.json;
      expect([status, typeof duration], JSON.stringify(lived.playNote.ended.json.error)).toEqual([
        'completed',
        'number',
      ]);
      const file = await fetch(audioUrl as string);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    },
  },
  {
    section: '3 failed',
    says: 'when it did not succeed; it says why',
    check: ({ lived }) => {
      expect(lived.failedPlayNote.json).toMatchObject({
        status: 'failed',
        audioUrl: null,
        duration: null,
        createdAt: null,
        error: { code: 'invalid_source', message: expect.any(String) as string },
      });
    },
  },
];
