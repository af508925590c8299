// Single settings: every bound of the table, every kind of text, and no secret ever shown.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SETTINGS, type SettingName, toEnv } from '../../src/settings/settings.ts';
import { accepted, parse, parseEnv, refused, SETTING_NAMES } from '../support/settings.ts';

/** The lowest and highest number of each bounded setting, and whether 0 is outside them but allowed. */
const BOUNDS: Partial<Record<SettingName, [min: number, max: number, zero?: 'zero']>> = {
  port: [0, 65_535],
  adminPort: [0, 65_535],
  peerPort: [0, 65_535],
  audiosocketPort: [0, 65_535],
  upstreamConnectTimeoutMs: [100, 60_000],
  upstreamFirstByteTimeoutMs: [100, 300_000],
  upstreamStallTimeoutMs: [100, 300_000],
  upstreamMaxInFlightPerKey: [1, 10_000],
  upstreamMaxWaitMs: [0, 600_000],
  maxInstances: [1, 1000],
  phraseCacheBytes: [1_048_576, 17_179_869_184],
  timedTurns: [1, 4096],
  enginePerMinute: [0, 1_000_000],
  databaseConnections: [2, 100],
  worksAtOnce: [0, 100],
  worksPerUser: [1, 100_000],
  agentsPerUser: [1, 1_000_000],
  connectionTimeMs: [10, 1000],
  userTimeMs: [10, 1000],
  makePerMinute: [0, 1_000_000],
  askPerMinute: [0, 1_000_000],
  sourceBytes: [1024, 1_073_741_824],
  storedBytesPerUser: [1_048_576, 1_099_511_627_776],
  retentionDays: [1, 3650, 'zero'],
  leadMs: [40, 5000],
  spoolBytes: [65_536, 1_073_741_824],
  maxBufferedBytes: [16_384, 268_435_456],
  drainDeadlineMs: [1000, 600_000],
  creditTimeoutMs: [1000, 3_600_000],
  busyAt: [10, 99, 'zero'],
  maxConnections: [1, 1_000_000],
  maxConnectionsPerUser: [0, 1_000_000],
  maxOnlookers: [0, 1_000_000],
  maxOnlookersPerSession: [0, 1_000_000],
  onlookerJoinMs: [0, 5000],
  maxTurnsInFlight: [1, 1000],
  resumeMs: [1000, 600_000, 'zero'],
  maxDetachedPerUser: [1, 1_000_000],
  pauseTimeoutMs: [1000, 86_400_000],
  pendingTextChars: [1000, 10_000_000],
  textBytes: [8 * 1024 * 1024, 256 * 1024 * 1024],
  textChars: [1000, 1_000_000],
  idleTimeoutMs: [1000, 86_400_000, 'zero'],
  heartbeatMs: [1000, 3_600_000],
  pongTimeoutMs: [1000, 600_000],
  processes: [1, 64],
  drainDelayMs: [0, 600_000],
  drainMs: [0, 3_600_000],
};

const VOXGATE_SECRET = Buffer.alloc(32, 1).toString('base64');
/** What a port for other instances needs beside it. */
const PEER = {
  VOXGATE_PEER_URL: 'http://10.0.0.5:9100',
  VOXGATE_REDIS_URL: 'redis://10.0.0.1',
  VOXGATE_SECRET,
};
/** What some need beside them. */
const BESIDE: Partial<Record<SettingName, Record<string, string>>> = {
  peerPort: PEER,
  worksAtOnce: {
    VOXGATE_DATABASE_URL: 'postgres://ann@10.0.0.2/voxgate',
    VOXGATE_FILES_URL: 'file:///srv/voxgate',
    VOXGATE_SECRET,
  },
};

