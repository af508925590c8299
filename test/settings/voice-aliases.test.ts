// The setting `voiceAliases`, from each of its three sources.
import { describe, expect, it } from 'vitest';
import { accepted, parseEnv, refused } from '../support/settings.ts';

const URI = 'voxgate://embedded/voices/anna';
const wanted = { anna: URI, duo: 'anna+s3://b+c/d' };

describe('voice aliases', () => {
  it('are a list in the environment, a flag, or lines or a list of YAML', () => {
    const line = `anna=${URI}, duo=anna+s3://b+c/d,`;
    expect(accepted({ env: { VOXGATE_VOICE_ALIASES: line } }).config.voiceAliases).toEqual(wanted);
    expect(accepted({ flags: ['--voice-aliases', line] }).config.voiceAliases).toEqual(wanted);
    const yaml = `voiceAliases:\n  - anna=${URI}\n  - duo=anna+s3://b+c/d\n`;
    expect(accepted({ flags: ['--config=c'], files: { c: yaml } }).config.voiceAliases).toEqual(wanted);
    expect(accepted({}).config.voiceAliases).toEqual({});
  });

  it.each([
    [`anna=${URI},ben`, 'entry 2 has no ='],
    ['a=x,b=y,a=z', 'entry 3 has a name that was given before'],
    ['a=b,b=c,c=a', 'leads back to itself, "a"'],
    ['a=a', 'leads back to itself'],
    [',,', 'holds no entry'],
    [Array.from({ length: 1001 }, (_, at) => `n${at}=v`).join(), 'holds 1001 entries'],
  ])('are refused when they cannot be meant: %.40s', (given, wrong) => {
    const result = parseEnv('voiceAliases', given);
    expect(result.ok ? '' : result.problems[0]).toContain('VOXGATE_VOICE_ALIASES ');
    expect(result.ok ? '' : result.problems[0]).toContain(wrong);
    expect(refused({ env: { VOXGATE_VOICE_ALIASES: given } })).toHaveLength(1);
  });

  it('may bear names that objects have by themselves', () => {
    const { config } = accepted({ env: { VOXGATE_VOICE_ALIASES: '__proto__=x://y,constructor=x://z' } });
    expect(Object.entries(config.voiceAliases)).toEqual([
      ['__proto__', 'x://y'],
      ['constructor', 'x://z'],
    ]);
  });
});
