// Settings as a whole: where they come from, which source wins, what is refused and in which words.
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isLoopback, type Setting } from '../../src/settings/setting.ts';
import { type Config, SETTINGS, toFlag } from '../../src/settings/settings.ts';
import { accepted, parse, parseEnv, refused, SETTING_NAMES } from '../support/settings.ts';

describe('sources', () => {
  it('rank flag, environment, file, default', () => {
    const files = { 'v.yaml': 'port: 1\nadminPort: 2\nleadMs: 300\n' };
    const { config } = accepted({
      env: { VOXGATE_PORT: '11', VOXGATE_ADMIN_PORT: '12' },
      flags: ['--port=21', '--config', 'v.yaml'],
      files,
    });
    expect([config.port, config.adminPort, config.leadMs, config.heartbeatMs]).toEqual([21, 12, 300, 20_000]);
  });

  it('take the last of a repeated flag, and 0 as a value', () => {
    expect(accepted({ flags: ['--port', '1', '--port', '0', '--drain-ms=0'] }).config).toMatchObject({
      port: 0,
      drainMs: 0,
    });
    expect(
      accepted({ flags: ['--config=c'], files: { c: 'maxConnectionsPerUser: 0' } }).config,
    ).toMatchObject({
      maxConnectionsPerUser: 0,
    });
  });

  it('treat an empty value as not set here', () => {
    const { config } = accepted({
      env: { VOXGATE_PORT: '', VOXGATE_VOICE: ' ', VOXGATE_LEAD_MS: undefined },
      flags: ['--config', 'c'],
      files: { c: 'port: 5\nvoice:\nleadMs: ""' },
    });
    expect(config).toMatchObject({ port: 5, leadMs: 200 });
    expect(config.voice).toBeUndefined();
  });

  it('tell every problem at once, one line each', () => {
    const problems = refused({
      env: { VOXGATE_PORT: '70000', VOXGATE_LOG_LEVEL: 'loud\nforged line' },
      flags: ['--lead-ms', '5'],
    });
    expect(problems).toHaveLength(3);
    expect(problems.join('')).not.toContain('\n');
    expect(problems.map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['VOXGATE_PORT', 'VOXGATE_LOG_LEVEL', '--lead-ms']),
    );
  });

  const misnamed: [string, Parameters<typeof parse>[0], string][] = [
    [
      'variable',
      { env: { VOXGATE_PROT: '1' } },
      'VOXGATE_PROT is not a setting of Voxgate; did you mean VOXGATE_PORT?',
    ],
    [
      'far variable',
      { env: { VOXGATE_ZEBRA_COUNT: '1' } },
      'VOXGATE_ZEBRA_COUNT is not a setting of Voxgate',
    ],
    [
      'lower case',
      { env: { VOXGATE_port: '1' } },
      'VOXGATE_port is not a setting of Voxgate; did you mean VOXGATE_PORT?',
    ],
    ['flag', { flags: ['--led-ms', '300'] }, '--led-ms is not a flag of Voxgate; did you mean --lead-ms?'],
    ['camel flag', { flags: ['--leadMs=300'] }, '--leadMs is not a flag of Voxgate; did you mean --lead-ms?'],
    ['config flag', { flags: ['--confg', 'x'] }, '--confg is not a flag of Voxgate; did you mean --config?'],
    ['flag without value', { flags: ['--port'] }, '--port has no value; allowed: --port VALUE'],
    ['flag before flag', { flags: ['--port', '--host=::1'] }, '--port has no value; allowed: --port VALUE'],
    [
      'stray word',
      { flags: ['hello'] },
      'argument 1 is neither a flag nor the value of one; allowed: --name value or --name=value',
    ],
    [
      'key',
      { flags: ['--config=c'], files: { c: 'lead-ms: 3' } },
      'lead-ms is not a setting of Voxgate; did you mean leadMs? (in c)',
    ],
    [
      'proto key',
      { flags: ['--config=c'], files: { c: '__proto__: 3' } },
      '__proto__ is not a setting of Voxgate (in c)',
    ],
    [
      'nested',
      { flags: ['--config=c'], files: { c: 'port:\n  - 1' } },
      'port in c is neither text nor a number nor a list of texts',
    ],
    [
      'boolean',
      { flags: ['--config=c'], files: { c: 'voice: true' } },
      'voice in c is neither text nor a number nor a list of texts',
    ],
    [
      'no mapping',
      { flags: ['--config=c'], files: { c: 'port' } },
      'what stands in c is not a list of names and values (leadMs: 300)',
    ],
    [
      'broken',
      { flags: ['--config=c'], files: { c: 'adminKey: "HIDDEN' } },
      'line 1, column 18 in c is not YAML (MISSING_CHAR)',
    ],
    [
      'doubled',
      { flags: ['--config=c'], files: { c: 'port: 1\nport: 2' } },
      'line 2, column 1 in c is not YAML (DUPLICATE_KEY)',
    ],
    ['alias', { flags: ['--config=c'], files: { c: 'port: *x' } }, 'the aliases in c cannot be resolved'],
    ['no file', { flags: ['--config=c'] }, '--config names a file that cannot be read: c (ENOENT)'],
    [
      'file value',
      { flags: ['--config=c'], files: { c: 'leadMs: 3.5' } },
      `leadMs in c is "3.5"; allowed: ${SETTINGS.leadMs.allowed}`,
    ],
  ];
  it.each(misnamed)('refuse a wrong %s', (_, sources, line) => {
    expect(refused(sources)).toEqual([line]);
  });

  it('read an empty file and a list of keys from YAML', () => {
    expect(accepted({ flags: ['--config=c'], files: { c: '# nothing\n' } }).config.port).toBe(8080);
    const files = { c: 'apiKeys:\n  - ann:k1\n  - bob:k2\nport: 0x10\n' };
    const { config } = accepted({ flags: ['--config=c'], files });
    expect(config.apiKeys).toHaveLength(2);
    expect(config.port).toBe(16);
  });

  it('warn when a secret stands in a flag', () => {
    expect(accepted({ flags: ['--admin-key', 'k'] }).warnings).toEqual([
      '--admin-key can be read in the list of processes; VOXGATE_ADMIN_KEY or a file cannot',
    ]);
  });

  it('ignore what container platforms inject, with one warning', () => {
    const { config, warnings } = accepted({
      env: {
        VOXGATE_SERVICE_HOST: '10.0.0.1',
        VOXGATE_SERVICE_PORT: '8080',
        VOXGATE_PORT: 'tcp://10.0.0.1:8080',
        VOXGATE_PORT_8080_TCP_ADDR: '10.0.0.1',
        VOXGATE_REDIS_SERVICE_HOST: '10.0.0.2',
        VOXGATE_REDIS_PORT_6379_TCP: 'tcp://10.0.0.2:6379',
        PATH: '/bin',
      },
    });
    expect(config.port).toBe(8080);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^ignored what a container platform injects.*VOXGATE_PORT.* and 1 more$/);
  });

  it('never mistake a setting of ours for an injected one', () => {
    for (const name of SETTING_NAMES) expect(parseEnv(name, '\u0000').ok, name).toBe(false);
  });

  it.each([
    [{ env: { VOXGATE_AUDIOSOCKET_PORT: '9092' } }],
    [{ flags: ['--audiosocket-port', '9092'] }],
    [{ flags: ['--config=c'], files: { c: 'audiosocketPort: 9092' } }],
  ])('take the port of AudioSocket from %j', (sources) => {
    expect(accepted(sources).config.audiosocketPort).toBe(9092);
    expect(accepted({}).config.audiosocketPort).toBe(0);
  });

  it.each(['VOXGATE_PORT', 'VOXGATE_ADMIN_PORT'])('refuse AudioSocket on the port of %s', (name) => {
    const [problem, ...more] = refused({ env: { VOXGATE_AUDIOSOCKET_PORT: '9092', [name]: '9092' } });
    expect(more).toEqual([]);
    expect(problem).toMatch(/^VOXGATE_AUDIOSOCKET_PORT is 9092, the port of another listener/);
  });
});

