// `voxgate keys` against an admin listener of the test's own.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import { UsageError } from '../../src/cli/command.ts';
import { keys, type Pool, poolTable } from '../../src/cli/keys.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';

type Given = { readonly args: readonly string[] } & Partial<Pick<Terminal, 'env' | 'interrupted'>>;
const fakeTerminal = ({ args, ...rest }: Given) => {
  const terminal = { ...createFakeTerminal(args), ...rest };
  return { terminal, printed: terminal.printed, complained: terminal.complaints };
};

const POOL: Pool = {
  keys: [
    {
      fingerprint: 'k_0a1b2c3d',
      state: 'ready',
      used: 12,
      limit: 60,
      mode: 'phase',
      stage: 'probing',
      source: 'learned',
      configuredPerMinute: 90,
      heldMs: 0,
      inFlight: 2,
      cap: 50,
    },
    {
      fingerprint: 'k_ffffffff',
      state: 'refused',
      used: 0,
      mode: 'learning',
      heldMs: 0,
      inFlight: 0,
      cap: 50,
      doubt: { reason: 'refused', restMs: 90_500 },
    },
  ],
  waiting: 3,
  waitingByClass: { first: 1, next: 2, batch: 0 },
  hedge: { budget: 1.9, afterMs: 412.4 },
};

describe('the table', () => {
  it('has a row for each key and says what waits', () => {
    expect(poolTable(POOL)).toEqual([
      'key         state    used  limit     counted   known             in flight  free in',
      'k_0a1b2c3d  ready    12    60 of 90  phase     learned, probing  2 of 50    –',
      'k_ffffffff  refused  0     –         learning  –                 0 of 50    90.5 s',
      'waiting: 3 (first 1, next 2)',
      'hedging: a second key is asked after 412 ms, 1 in hand',
    ]);
  });

  it('has the characters of keys where one is limited in them', () => {
    const [key, other] = POOL.keys;
    const characters = {
      charactersPerMinute: 5000,
      charactersPerMonth: 100_000,
      inMinute: 12,
      inMonth: 34_567,
    };
    const lines = poolTable({ ...POOL, keys: [{ ...key!, characters }, other!] });
    expect(lines.slice(0, 3).map((line) => line.slice(0, 82).trimEnd())).toEqual(
      [
        'key         state    used  limit     characters                                    ',
        'k_0a1b2c3d  ready    12    60 of 90  12 of 5000 a minute, 34567 of 100000 a month  p',
        'k_ffffffff  refused  0     –         –',
      ].map((line) => line.slice(0, 82).trimEnd()),
    );
  });

  it('names the service of each key where there are several', () => {
    const [key] = POOL.keys;
    const lines = poolTable({
      ...POOL,
      keys: [
        { ...key!, service: 'eleven' },
        { ...key!, service: 'home' },
      ],
    });
    expect(lines.slice(0, 3).map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['service', 'key'],
      ['eleven', 'k_0a1b2c3d'],
      ['home', 'k_0a1b2c3d'],
    ]);
  });

  it('names the configured number only where it is more than the limit', () => {
    const [key] = POOL.keys;
    const row = (limit: number) => poolTable({ ...POOL, keys: [{ ...key!, limit }] })[1]!;
    expect([row(89), row(90), row(120)].map((line) => /(\d+( of 90)?) +phase/.exec(line)![1])).toEqual([
      '89 of 90',
      '90',
      '120',
    ]);
  });

  it('says when nothing waits and nothing is known', () => {
    const idle = { ...POOL, waiting: 0, waitingByClass: {}, hedge: { budget: 0 } };
    expect(poolTable(idle).slice(-2)).toEqual(['waiting: 0', 'hedging: not known yet how late is late']);
  });
});