describe('numbers', () => {
  it('are all listed here with their bounds', () => {
    const numeric = SETTING_NAMES.filter((name) => typeof SETTINGS[name].default === 'number');
    expect(numeric.sort()).toEqual(Object.keys(BOUNDS).sort());
  });

  it.each(Object.entries(BOUNDS))('%s holds its bounds', (name, [min, max, zero]) => {
    const setting = name as SettingName;
    for (const value of zero === undefined ? [min, max] : [0, min, max]) {
      const result = parseEnv(setting, String(value), BESIDE[setting]);
      expect(result).toMatchObject({ ok: true, config: { [setting]: value } });
    }
    for (const value of [min - 1, max + 1].filter((each) => each !== 0 || zero === undefined)) {
      const result = parseEnv(setting, String(value));
      expect(result).toMatchObject({ ok: false });
      expect(result.ok ? [] : result.problems).toEqual([
        `${toEnv(setting)} is ${value}; allowed: ${SETTINGS[setting].allowed}`,
      ]);
      expect(SETTINGS[setting].allowed).toContain(`from ${min} to ${max}`);
    }
  });

  it.each(['1e3', '8080.0', '0x1F90', '+80', '80 90', '٨٠', 'eighty', 'NaN', '-', '9007199254740993'])(
    'refuses %j as a port',
    (value) => {
      expect(refused({ env: { VOXGATE_PORT: value } })).toEqual([
        `VOXGATE_PORT is ${JSON.stringify(value)}; allowed: a whole number from 0 to 65535, 0 = any free port, printed at the start`,
      ]);
    },
  );
});

