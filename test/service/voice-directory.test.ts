import { describe, expect, it } from 'vitest';
import { createServiceVoices } from '../../src/service/voice-directory.ts';
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

describe('a name that is nearly one', () => {
  const service = (name: string, tenants: string[] | undefined, voices: readonly string[]) => ({
    name,
    tenants,
    ignored: [],
    knownNames: voices,
    list: async () => voices.map((id) => ({ id })),
    fallbackVoice: undefined,
    fallbackVoice2: undefined,
    find: (as: string) => (voices.includes(as) ? ({ as, has: 'surely' } as const) : undefined),
  });
  const all = [service('engine', undefined, ['anna', 'ben']), service('house', ['ann'], ['secretary'])];
  const voices = createServiceVoices({
    form: 'list',
    services: all,
    profiles: all,
    table: { boss: { house: 'secretary' } },
    aliases: { hello: 'anna', boss: 'boss' },
    spokenAs: () => undefined,
  });
  const told = (voice: string, tenant: string) => {
    try {
      voices.check({ voice }, { tenant });
      return 'taken';
    } catch (error) {
      return /did you mean .*$/.exec((error as Error).message)?.[0] ?? 'nothing is near';
    }
  };

  it.each([
    ['Annna', 'anna'],
    ['helo', 'hello'],
    ['engine/bne', 'engine/ben'],
    ['secretery', 'secretary'],
    ['bosss', 'boss'],
  ])('%s: did you mean %s?', (given, meant) => {
    expect(told(given, 'ann')).toBe(`did you mean ${meant}?`);
  });

  it('is told no name of a service that its caller may not use', () => {
    for (const given of ['secretery', 'bosss', 'house/secretery'])
      expect(told(given, 'bob')).toBe('nothing is near');
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
