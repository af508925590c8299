// What a caller names outside, through a whole gateway that refuses private addresses: nothing inside is ever connected
// to, whether the address is refused as it is written or only the name server gives it away. Connections are noted at
// the socket; names are answered by a resolver of the test's own, which may change its mind.

import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, describe as suite, vi } from 'vitest';
import { createFakeInternet, type FakeInternet } from '../service/fetch/fake-internet.ts';
import { REFUSED_AS_ANSWERED, REFUSED_AS_WRITTEN } from '../service/fetch/ssrf-corpus.ts';
import { PROCESSES } from '../support/gateway-processes.ts';
import { speaking } from '../support/running-gateway.ts';
import { keyOf, type RunningService, startRunningService, VOICE } from '../support/running-service.ts';

const PUBLIC = '93.184.215.14';
const TIDES = readFileSync(new URL('../../fixtures/documents/tides.html', import.meta.url));
const isFour = (address: string) => !address.includes(':');

/** One caller each, because each may have one generation at a time. */
const answered = REFUSED_AS_ANSWERED.map(([url, ...addresses], index) => ({
  user: `caller${index}`,
  url,
  addresses,
}));
const USERS = [...answered.map(({ user }) => user), 'ann', 'bob', 'cat', 'dan'];

/** The corpus, always: webhooks to it are still being tried again while later tests run. */
const known = (host: string): readonly string[] =>
  answered.find(({ url }) => new URL(url).hostname === host)?.addresses ?? [PUBLIC];

// Name server and sockets are watched in this process, so the gateway has to be in it.
const describe = suite.skipIf(PROCESSES > 1);

let service: RunningService;
let source: Server;
let internet: FakeInternet;
let answers: (host: string) => readonly string[];

beforeAll(async () => {
  source = createServer((request, response) => {
    if (request.url === '/inside') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    else if (request.url === '/again') response.writeHead(302, { location: '/tides.html' }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(TIDES);
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  service = await startRunningService({
    script: speaking,
    env: {
      VOXGATE_PRIVATE_ADDRESSES: 'refused',
      VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
      VOXGATE_API_KEYS: USERS.map((user) => `${user}:${keyOf(user)}`).join(','),
    },
  });
});
afterAll(async () => {
  await service.close();
  await new Promise((resolve) => source.close(resolve));
});

beforeEach(() => {
  internet = createFakeInternet([service.port, Number(service.upstream.url.port)]);
  const found = (host: string, isWanted: (address: string) => boolean) => {
    const addresses = answers(host).filter(isWanted);
    return addresses.length > 0
      ? Promise.resolve(addresses)
      : Promise.reject(Object.assign(new Error('nobody'), { code: 'ENODATA' }));
  };
  vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(((host: string) =>
    found(host, isFour)) as Resolver['resolve4']);
  vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(((host: string) =>
    found(host, (address) => !isFour(address))) as Resolver['resolve6']);
  answers = known;
  internet.routes.set(PUBLIC, (source.address() as AddressInfo).port);
});
afterEach(() => {
  internet.restore();
  vi.restoreAllMocks();
});

const create = (user: string, fields: Readonly<Record<string, string>>) =>
  service.ask('POST', '/api/v1/playnotes', {
    user,
    form: { synthesisStyle: 'executive-briefing', voice1: VOICE, voice1Name: 'null', ...fields },
  });
const ended = async (user: string, id: string) =>
  (await service.until(`/api/v1/playnotes/${id}`, ({ status }) => status !== 'generating', user)).json;

describe('an address that is refused as it is written', () => {
  it.each(['sourceFileUrl', 'webHookUrl'])(
    'as %s: at creation, without a look-up or a connection',
    async (field) => {
      let lookups = 0;
      answers = () => {
        lookups += 1;
        return [PUBLIC];
      };
      const other = field === 'webHookUrl' ? { sourceFileUrl: 'http://source.example/' } : {};
      for (const url of REFUSED_AS_WRITTEN) {
        const { status, json, text } = await create('ann', { ...other, [field]: url });
        // What is no address of the web at all does not pass the form.
        expect([400, 422], `${url}: ${text}`).toContain(status);
        if (status === 422) expect(json.errorId).toBe('ADDRESS_REFUSED');
        else expect(json.errorMessage).toContain(field);
      }
      expect([lookups, internet.tried]).toEqual([0, []]);
    },
  );
});

describe('a name that only its name server gives away', () => {
  it('as source and as webhook: the PlayNote fails, and nothing is connected to', async () => {
    const attempts = () => service.metric('voxgate_webhook_attempts_total');
    const before = (await attempts()) || 0;
    const outcomes = answered.map(async ({ user, url }) => {
      const made = await create(user, { sourceFileUrl: url, webHookUrl: url });
      expect(made.status, made.text).toBe(201);
      return [url, await ended(user, made.json.id)];
    });
    for (const [url, record] of await Promise.all(outcomes))
      expect([url, record]).toMatchObject([url, { status: 'failed', error: { code: 'address_refused' } }]);
    // Each webhook is tried at least once: for the end.
    await vi.waitFor(
      async () => expect(await attempts()).toBeGreaterThanOrEqual(before + answered.length),
      50_000,
    );
    expect(internet.tried).toEqual([]);
  });
});

describe('a server outside', () => {
  it('is read, which shows that connections are noted at all', async () => {
    const made = await create('bob', { sourceFileUrl: 'http://source.example/again' });
    expect(await ended('bob', made.json.id)).toMatchObject({ status: 'completed' });
    expect(internet.tried).toEqual([PUBLIC, PUBLIC]);
  });

  it('that leads inside is not followed', async () => {
    const made = await create('cat', { sourceFileUrl: 'http://source.example/inside' });
    expect(await ended('cat', made.json.id)).toMatchObject({ error: { code: 'address_refused' } });
    expect(internet.tried).toEqual([PUBLIC]);
  });

  it('whose name then means this machine gains nothing', async () => {
    let lookups = 0;
    answers = (host) => (host !== 'source.example' || lookups++ < 2 ? known(host) : ['127.0.0.1']);
    const made = await create('dan', { sourceFileUrl: 'http://source.example/again' });
    expect(await ended('dan', made.json.id)).toMatchObject({ error: { code: 'address_refused' } });
    // Asked for both families, twice; connected to once, at the address that was judged.
    expect(internet.tried).toEqual([PUBLIC]);
  });
});
