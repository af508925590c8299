// Several speech services by the YAML file: what is read, and what is refused by entry, field, value and what is allowed.
import { describe, expect, it } from 'vitest';
import { configuredServices, usesEngine } from '../../src/settings/upstream-list.ts';
import { accepted, refused } from '../support/settings.ts';

const FILE = 'voxgate.yaml';
const read = (yaml: string, files: Record<string, string> = {}) =>
  accepted({ flags: ['--config', FILE], files: { [FILE]: yaml, ...files } }).config;
const problems = (yaml: string, env: Record<string, string> = {}) =>
  refused({ env, flags: ['--config', FILE], files: { [FILE]: yaml } });

const FULL = `
upstreams:
  - name: eleven
    kind: elevenlabs
    keys: [KEY1#5, { key: "a@b#7", perMinute: 30, atOnce: 5 }]
    model: eleven_flash_v2_5
    group: account-1
    tenants: [ann, ben]
    options: { stability: 0.4, enable_logging: false }
    fallbackVoice: 21m00Tcm4TlvDq8ikWAM
  - kind: openai
    url: http://127.0.0.1:8880/v1/
  - name: other-gateway
    kind: speech-service
    url: https://tts.example
    keysFile: keys.txt
  - kind: engine
voices:
  anna: { eleven: "21m00Tcm4TlvDq8ikWAM", openai: af_heart, engine: anna }
`;

describe('a list of services', () => {
  it('has limits in characters of keys as objects, one for each group, each within its bounds', () => {
    const of = (key: string) => read(`upstreams:\n  - { kind: elevenlabs, keys: [{ key: K, ${key} }] }\n`);
    const [service] = configuredServices(of('charactersPerMinute: 500, charactersPerMonth: 100000'));
    expect(service.keys).toMatchObject([{ charactersPerMinute: 500, charactersPerMonth: 100_000 }]);
    const wrong = (key: string) =>
      problems(`upstreams:\n  - { kind: elevenlabs, keys: [{ key: K, ${key} }] }\n`).join('\n');
    expect(wrong('charactersPerMinute: 499')).toContain('has a charactersPerMinute outside of 500 to');
    expect(wrong('charactersPerMonth: 0')).toContain('has a charactersPerMonth outside of 1 to');
    expect(wrong('charactersPerMonth: 1.5')).toContain('a limit that is no whole number');
    const group = (month: number) =>
      `  - { kind: elevenlabs, name: s${month}, group: g, keys: [{ key: K${month}, charactersPerMonth: ${month} }] }\n`;
    expect(problems(`upstreams:\n${group(1)}${group(2)}`).join('\n')).toContain('different limits');
  });
  it('is read in its order, keys in the short form, as objects and from a file', () => {
    const config = read(FULL, { 'keys.txt': 'me:K1@60\nme:K2#3\n' });
    const limits = { perMinute: undefined, atOnce: undefined };
    expect(configuredServices(config)).toMatchObject([
      {
        name: 'eleven',
        url: undefined,
        keys: [
          { userId: '', apiKey: 'KEY1', ...limits, atOnce: 5 },
          { userId: '', apiKey: 'a@b#7', perMinute: 30, atOnce: 5 },
        ],
        group: 'account-1',
        tenants: ['ann', 'ben'],
        options: { stability: 0.4, enable_logging: false },
        fallbackVoice: '21m00Tcm4TlvDq8ikWAM',
      },
      { name: 'openai', url: 'http://127.0.0.1:8880/v1', keys: [], tenants: undefined, options: {} },
      {
        name: 'other-gateway',
        keys: [
          { userId: 'me', apiKey: 'K1', perMinute: 60, atOnce: undefined },
          { userId: 'me', apiKey: 'K2', perMinute: undefined, atOnce: 3 },
        ],
      },
      { name: 'engine', kind: 'engine', keys: [] },
    ]);
    expect(config.voices).toEqual({
      anna: { eleven: '21m00Tcm4TlvDq8ikWAM', openai: 'af_heart', engine: 'anna' },
    });
    expect(usesEngine(config)).toBe(true);
  });

  it('may be JSON in the environment', () => {
    const env = { VOXGATE_UPSTREAMS: '[{"kind":"deepgram","keys":"KEY"}]' };
    expect(accepted({ env }).config.upstreams).toMatchObject([
      { name: 'deepgram', keys: [{ apiKey: 'KEY' }] },
    ]);
    expect(usesEngine(accepted({ env }).config)).toBe(false);
  });

  it('a colon is a part of the key of any other vendor', () => {
    const [service] = configuredServices(read('upstreams: [{ kind: cartesia, keys: [a:b@7] }]'));
    expect(service.keys).toMatchObject([{ userId: '', apiKey: 'a:b', perMinute: 7 }]);
  });
});