describe('texts', () => {
  const cases: [SettingName, string, unknown][] = [
    ['host', 'localhost', 'localhost'],
    ['host', '::1', '::1'],
    ['host', '[::1]', '::1'],
    ['host', '127.0.0.1:8080', undefined],
    ['host', '127.1', undefined],
    ['host', 'http://localhost', undefined],
    ['host', 'a b', undefined],
    ['host', `${'a'.repeat(254)}`, undefined],
    ['logLevel', 'trace', 'trace'],
    ['logLevel', 'silent', 'silent'],
    ['logLevel', 'verbose', undefined],
    ['logLevel', 'INFO', undefined],
    ['voice', 'espeak:en-us+f3', 'espeak:en-us+f3'],
    ['voice2', 'x'.repeat(1024), 'x'.repeat(1024)],
    ['voice', 'x'.repeat(1025), undefined],
    ['voice', 'a\u0000b', undefined],
    ['adminKey', 's3cret-!', 's3cret-!'],
    ['adminKey', 'two words', undefined],
    ['adminKey', 'k'.repeat(513), undefined],
    ['dataDir', '/var/lib/voxgate', '/var/lib/voxgate'],
  ];
  it.each(cases)('%s given %j', (name, given, expected) => {
    const result = parseEnv(name, given);
    if (expected === undefined) expect(result.ok).toBe(false);
    else expect(result).toMatchObject({ ok: true, config: { [name]: expected } });
  });

  const keys = { VOXGATE_API_KEYS: 'ann:k1', VOXGATE_UPSTREAM_KEYS: 'u:k' };
  const addresses: [SettingName, string, string | undefined][] = [
    ['publicUrl', 'https://speak.example', 'https://speak.example'],
    ['publicUrl', 'https://speak.example/', 'https://speak.example'],
    ['publicUrl', 'https://speak.example:8443', 'https://speak.example:8443'],
    ['publicUrl', 'https://speak.example/voice', undefined],
    ['publicUrl', 'https://speak.example?x=1', undefined],
    ['publicUrl', 'https://speak.example#x', undefined],
    ['publicUrl', 'wss://speak.example', undefined],
    ['publicUrl', 'speak.example', undefined],
    ['upstreamUrl', 'http://10.0.0.5:9000', 'http://10.0.0.5:9000'],
    ['upstreamUrl', 'https://tts.example/base//', 'https://tts.example/base'],
    ['upstreamUrl', 'ftp://tts.example', undefined],
    ['upstreamUrl', 'https://tts.example/?key=1', undefined],
    ['upstreamUrl', 'https://', undefined],
  ];
  it.each(addresses)('%s given %j', (name, given, expected) => {
    const result = parseEnv(name, given, keys);
    if (expected === undefined) expect(result.ok).toBe(false);
    else expect(result).toMatchObject({ ok: true, config: { [name]: expected } });
  });

  const peer = { ...PEER, VOXGATE_PEER_PORT: '9100' };
  it('takes other instances with all that they need, and tells what is missing', () => {
    expect(accepted({ env: peer }).config).toMatchObject({ peerPort: 9100, peerUrl: 'http://10.0.0.5:9100' });
    for (const missing of ['VOXGATE_PEER_URL', 'VOXGATE_REDIS_URL', 'VOXGATE_SECRET'])
      expect(refused({ env: { ...peer, [missing]: undefined } }).join('\n')).toContain(missing);
    for (const [wrong, word] of [
      [{ VOXGATE_PORT: '9100' }, 'another listener'],
      [{ VOXGATE_PROCESSES: '2' }, 'VOXGATE_PROCESSES'],
      [{ VOXGATE_PEER_URL: 'https://10.0.0.5:9100' }, 'VOXGATE_TLS_CERT'],
    ] as const)
      expect(refused({ env: { ...peer, ...wrong } }).join('\n')).toContain(word);
  });

  it('does not show an address that may hold a password', () => {
    const problems = refused({ env: { VOXGATE_UPSTREAM_URL: 'https://me:hunter2@tts.example', ...keys } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toContain('hunter2');
  });
});

describe('credentials', () => {
  it('reads users and keys, several keys a user', () => {
    const { config } = accepted({ env: { VOXGATE_API_KEYS: ' ann:k1 , ann:k2,\nbob@example.com:k:3' } });
    expect(config.apiKeys).toEqual([
      { user: 'ann', key: 'k1' },
      { user: 'ann', key: 'k2' },
      { user: 'bob@example.com', key: 'k:3' },
    ]);
  });

  it('reads upstream keys with and without a limit', () => {
    const { config } = accepted({
      env: {
        VOXGATE_UPSTREAM_URL: 'https://tts.example',
        VOXGATE_UPSTREAM_KEYS: 'a@b.example:k1@60,u2:k2,u3:k@3@1',
      },
    });
    expect(config.upstreamKeys).toEqual([
      { userId: 'a@b.example', apiKey: 'k1', perMinute: 60, atOnce: undefined },
      { userId: 'u2', apiKey: 'k2', perMinute: undefined, atOnce: undefined },
      { userId: 'u3', apiKey: 'k@3', perMinute: 1, atOnce: undefined },
    ]);
  });

  it('reads how many requests of an upstream key may be under way', () => {
    const { config } = accepted({
      env: {
        VOXGATE_UPSTREAM_KIND: 'openai',
        VOXGATE_UPSTREAM_KEYS: 'sk-1#4,sk-2@60#15,a:b#2@7#50,k#x,k#12#50,k@x@60#3',
      },
    });
    expect(config.upstreamKeys).toEqual([
      { userId: '', apiKey: 'sk-1', perMinute: undefined, atOnce: 4 },
      { userId: '', apiKey: 'sk-2', perMinute: 60, atOnce: 15 },
      { userId: 'a', apiKey: 'b#2', perMinute: 7, atOnce: 50 },
      { userId: '', apiKey: 'k#x', perMinute: undefined, atOnce: undefined },
      { userId: '', apiKey: 'k#12', perMinute: undefined, atOnce: 50 },
      { userId: '', apiKey: 'k@x', perMinute: 60, atOnce: 3 },
    ]);
  });

  it('reads any key back from its short form with both limits', () => {
    const key = fc.stringMatching(/^[A-Za-z0-9#@_.-]{1,30}$/);
    fc.assert(
      fc.property(
        key,
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 9999 }),
        (apiKey, a, b) => {
          const reading = SETTINGS.upstreamKeys.read(`${apiKey}@${a}#${b}`);
          expect(reading).toEqual({ ok: true, value: [{ userId: '', apiKey, perMinute: a, atOnce: b }] });
        },
      ),
    );
  });

  it('asks for what a kind of service needs', () => {
    const problemsOf = (env: Record<string, string>) => refused({ env })[0];
    expect(
      problemsOf({ VOXGATE_UPSTREAM_KIND: 'engine', VOXGATE_UPSTREAM_URL: 'https://tts.example' }),
    ).toMatch(/UPSTREAM_URL is set, but VOXGATE_UPSTREAM_KIND is engine/);
    expect(problemsOf({ VOXGATE_UPSTREAM_KIND: 'deepgram' })).toMatch(/no keys to call it with/);
    expect(
      problemsOf({ VOXGATE_UPSTREAM_URL: 'https://tts.example', VOXGATE_UPSTREAM_KEYS: 'HIDDEN' }),
    ).toMatch(/entry 1 has no colon/);
    expect(problemsOf({ VOXGATE_UPSTREAM_KIND: 'openai' })).toMatch(
      /^VOXGATE_UPSTREAM_KIND is openai at its public address.*set VOXGATE_UPSTREAM_KEYS, or VOXGATE_UPSTREAM_URL/,
    );
    const home = { VOXGATE_UPSTREAM_KIND: 'openai', VOXGATE_UPSTREAM_URL: 'http://127.0.0.1:8880/v1' };
    expect(accepted({ env: home }).config.upstreamKeys).toEqual([]);
  });

  const wrong: [SettingName, string, RegExp][] = [
    ['apiKeys', 'ann:k1,HIDDEN', /entry 2 has no colon/],
    ['apiKeys', 'HIDDEN:', /entry 1 has nothing after/],
    ['apiKeys', ':HIDDEN', /entry 1 has nothing before/],
    ['apiKeys', 'ann:HIDDEN,bob:HIDDEN', /entry 2 has the same key as entry 1/],
    ['apiKeys', 'ann:HIDDEN ONE', /entry 1 holds a space/],
    ['apiKeys', 'ann:HIDDENé', /not ASCII/],
    ['apiKeys', `ann:${'HIDDEN'.repeat(86)}`, /longer than 512/],
    ['apiKeys', ',,', /holds no entry/],
    ['upstreamKeys', 'u:HIDDEN@0', /out of range \(value not shown\)/],
    ['upstreamKeys', 'u:HIDDEN@100001', /out of range/],
    ['upstreamKeys', 'u:HIDDEN@60/min', /other than digits/],
    ['upstreamKeys', 'u:HIDDEN@', /other than digits/],
    ['upstreamKeys', 'u:@60', /no key before/],
    ['upstreamKeys', 'u:HIDDEN,v:HIDDEN@5', /same key as entry 1/],
    ['upstreamKeys', 'u:HIDDEN#15@60', /# before @/],
    ['upstreamKeys', 'u:HIDDEN#0', /no request at once/],
    ['upstreamKeys', 'u:HIDDEN#10000', /too many requests at once/],
  ];
  it.each(wrong)('%s given %j is refused without showing it', (name, given, pattern) => {
    const problems = refused({ env: { [toEnv(name)]: given } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(pattern);
    expect(problems[0]).toContain(toEnv(name));
    expect(problems[0]).toContain(`allowed: ${SETTINGS[name].allowed}`);
    expect(problems[0]).not.toContain('HIDDEN');
  });

  it('come from a file, comma or line separated', () => {
    const { config } = accepted({
      env: { VOXGATE_API_KEYS_FILE: '/run/secrets/keys', VOXGATE_UPSTREAM_URL: 'https://tts.example' },
      flags: ['--upstream-keys-file', 'pool'],
      files: { '/run/secrets/keys': '\uFEFFann:k1\r\n\r\nbob:k2\n', pool: 'u:k@5,v:l' },
    });
    expect(config.apiKeys.map((each) => each.user)).toEqual(['ann', 'bob']);
    expect(config.upstreamKeys).toHaveLength(2);
  });

  it('are refused when the file is missing, empty, wrong, or given beside the value', () => {
    const at = (content?: string, more = {}) =>
      refused({
        env: { VOXGATE_API_KEYS_FILE: 'keys', ...more },
        ...(content === undefined ? {} : { files: { keys: content } }),
      });
    expect(at()).toEqual(['VOXGATE_API_KEYS_FILE names a file that cannot be read: keys (ENOENT)']);
    expect(at(' \n')[0]).toMatch(/^the file of VOXGATE_API_KEYS_FILE holds no entry; allowed: user:key/);
    expect(at('ann')[0]).toMatch(/^the file of VOXGATE_API_KEYS_FILE entry 1 has no colon/);
    expect(at('ann:k', { VOXGATE_API_KEYS: 'bob:k' })).toEqual([
      'VOXGATE_API_KEYS and VOXGATE_API_KEYS_FILE are both set; set one of them',
    ]);
  });

  it('never show in any problem or warning', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), fc.constantFrom('', 'u:', 'u:@', ':'), (hidden, before) => {
        fc.pre(hidden.trim().length >= 12);
        const value = `${before}${hidden}`;
        const result = parse({
          env: { VOXGATE_API_KEYS: value, VOXGATE_UPSTREAM_KEYS: value, VOXGATE_ADMIN_KEY: value },
          flags: ['--admin-key', value, value],
        });
        const said = result.ok ? result.warnings : result.problems;
        expect(said.join('\n')).not.toContain(hidden.trim());
      }),
    );
  });
});
