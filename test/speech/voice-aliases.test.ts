// Names for voices: what each comes to, where a pair divides, and that no table of names is a trap.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findAliasCircle,
  parseVoiceAlias,
  resolveVoices,
  type VoiceAliases,
} from '../../src/speech/voice-aliases.ts';

const ANNA = 'voxgate://embedded/voices/anna';
const BEN = 's3://voices/ben+warm/manifest.json';
const ALIASES: VoiceAliases = {
  anna: ANNA,
  ben: BEN,
  host: 'anna',
  duo: 'anna+ben',
  twins: 'duo',
  mixed: `host+${BEN}`,
  uris: `${BEN}+${ANNA}`,
  odd: 's3://a+b/c',
  tunnel: 'git+ssh://voice',
  both: 'duo+duo',
  a: 'b',
  b: 'a',
};
const PREFIXES = { turnPrefix: '[S1]', turnPrefix2: '[S2]' };
const pair = (voice: string, voice2: string) => ({ voice, voice2, ...PREFIXES });
const of = (voice: string) => resolveVoices(ALIASES, { voice });

describe('a voice', () => {
  it.each([
    ['anna', ANNA],
    ['host', ANNA],
    ['s3://else/where', 's3://else/where'],
    ['s3://a+s3://b', 's3://a+s3://b'],
    ['anna+ben', 'anna+ben'],
    ['odd', 's3://a+b/c'],
    ['tunnel', 'git+ssh://voice'],
    ['Anna', 'Anna'],
    ['__proto__', '__proto__'],
    ['toString', 'toString'],
    ['duo:', 'duo:'],
    ['duo:anna', 'duo:anna'],
    ['duo:anna+', 'duo:anna+'],
    ['duo:+anna', 'duo:+anna'],
  ])('%s is %s', (name, voice) => {
    expect(of(name)).toEqual({ voice });
  });

  it.each([
    ['duo', ANNA, BEN],
    ['twins', ANNA, BEN],
    ['mixed', ANNA, BEN],
    ['uris', BEN, ANNA],
    ['both', ANNA, BEN],
    ['duo:anna+ben', ANNA, BEN],
    ['duo:host+vox:x', ANNA, 'vox:x'],
    [`duo:${BEN}+host`, BEN, ANNA],
    [`duo:git+ssh://voice+${BEN}`, 'git+ssh://voice', BEN],
    ['duo:Joe+Ann Lee', 'Joe', 'Ann Lee'],
    ['duo:anna ben', ANNA, BEN],
    ['duo:s3://a s3://b', 's3://a', 's3://b'],
  ])('%s is the pair of %s and %s, marked in the text', (name, voice, voice2) => {
    expect(of(name)).toEqual(pair(voice, voice2));
  });

  it('that goes in a circle ends where it began', () => {
    expect(of('a')).toEqual({ voice: 'a' });
    expect(of('duo:a+b')).toEqual(pair('a', 'b'));
  });
});

describe('the other fields', () => {
  it('of the caller win over those of a pair', () => {
    expect(resolveVoices(ALIASES, { voice: 'duo', voice2: 'host' })).toEqual(pair(ANNA, ANNA));
    expect(resolveVoices(ALIASES, { voice: 'duo', turnPrefix: 'A:' })).toEqual({
      voice: ANNA,
      voice2: BEN,
      turnPrefix: 'A:',
    });
    expect(resolveVoices(ALIASES, { voice: 'duo', voice2: null, turnPrefix2: null })).toEqual(
      pair(ANNA, BEN),
    );
  });

  it('stay as they are when there is nothing to resolve', () => {
    expect(resolveVoices(ALIASES, {})).toEqual({});
    expect(resolveVoices(ALIASES, { voice2: null, turnPrefix: 'A:' })).toEqual({
      voice2: null,
      turnPrefix: 'A:',
    });
  });

  it('take the second voice of a pair in voice2, and set no prefixes for it', () => {
    expect(resolveVoices(ALIASES, { voice: 'ben', voice2: 'duo' })).toEqual({ voice: BEN, voice2: BEN });
    expect(resolveVoices(ALIASES, { voice2: 'uris' })).toEqual({ voice2: ANNA });
  });
});

describe('any table of names', () => {
  const name = fc.stringMatching(/^[a-e]$/);
  const uri = fc.stringMatching(/^[f-z]{2,4}:\/\/[f-z+/]{1,8}$/);
  const voice = fc.oneof(name, uri);
  const target = fc.oneof(
    voice,
    fc.tuple(voice, voice).map(([one, two]) => `${one}+${two}`),
  );
  const tables = fc.dictionary(name, target);

  it('comes to an end, and what it comes to stays when it is looked up again', () => {
    fc.assert(
      fc.property(tables, voice, fc.option(voice, { nil: undefined }), (table, one, two) => {
        const once = resolveVoices(table, { voice: one, ...(two === undefined ? {} : { voice2: two }) });
        expect(once.voice).toEqual(expect.any(String));
        if (findAliasCircle(table) === undefined) expect(resolveVoices(table, once)).toEqual(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves every name that it does not hold as it is', () => {
    fc.assert(
      fc.property(tables, fc.string({ minLength: 1 }), (table, one) => {
        fc.pre(!Object.hasOwn(table, one) && !one.startsWith('duo:'));
        expect(resolveVoices(table, { voice: one })).toEqual({ voice: one });
      }),
    );
  });

  it('divides a pair where it was joined, when neither side holds a plus', () => {
    const plain = fc.oneof(name, fc.stringMatching(/^[f-z]{2,4}:\/\/[f-z/]{1,8}$/));
    const singles = { a: 'x://a', b: 'x://b', c: 'x://c', d: 'x://d', e: 'x://e' };
    const single = (voice: string) => resolveVoices(singles, { voice }).voice!;
    fc.assert(
      fc.property(plain, plain, (one, two) => {
        const wanted = pair(single(one), single(two));
        expect(resolveVoices({ ...singles, both: `${one}+${two}` }, { voice: 'both' })).toEqual(wanted);
        expect(resolveVoices(singles, { voice: `duo:${one}+${two}` })).toEqual(wanted);
      }),
    );
  });

  it('costs little for the longest voice that a caller may send', () => {
    const began = performance.now();
    for (let i = 0; i < 200; i += 1) resolveVoices(ALIASES, { voice: `duo:${'a+'.repeat(1022)}` });
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe('an entry of the setting', () => {
  it('is divided by its first equals sign', () => {
    expect(parseVoiceAlias(' duo = anna + ben ')).toMatchObject({ name: 'duo', voice: 'anna + ben' });
    expect(parseVoiceAlias('a=s3://x?y=z')).toEqual({ ok: true, name: 'a', voice: 's3://x?y=z' });
  });

  it.each([
    ['anna', 'has no ='],
    ['=x', 'has no name'],
    ['a=', 'has no voice'],
    ['a\u0007=b', 'control character'],
    ['a+b=c', 'a + in its name'],
    ['duo:a=c', 'duo: before it'],
    [`${'n'.repeat(101)}=c`, 'more than 100'],
    [`n=${'c'.repeat(2049)}`, 'more than 2048'],
  ])('%j is refused: %s', (entry, wrong) => {
    const parsed = parseVoiceAlias(entry);
    expect(parsed.ok ? '' : parsed.wrong).toContain(wrong);
  });
});