const one = (fields: string) => `upstreams:\n  - { kind: deepgram, keys: [KEY], ${fields} }\n`;

describe('what is wrong is told', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['no list', 'upstreams: { a: 1 }', /upstreams in voxgate.yaml is no such list/],
    ['an empty list', 'upstreams: []', /no such list/],
    ['no kind', 'upstreams: [{ keys: [K] }]', /, entry 1: kind is not set; allowed: speech-service, openai/],
    [
      'another kind',
      one('').replace('deepgram', 'polly'),
      /, entry 1: kind is "polly"; allowed: speech-service/,
    ],
    ['an unknown field', one('voice: x'), /, entry 1: voice is no field of a service; allowed: name, kind/],
    ['a name', one('name: My Service'), /, entry 1: name is "My Service"; allowed: 1 to 40 of a-z/],
    [
      'the same name',
      'upstreams: [{ kind: engine }, { kind: deepgram, keys: [K], name: engine }]',
      /entry 2: name is "engine", as in entry 1/,
    ],
    ['two engines', 'upstreams: [{ kind: engine }, { kind: engine, name: b }]', /one embedded engine/],
    ['an address', one('url: ftp://x'), /, entry 1: url is "ftp:\/\/x"; allowed: an http/],
    ['no address', 'upstreams: [{ kind: speech-service, keys: [a:b] }]', /entry 1: url is not set/],
    ['no keys', 'upstreams: [{ kind: elevenlabs }]', /entry 1: keys is not set; allowed: a list/],
    ['no keys at the public address', 'upstreams: [{ kind: openai }]', /entry 1: keys is not set/],
    [
      'a key without user',
      'upstreams: [{ kind: speech-service, url: "https://x.example", keys: [HIDDEN] }]',
      /keys, entry 1 has no user id/,
    ],
    [
      'a limit of a key',
      'upstreams: [{ kind: deepgram, keys: [HIDDEN@0] }]',
      /keys, entry 1 asks for a limit out of range/,
    ],
    [
      'a key object',
      'upstreams: [{ kind: deepgram, keys: [{ key: HIDDEN, rpm: 5 }] }]',
      /unknown field "rpm"/,
    ],
    [
      'a limit that is no number',
      'upstreams: [{ kind: deepgram, keys: [{ key: HIDDEN, atOnce: "5" }] }]',
      /no whole number/,
    ],
    [
      'a key twice',
      'upstreams: [{ kind: deepgram, keys: [HIDDEN, HIDDEN#2] }]',
      /entry 2 has a key that was given before/,
    ],
    [
      'a file that is not there',
      'upstreams: [{ kind: deepgram, keysFile: none.txt }]',
      /keysFile names a file that cannot be read/,
    ],
    ['tenants', one('tenants: [5]'), /tenants is \[5\]; allowed: a list of 1 to/],
    ['no tenants at all', one('tenants: []'), /tenants is \[\]/],
    ['options', one('options: fast'), /options is "fast"/],
    [
      'an address of the engine',
      'upstreams: [{ kind: engine, url: "http://x" }]',
      /url is set, but the embedded engine has none/,
    ],
    [
      'limits of one key at one address',
      'upstreams: [{ kind: deepgram, keys: [A#2] }, { kind: deepgram, name: other, keys: [A#3] }]',
      /entry 2: keys has a key of entry 1, at the same address, with another limit/,
    ],
    [
      'limits within a group',
      'upstreams: [{ kind: deepgram, group: g, keys: [A#2, B#3] }]',
      /the group "g" have different limits/,
    ],
    [
      'a table without a service',
      'voices: { anna: { nowhere: x } }',
      /there is no service "nowhere"; allowed: engine/,
    ],
    ['a table of something else', 'voices: { anna: rachel }', /"anna" has no voices/],
  ];
  it.each(cases)('%s', (_what, yaml, pattern) => {
    const told = problems(yaml);
    expect(told.join('\n')).toMatch(pattern);
    expect(told.join('\n')).not.toContain('HIDDEN');
  });

  it('field by field, all at once', () => {
    expect(problems('upstreams: [{ kind: polly, name: A, url: x }]')).toHaveLength(3);
  });

  it('settings of one service beside the list', () => {
    const env = { VOXGATE_UPSTREAM_KIND: 'openai', VOXGATE_UPSTREAM_KEYS: 'sk' };
    expect(problems('upstreams: [{ kind: engine }]', env)).toEqual([
      expect.stringMatching(/^VOXGATE_UPSTREAM_KIND is set beside upstreams in voxgate.yaml/),
      expect.stringMatching(/^VOXGATE_UPSTREAM_KEYS is set beside/),
    ]);
  });
});
