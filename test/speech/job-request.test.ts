import { describe, expect, it } from 'vitest';
import { jobRequestSchema, turboRequestSchema } from '../../src/speech/job-request.ts';

const least = { text: 'Good morning.', voice: 'voxgate://embedded/voices/anna' };
const problemsOf = (
  fields: object,
  schema: typeof jobRequestSchema | typeof turboRequestSchema = jobRequestSchema,
) => {
  const parsed = schema.safeParse({ ...least, ...fields });
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};

describe('a job (interface 4.4)', () => {
  it('is spoken by VoxDialog when it names no model', () => {
    expect(jobRequestSchema.parse(least).model).toBe('VoxDialog');
    expect(turboRequestSchema.parse(least).model).toBe('VoxDialog-turbo');
  });

  it.each([
    ['VoxDialog', 50_000],
    ['Vox3.0-mini', 20_000],
  ])('takes for %s at most %i characters, counted as code points', (model, most) => {
    expect(problemsOf({ model, text: '𝄞'.repeat(most) })).toEqual([]);
    expect(problemsOf({ model, text: 'a'.repeat(most + 1) })).toEqual([
      `text: must have at most ${most} characters with ${model}`,
    ]);
  });

  it.each([
    ['Vox3.0-mini', 'voice2', 'x', 'VoxDialog'],
    ['VoxDialog', 'quality', 'low', 'Vox3.0-mini'],
    ['VoxDialog', 'voiceGuidance', 3, 'Vox3.0-mini'],
  ])('refuses for %s the field %s', (model, field, value, only) => {
    expect(problemsOf({ model, [field]: value })).toEqual([
      `${field}: is for ${only} only, not for ${model}`,
    ]);
    expect(problemsOf({ model: only, [field]: value })).toEqual([]);
  });

  it('takes a null where it says nothing', () => {
    expect(
      problemsOf({ voice2: null, turnPrefix: null, outputFormat: null, seed: null, webHookUrl: null }),
    ).toEqual([]);
    expect(problemsOf({ model: 'Vox3.0-mini', voice2: null })).toEqual([]);
    expect(problemsOf({ language: null })).toHaveLength(1);
  });

  it('refuses rates that the format has not, equal prefixes, foreign addresses and unknown fields', () => {
    expect(problemsOf({ sampleRate: 23_000 })[0]).toMatch(
      /^sampleRate: must be a rate that mp3 has: 8000, .*\(got 23000\)/,
    );
    expect(problemsOf({ sampleRate: 23_000, outputFormat: 'wav' })).toEqual([]);
    expect(problemsOf({ turnPrefix: 'A:', turnPrefix2: 'A: ' })[0]).toMatch(/^turnPrefix2: must differ/);
    expect(problemsOf({ webHookUrl: 'ftp://example.com' })).toHaveLength(1);
    expect(problemsOf({ colour: 'blue' })).toHaveLength(1);
  });
});
