// A row of the interface as a test: which section it stands in, what it says, and how a caller finds that true.

import { expect } from 'vitest';
import type { Answer, RunningService } from '../../support/running-service.ts';

/** What one job and one PlayNote have gone through before the table begins. */
export type Lived = {
  readonly job: { readonly taken: Answer; readonly ended: Answer; readonly wish: Record<string, unknown> };
  readonly playNote: { readonly taken: Answer; readonly ended: Answer };
  readonly failedPlayNote: Answer;
  /** Messages to the webhooks. */
  readonly told: readonly { readonly headers: Record<string, unknown>; readonly body: unknown }[];
};

export type Contract = { readonly service: RunningService; readonly lived: Lived };

export type ContractRow = {
  /** "4.4 speed" */
  readonly section: string;
  readonly says: string;
  readonly check: (contract: Contract) => Promise<void> | void;
};

export type FieldRule = {
  readonly field: string;
  readonly required?: 'required';
  readonly nullable?: 'nullable';
  /** Both bounds, every value of an enum, and other values that there may be. */
  readonly takes: readonly unknown[];
  /** Beyond each bound, of another type, none of the enum. */
  readonly refuses: readonly unknown[];
  /** Other fields that this one needs beside it. */
  readonly beside?: Readonly<Record<string, unknown>>;
};

/** How one endpoint is asked with fields, and shows that it took them. */
export type FieldEndpoint = {
  readonly section: string;
  readonly least: Readonly<Record<string, unknown>>;
  taken(contract: Contract, fields: Record<string, unknown>, field: string): Promise<void>;
  post(contract: Contract, fields: Record<string, unknown>): Promise<Answer>;
};

const named = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 50 ? `${text.slice(0, 40)}… (${[...text].length - 2})` : text;
};

/** 400 that names the field. */
export function expectRefused({ status, json }: Answer, field: string): void {
  expect([status, json.errorId]).toEqual([400, 'INVALID_REQUEST']);
  expect(json.errorMessage).toMatch(new RegExp(`(^|; )${field}: .`));
}

/** One row for everything that can be said about a field. */
export const fieldRows = (endpoint: FieldEndpoint, rules: readonly FieldRule[]): ContractRow[] =>
  rules.flatMap(({ field, required, nullable, takes, refuses, beside = {} }) => {
    const section = `${endpoint.section} ${field}`;
    const fields = { ...endpoint.least, ...beside };
    const without = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field));
    const taken = (value: unknown): ContractRow => ({
      section,
      says: `takes ${named(value)}`,
      check: (contract) => endpoint.taken(contract, { ...fields, [field]: value }, field),
    });
    const refused = (value: unknown): ContractRow => ({
      section,
      says: `refuses ${named(value)}`,
      check: async (contract) =>
        expectRefused(await endpoint.post(contract, { ...fields, [field]: value }), field),
    });
    return [
      {
        section,
        says: required === undefined ? 'may be absent' : 'must be there',
        check: async (contract) => {
          if (required === undefined) await endpoint.taken(contract, without, field);
          else expectRefused(await endpoint.post(contract, without), field);
        },
      },
      (nullable === undefined ? refused : taken)(null),
      ...takes.map(taken),
      ...refuses.map(refused),
    ];
  });

export const LANGUAGES =
  `afrikaans albanian amharic arabic bengali bulgarian catalan croatian czech danish dutch english
  french galician german greek hebrew hindi hungarian indonesian italian japanese korean malay mandarin polish portuguese
  russian serbian spanish swedish tagalog thai turkish ukrainian urdu xhosa`.split(/\s+/);
const FORMATS = ['mp3', 'mulaw', 'raw', 'wav', 'ogg', 'flac'];

/** Of both speech endpoints, with the same bounds. */
export const commonRules: readonly FieldRule[] = [
  { field: 'outputFormat', nullable: 'nullable', takes: FORMATS, refuses: ['opus', 'MP3', '', 1] },
  { field: 'speed', takes: [0.1, 1, 5], refuses: [0.0999, 5.0001, 0, -1, '1', true] },
  {
    field: 'sampleRate',
    takes: [8000, 24_000, 48_000],
    refuses: [7999, 48_001, 0, -8000, '24000', 22_050.5],
    beside: { outputFormat: 'wav' },
  },
  {
    field: 'seed',
    nullable: 'nullable',
    takes: [0, 1, 1.5, 4_294_967_296, 1_764_200_000_000, 2 ** 53],
    refuses: [-1, '1', 2 ** 53 + 2],
  },
  { field: 'temperature', nullable: 'nullable', takes: [0, 0.5, 2], refuses: [-0.001, 2.001, '1'] },
  { field: 'turnPrefix', nullable: 'nullable', takes: ['A:', '[host]'], refuses: [1, {}] },
  { field: 'turnPrefix2', nullable: 'nullable', takes: ['B:'], refuses: [1, []] },
  { field: 'prompt', nullable: 'nullable', takes: ['calm', ''], refuses: [1, ['calm']] },
  { field: 'prompt2', nullable: 'nullable', takes: ['brisk'], refuses: [false] },
  { field: 'voiceConditioningSeconds', nullable: 'nullable', takes: [0, 20, 60.5], refuses: [-1, '20'] },
  { field: 'voiceConditioningSeconds2', nullable: 'nullable', takes: [20], refuses: [-1, '20'] },
];
