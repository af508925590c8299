import { describe, expect, it } from 'vitest';
import { createKnownVoices, createUncheckedVoices } from '../support/voice-directories.ts';

const book = createKnownVoices([{ id: 'voice://a' }, { id: 'voice://b' }], {
  aliases: {},
  ignoredFields: ['prompt'],
  spokenAs: () => undefined,
});

describe('voices that are all known', () => {
  it('are listed, with the fields that do nothing for them', async () => {
    expect(await book.list()).toEqual([{ id: 'voice://a' }, { id: 'voice://b' }]);
    expect(book.ignoredFields).toEqual(['prompt']);
  });

  it('may be left out or be two', () => {
    book.check({});
    book.check({ voice: null, voice2: undefined });
    book.check({ voice: 'voice://a', voice2: 'voice://b' });
  });

  it.each([
    ['voice', { voice: 'voice://c' }],
    ['voice2', { voice: 'voice://a', voice2: 'VOICE://A' }],
    ['voice', { voice: '' }],
    ['voice', { voice: '__proto__' }],
  ])('are named when they are none: %s', (field, fields) => {
    expect(() => book.check(fields)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        field,
        message: expect.stringMatching(
          `^${field}: there is no such voice here \\(got "\\S*"\\); GET /api/v1/voices lists`,
        ) as string,
      }) as Error,
    );
  });

  it('are told shortened and quoted, whatever was sent for one', () => {
    try {
      book.check({ voice: `"\n${'x'.repeat(5000)}` });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(250);
      expect((error as Error).message).not.toContain('\n');
    }
  });
});

describe('voices of a foreign service', () => {
  it('are whatever it says, and every name is let through', async () => {
    const foreign = createUncheckedVoices(async () => [{ id: 'v' }], {});
    foreign.check({ voice: 'any', voice2: 'other' });
    expect(await foreign.list()).toEqual([{ id: 'v' }]);
    expect(foreign.ignoredFields).toEqual([]);
  });
});