describe('the address of Redis', () => {
  it.each(['redis://localhost', 'redis://:secret@10.0.0.2:6379/3', 'rediss://ann:pw@redis.internal:6380'])(
    'may be %s',
    (given) => {
      expect(accepted({ env: { VOXGATE_REDIS_URL: given } }).config.redisUrl).toBe(given);
    },
  );

  it.each(['localhost:6379', 'http://:hunter2@localhost', 'redis://:hunter2@localhost/x?y', 'redis://'])(
    'may not be %s, and a password in it is not repeated',
    (given) => {
      const [problem, ...more] = refused({ env: { VOXGATE_REDIS_URL: given } });
      expect(more).toEqual([]);
      expect(problem).toMatch(/^VOXGATE_REDIS_URL is no such address .*redis:\/\//);
      expect(problem).not.toContain('hunter2');
    },
  );
});

describe('what several instances share', () => {
  const secret = Buffer.alloc(32, 0xfb).toString('base64');
  const older = Buffer.alloc(40, 1).toString('base64url');
  const env = {
    VOXGATE_DATABASE_URL: 'postgres://ann:hunter2@db.internal:5433/voxgate?sslmode=verify-full',
    VOXGATE_FILES_URL: 'file:///srv/voxgate',
    VOXGATE_SECRET: `${secret},${older}`,
  };

  it('is a database, a folder and a secret, or two while one is exchanged', () => {
    const { databaseUrl, filesUrl, secret: secrets } = accepted({ env }).config;
    expect([databaseUrl, filesUrl]).toEqual([
      env.VOXGATE_DATABASE_URL,
      { kind: 'folder', folder: '/srv/voxgate' },
    ]);
    expect(secrets.map((text) => Buffer.from(text, 'base64url').length)).toEqual([32, 40]);
  });

  it('lets an instance make no works, where others can', () => {
    const none = { VOXGATE_WORKS_AT_ONCE: '0' };
    expect(accepted({ env: { ...env, ...none } }).config.worksAtOnce).toBe(0);
    expect(refused({ env: none })).toEqual([
      expect.stringMatching(
        /^VOXGATE_WORKS_AT_ONCE is 0, and nobody else makes the works of VOXGATE_DATA_DIR/,
      ),
    ]);
  });

  it.each([
    ['VOXGATE_SECRET', /^VOXGATE_DATABASE_URL is set, but not the secret that all instances sign with/],
    ['VOXGATE_FILES_URL', /^VOXGATE_DATABASE_URL is set, but not where files lie that all instances reach/],
    ['VOXGATE_DATABASE_URL', /^VOXGATE_FILES_URL is set, but the records are in VOXGATE_DATA_DIR/],
  ])('is refused without %s', (left, words) => {
    const [problem, ...more] = refused({ env: { ...env, [left]: '' } });
    expect([problem?.match(words) !== null, more]).toEqual([true, []]);
  });

  it.each([
    ['VOXGATE_DATABASE_URL', 'mysql://ann:hunter2@db/voxgate'],
    ['VOXGATE_DATABASE_URL', 'postgres://ann:hunter2@db'],
    ['VOXGATE_DATABASE_URL', 'postgres://ann:hunter2@/voxgate'],
    ['VOXGATE_DATABASE_URL', 'postgres://ann:hunter2@db/voxgate?options=-c'],
    ['VOXGATE_SECRET', 'hunter2'],
    ['VOXGATE_SECRET', `${secret},${secret}`],
    ['VOXGATE_SECRET', `${secret},${older},${Buffer.alloc(32, 2).toString('base64')}`],
    ['VOXGATE_SECRET', Buffer.alloc(31, 1).toString('base64')],
  ])('has no %s of %s, and repeats none of it', (name, value) => {
    const [problem, ...more] = refused({ env: { ...env, [name]: value } });
    expect(more).toEqual([]);
    expect(problem?.startsWith(name)).toBe(true);
    for (const part of ['hunter2', secret.slice(0, 8)]) expect(problem).not.toContain(part);
  });

  it.each([
    ['s3://files', { prefix: '' }],
    ['s3://files/', { prefix: '' }],
    ['s3://files/a/b', { prefix: 'a/b/' }],
    ['s3://files/a/../b/', { prefix: 'b/' }],
    ['s3://files/a?region=eu-north-1', { prefix: 'a/', region: 'eu-north-1' }],
    ['s3://files/a?endpoint=http://[::1]:9000/', { prefix: 'a/', endpoint: 'http://[::1]:9000' }],
  ])('is a bucket at %s', (given, expected) => {
    const { filesUrl } = accepted({ env: { ...env, VOXGATE_FILES_URL: given } }).config;
    expect(filesUrl).toEqual({
      ...{ kind: 's3', bucket: 'files', endpoint: undefined, region: undefined },
      ...expected,
    });
  });

  it.each([
    's3://ann:hunter2@files/a',
    's3://Files/a',
    's3://fi/a',
    's3://files:9000/a',
    's3://files/a//b',
    's3://files/a%2fb',
    's3://files/.hidden',
    's3://files/a?prefix=b',
    's3://files/a?endpoint=ftp://host',
    's3://files/a?endpoint=https://ann:hunter2@host',
    's3://files/a?endpoint=https://host/path',
    's3://files/a?region=Not%20One',
    's3://files/a#b',
    '/srv/voxgate',
    'file://host/srv',
    'file:///srv?x=1',
    'https://files.example',
  ])('takes no files at %s, and says what it takes', (given) => {
    const [problem] = refused({ env: { ...env, VOXGATE_FILES_URL: given } });
    expect(problem).toMatch(/^VOXGATE_FILES_URL is ".*allowed: file:\/\/\/folder.* s3:\/\/bucket\/prefix/);
    expect(problem).not.toContain('hunter2');
  });
});

describe('rules between settings', () => {
  const keys = { VOXGATE_API_KEYS: 'ann:k' };
  it.each(['0.0.0.0', '::', '192.168.1.5', 'gateway.internal', '::ffff:10.0.0.1'])(
    'need keys on %s',
    (host) => {
      const problems = refused({ env: { VOXGATE_HOST: host } });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^VOXGATE_HOST is .* no API keys.* set VOXGATE_API_KEYS/);
      accepted({ env: { VOXGATE_HOST: host, ...keys } });
    },
  );

  it.each(['127.0.0.1', '127.8.9.1', 'localhost', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])(
    'need none on %s',
    (host) => {
      expect(isLoopback(host)).toBe(true);
      accepted({ flags: ['--host', host] });
    },
  );

  const wrong: [Record<string, string>, RegExp][] = [
    [{ VOXGATE_PUBLIC_URL: 'https://a.example' }, /^VOXGATE_PUBLIC_URL .* set VOXGATE_API_KEYS too$/],
    [{ VOXGATE_TLS_CERT: 'c.pem' }, /VOXGATE_TLS_CERT and VOXGATE_TLS_KEY belong together/],
    [{ VOXGATE_TLS_KEY: 'k.pem' }, /VOXGATE_TLS_CERT and VOXGATE_TLS_KEY belong together/],
    [
      { VOXGATE_UPSTREAM_URL: 'https://a.example' },
      /^VOXGATE_UPSTREAM_URL is set, .* VOXGATE_UPSTREAM_KEYS$/,
    ],
    [
      { VOXGATE_PORT: '9000', VOXGATE_ADMIN_PORT: '9000' },
      /^VOXGATE_ADMIN_PORT is 9000, the public port too/,
    ],
  ];
  it.each(wrong)('refuse %j', (given, pattern) => {
    const problems = refused({ env: given });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(pattern);
  });

  it('accept both halves together, and two ports of 0', () => {
    accepted({ env: { VOXGATE_TLS_CERT: 'c.pem', VOXGATE_TLS_KEY: 'k.pem' } });
    accepted({ env: { VOXGATE_PORT: '0', VOXGATE_ADMIN_PORT: '0' } });
    accepted({ env: { ...keys, VOXGATE_PUBLIC_URL: 'https://a.example' } });
  });

  it('warn of upstream keys that nothing uses', () => {
    expect(accepted({ env: { VOXGATE_UPSTREAM_KEYS: 'u:k' } }).warnings).toEqual([
      'VOXGATE_UPSTREAM_KEYS is not used: without VOXGATE_UPSTREAM_URL the embedded engine speaks',
    ]);
  });
});

describe('the result', () => {
  it('is frozen to the bottom', () => {
    const { config } = accepted({ env: { VOXGATE_API_KEYS: 'ann:k' } });
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.apiKeys[0]!, { key: 'x' })).toThrow(TypeError);
    expect(Object.isFrozen(config.apiKeys)).toBe(true);
  });

  it('is typed by the table', () => {
    expectTypeOf<Config['port']>().toEqualTypeOf<number>();
    expectTypeOf<Config['voice']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Config['logLevel']>().toEqualTypeOf<
      'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
    >();
  });

  it('holds every default, and every default lies within its own bounds', () => {
    const { config, warnings } = accepted({});
    expect(warnings).toEqual([]);
    for (const name of SETTING_NAMES) {
      const setting: Setting<unknown> = SETTINGS[name];
      expect(config[name]).toEqual(setting.default);
      if (typeof setting.default === 'number' || typeof setting.default === 'string')
        expect(setting.read(String(setting.default)), name).toEqual({ ok: true, value: setting.default });
    }
  });

  it('comes out whatever is thrown at it', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(...SETTING_NAMES.map(toFlag), '--config', '0', '=', '--'),
    );
    fc.assert(
      fc.property(fc.array(word), fc.string(), (flags, yaml) => {
        const result = parse({ flags: [...flags, '--config=c'], files: { c: yaml } });
        expect(result.ok ? result.warnings : result.problems).toSatisfy((lines: string[]) =>
          lines.every((line) => !/[\r\n]/.test(line)),
        );
      }),
    );
  });
});