describe('the command', () => {
  const closes: (() => void)[] = [];
  afterEach(() => {
    for (const close of closes.splice(0)) close();
  });

  const admin = async (status: number, body: unknown) => {
    const requests: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      requests.push(request);
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closes.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
  };

  it('prints the table of a running pool and sends the admin key', async () => {
    const { url, requests } = await admin(200, POOL);
    const { terminal, printed } = fakeTerminal({
      args: ['--url', url],
      env: { VOXGATE_ADMIN_KEY: 'secret' },
    });
    expect(await keys.run(terminal)).toBe(0);
    expect(printed).toEqual(poolTable(POOL));
    expect([requests[0]!.url, requests[0]!.headers.authorization]).toEqual(['/pool', 'Bearer secret']);
  });

  it('finds the listener by VOXGATE_ADMIN_PORT, and passes the answer on as it is', async () => {
    const { url } = await admin(200, POOL);
    const env = { VOXGATE_ADMIN_PORT: new URL(url).port };
    const { terminal, printed } = fakeTerminal({ args: ['--json'], env });
    expect(await keys.run(terminal)).toBe(0);
    expect(JSON.parse(printed.join('\n'))).toEqual(POOL);
  });

  it('goes on watching until it is interrupted', async () => {
    const { url } = await admin(200, POOL);
    const interrupted = new AbortController();
    const { terminal, printed } = fakeTerminal({
      args: ['--url', url, '--watch', '--json'],
      interrupted: interrupted.signal,
    });
    const running = keys.run(terminal);
    await expect.poll(() => printed.length, { timeout: 5000 }).toBeGreaterThanOrEqual(2);
    interrupted.abort();
    expect(await running).toBe(0);
  });

  it('goes on watching after a look that failed, and says so once', async () => {
    let status = 200;
    const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(POOL)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closes.push(() => server.close());
    const interrupted = new AbortController();
    const { terminal, printed, complained } = fakeTerminal({
      args: ['--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, '--watch', '--json'],
      interrupted: interrupted.signal,
    });
    const running = keys.run(terminal);
    await expect.poll(() => printed.length, { timeout: 5000 }).toBe(1);
    status = 500;
    let failures = 0;
    server.on('request', () => {
      if (status === 500) failures += 1;
    });
    await expect.poll(() => failures, { timeout: 8000 }).toBeGreaterThanOrEqual(2);
    status = 200;
    await expect.poll(() => printed.length, { timeout: 5000 }).toBeGreaterThanOrEqual(2);
    expect(complained).toEqual([expect.stringContaining('answered 500')]);
    interrupted.abort();
    expect(await running).toBe(0);
  }, 20_000);

  it.each([
    [401, '{}', /without its admin key; set VOXGATE_ADMIN_KEY/],
    [403, '{}', /without its admin key/],
    [404, '{}', /answered 404; give the address of the admin listener/],
    [200, '<html>', /something else than a pool/],
    [200, { keys: 'none' }, /something else than a pool/],
  ])('fails, saying why, when the answer is %d %j', async (status, body, message) => {
    const { url } = await admin(status, body);
    const { terminal, complained } = fakeTerminal({ args: ['--url', url] });
    expect(await keys.run(terminal)).toBe(1);
    expect(complained.join('\n')).toMatch(message);
  });

  it('fails, saying how to start one, when nobody listens', async () => {
    const { url } = await admin(200, POOL);
    for (const close of closes.splice(0)) close();
    const { terminal, complained } = fakeTerminal({ args: ['--url', url] });
    expect(await keys.run(terminal)).toBe(1);
    expect(complained.join('\n')).toMatch(
      /did not answer \(ECONNREFUSED\); start the gateway with --admin-port/,
    );
  });

  it.each([
    [[], /--url is not set/],
    [['--url', 'ftp://x'], /--url is "ftp:\/\/x"/],
    [['--url', 'nonsense'], /allowed: the http/],
    [['--wrong'], /--wrong/],
  ])('is a wrong usage: %j', async (args, message) => {
    const run = keys.run(fakeTerminal({ args }).terminal);
    await expect(run).rejects.toThrow(UsageError);
    await expect(run).rejects.toThrow(message);
  });
});
