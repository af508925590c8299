// A gateway before several speech services: who speaks, in which voice, for whom; what is told of it, on every way in.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/dialects/native-events.ts';
import { type RunningGateway, spoken, startRunningGateway } from '../support/running-gateway.ts';
import { audio, type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';

const SOUND = spoken();
let eleven: ScriptedUpstream;
let home: ScriptedUpstream;
let closed: ScriptedUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  eleven = await startScriptedUpstream(audio(SOUND), {
    '/v1/voices': {
      voices: [{ voice_id: 'AAAAAAAAAAAAAAAAAAAA', name: 'Vera', labels: { gender: 'female' } }],
    },
  });
  home = await startScriptedUpstream(audio(SOUND), {
    '/v1/audio/voices': { voices: ['af_heart', 'am_adam'] },
  });
  closed = await startScriptedUpstream(audio(SOUND), { '/v1/audio/voices': { voices: ['secret_voice'] } });
  gateway = await startRunningGateway({
    env: {
      VOXGATE_UPSTREAM_URL: '',
      VOXGATE_UPSTREAM_KEYS: '',
      VOXGATE_API_KEYS: 'ann:ann-key,ben:ben-key',
      VOXGATE_PHRASE_CACHE: 'always',
      // What comes in another format than asked for is not kept.
      VOXGATE_UPSTREAM_SOUND: 'mp3',
      // One sound for all texts: its words are not theirs.
      VOXGATE_ENDINGS: 'sound',
      VOXGATE_UPSTREAMS: JSON.stringify([
        {
          kind: 'openai',
          name: 'closed',
          url: `${closed.url.origin}/v1`,
          tenants: ['ben'],
          keys: ['K1', 'K2', 'K3'],
        },
        {
          kind: 'elevenlabs',
          name: 'eleven',
          url: eleven.url.origin,
          keys: ['KEY#5'],
          options: { stability: 0.3, enable_logging: false },
        },
        {
          kind: 'openai',
          name: 'home',
          url: `${home.url.origin}/v1`,
          model: 'kokoro',
          fallbackVoice: 'af_heart',
        },
      ]),
      VOXGATE_VOICES: JSON.stringify({
        anna: { eleven: 'Rachel', home: 'af_heart', closed: 'secret_voice' },
      }),
    },
  });
}, 60_000);
afterAll(async () => {
  await gateway?.close();
  for (const service of [eleven, home, closed]) await service?.close();
});

const session = (query = '', key = 'ann-key') =>
  gateway.session(`format=raw&pace=burst${query}`, { headers: { authorization: `Bearer ${key}` } });
const get = (path: string, key = 'ann-key') =>
  fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}`, 'x-user-id': key.slice(0, 3) } });
let turns = 0;
const NOT_OPENED = { type: 'ended', outcome: 'failed', sentMs: 0, cached: false } as EventOf<'ended'>;
const speak = async (fields: object, query = '', key = 'ann-key') => {
  const probe = await session(query, key);
  turns += 1;
  const turn = `turn-${turns}`;
  probe.send({ type: 'speak', turn, text: `These are the words of turn ${turns}.`, ...fields });
  // A message that is refused opens no turn, and no turn ends.
  const ended = await Promise.race([probe.ended(turn), probe.event('error').then(() => NOT_OPENED)]);
  const [started] = probe.events('started');
  const errors = probe.events('error');
  probe.terminate();
  return { started, ended, errors };
};
const lastOf = (service: ScriptedUpstream) => service.requests.at(-1)!;

describe('a turn', () => {
  it('is spoken by the first service that its tenant may use, with what its options say', async () => {
    const { started, ended } = await speak({ seed: 7, temperature: 0.5, prompt: 'cheerful' });
    expect(started).toMatchObject({ upstream: 'eleven', ignored: ['temperature', 'prompt'], seed: 7 });
    expect(ended).toMatchObject({
      outcome: 'complete',
      servedBy: [{ upstream: 'eleven', fromMs: 0, toMs: ended.sentMs }],
    });
    const { path, headers, body } = lastOf(eleven);
    expect(path).toContain('enable_logging=false');
    expect(headers['xi-api-key']).toBe('KEY');
    expect(body).toMatchObject({ voice_settings: { stability: 0.3 }, seed: 7 });
    expect((await speak({}, '', 'ben-key')).started).toMatchObject({ upstream: 'closed' });
  });

  it('has the voice of the table at each service, under the name by which that one knows it', async () => {
    const first = await speak({ voice: 'anna' });
    expect(lastOf(eleven).path).toContain('/21m00Tcm4TlvDq8ikWAM/');
    expect(first.ended.servedBy).toMatchObject([{ upstream: 'eleven', voice: '21m00Tcm4TlvDq8ikWAM' }]);
    expect((await speak({ voice: 'anna', upstream: 'home' })).started).toMatchObject({ upstream: 'home' });
    expect(lastOf(home).body).toMatchObject({ voice: 'af_heart', model: 'kokoro' });
  });

  it('goes where its voice says', async () => {
    expect((await speak({ voice: 'home/am_adam' })).started).toMatchObject({ upstream: 'home' });
    expect(lastOf(home).body).toMatchObject({ voice: 'am_adam' });
    // OpenAI's own names are known for OpenAI; ElevenLabs has none of them.
    expect((await speak({ voice: 'alloy' })).started).toMatchObject({ upstream: 'home' });
  });

  it('is narrowed by configure, by the address and by itself, and refused where nothing is left', async () => {
    expect((await speak({}, '&upstream=home,eleven')).started).toMatchObject({ upstream: 'home' });
    const probe = await session();
    probe.send({ type: 'configure', upstream: ['home'] });
    expect(await probe.event('configured')).toMatchObject({ upstream: ['home'] });
    probe.send({ type: 'speak', turn: 't', text: 'Good morning.' });
    expect(await probe.event('started')).toMatchObject({ upstream: 'home' });
    probe.send({ type: 'configure', upstream: 'nowhere' });
    expect(await probe.event('error')).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('upstream: must be one of eleven, home (got "nowhere")') as string,
    });
    probe.terminate();
    await expect(session('&upstream=closed')).rejects.toThrow(/400/);
  });

  it('of one service is never played from what was kept of another', async () => {
    const text = 'A phrase that is said again.';
    const before = home.requests.length;
    expect((await speak({ text })).ended).toMatchObject({ cached: false });
    expect((await speak({ text })).ended).toMatchObject({ cached: true, servedBy: [{ upstream: 'eleven' }] });
    expect((await speak({ text, upstream: 'home' })).ended).toMatchObject({ cached: false });
    expect(home.requests.length).toBe(before + 1);
  });
});

describe('texts of a tenant that may not use a service', () => {
  it('never get there, whatever is asked for', async () => {
    const before = closed.requests.length;
    await speak({});
    await speak({ voice: 'anna' });
    const refused = await Promise.all([
      speak({ voice: 'closed/secret_voice' }),
      speak({ upstream: ['closed'] }),
    ]);
    expect(refused.map(({ errors }) => errors[0]?.code)).toEqual(['invalid_request', 'invalid_request']);
    await speak({ voice: 'secret_voice' });
    await speak({ upstream: ['closed', 'home'] });
    const headers = {
      authorization: 'Bearer ann-key',
      'x-user-id': 'ann',
      'content-type': 'application/json',
    };
    const body = { model: 'VoxDialog', text: 'Over HTTP.', voice: 'closed/secret_voice' };
    const denied = await fetch(`${gateway.url}/api/v1/tts/stream`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(denied.status).toBe(400);
    const told = await fetch(`${gateway.url}/api/v1/tts/stream`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, voice: 'anna', temperature: 1 }),
    });
    expect([
      told.status,
      told.headers.get('x-voxgate-upstream'),
      told.headers.get('x-voxgate-ignored'),
    ]).toEqual([200, 'eleven', 'temperature']);
    await told.arrayBuffer();
    expect(closed.requests.length).toBe(before);
  });
});

describe('over HTTP', () => {
  const post = (path: string, body: object) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: 'Bearer ann-key', 'x-user-id': 'ann', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const TEXT = { model: 'VoxDialog', text: 'Good morning over HTTP.', voice: 'anna' };
  const ELSEWHERE = { model: 'any', input: TEXT.text, voice: 'anna' };

  it('a speech goes where its caller says, on our way and on those of others', async () => {
    for (const [path, body] of [
      ['/api/v1/tts/stream', { ...TEXT, upstream: ['home', 'eleven'], prefer: 'order', lastResort: 'fail' }],
      ['/v1/audio/speech?voxgate_upstream=home', ELSEWHERE],
    ] as const) {
      const reply = await post(path, body);
      expect([reply.status, reply.headers.get('x-voxgate-upstream')]).toEqual([200, 'home']);
      await reply.arrayBuffer();
    }
  });
  it('is refused for a service that it may not use, and for a wish that there is not', async () => {
    const before = closed.requests.length;
    for (const [path, body, said] of [
      ['/api/v1/tts/stream', { ...TEXT, upstream: 'nowhere' }, 'upstream: must be one of eleven, home'],
      ['/api/v1/tts/stream', { ...TEXT, upstream: ['closed'] }, 'upstream: must be one of eleven, home'],
      ['/api/v1/tts/stream', { ...TEXT, prefer: 'cheapest' }, 'prefer'],
      ['/api/v1/tts', { ...TEXT, upstream: 'closed' }, 'upstream: must be one of eleven, home'],
      ['/api/v1/tts', { ...TEXT, lastResort: 'sing' }, 'lastResort'],
      ['/v1/audio/speech?voxgate_upstream=closed', ELSEWHERE, 'upstream: must be one of eleven, home'],
      ['/v1/audio/speech?voxgate_prefer=cheapest', ELSEWHERE, 'voxgate_prefer'],
    ] as const) {
      const reply = await post(path, body);
      expect([path, reply.status]).toEqual([path, 400]);
      expect(await reply.text()).toContain(said);
    }
    expect(closed.requests.length).toBe(before);
  });
  it('a job goes there too, and tells who spoke', async () => {
    const job = (await (await post('/api/v1/tts', { ...TEXT, upstream: 'home' })).json()) as { id: string };
    let reply: Response | undefined;
    await expect
      .poll(
        async () => {
          reply = await get(`/api/v1/tts/${job.id}`);
          return ((await reply.clone().json()) as { status: string }).status;
        },
        { timeout: 60_000, interval: 50 },
      )
      .toBe('completed');
    const { output, input } = (await reply!.json()) as {
      input: object;
      output: { duration: number; servedBy: object[] };
    };
    expect(input).toMatchObject({ upstream: ['home'] });
    expect(reply!.headers.get('x-voxgate-upstream')).toBe('home');
    expect(output.servedBy).toEqual([
      { upstream: 'home', voice: 'af_heart', fromMs: 0, toMs: Math.round(output.duration * 1000) },
    ]);
  }, 60_000);
});

describe('voices', () => {
  const AT_ELEVEN = { id: 'AAAAAAAAAAAAAAAAAAAA', name: 'Vera', gender: 'Female', upstream: 'eleven' };
  it('are listed with their services, those that the user may use, on every way', async () => {
    const listed = (await (await get('/api/v1/voices')).json()) as { id: string; upstream: string }[];
    expect(listed).toEqual([
      { id: 'anna', name: 'anna', upstream: 'eleven,home' },
      AT_ELEVEN,
      { id: 'af_heart', upstream: 'home' },
      { id: 'am_adam', upstream: 'home' },
    ]);
    const { voices } = (await (await get('/v1/voices')).json()) as { voices: object[] };
    expect(voices).toContainEqual(
      expect.objectContaining({ voice_id: AT_ELEVEN.id, labels: { gender: 'Female', upstream: 'eleven' } }),
    );
    const probe = await session();
    probe.send({ type: 'voices' });
    expect(await probe.event('voices')).toEqual({ type: 'voices', voices: listed, more: false });
    probe.terminate();
    const ofBen = (await (await get('/api/v1/voices', 'ben-key')).json()) as { id: string }[];
    expect(ofBen.map(({ id }) => id)).toContain('secret_voice');
  });

  it('are there under the ids of the list', async () => {
    const listed = (await (await get('/api/v1/voices')).json()) as { id: string; upstream: string }[];
    for (const { id, upstream } of listed)
      expect((await speak({ voice: id })).started).toMatchObject({ upstream: upstream.split(',')[0] });
  });
});

it('keys and metrics tell of which service they are', async () => {
  const pool = (await (await get('/v1/pool', 'admin')).json()) as {
    keys: { service: string; cap: number }[];
  };
  expect(pool.keys.map(({ service, cap }) => `${service} ${cap}`)).toEqual([
    'closed 50',
    'closed 50',
    'closed 50',
    'eleven 5',
    'home 50',
  ]);
  const scrape = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(scrape).toMatch(/voxgate_upstream_requests_total\{service="eleven",outcome="ok"\} [1-9]/);
  expect(scrape).toMatch(/voxgate_key_state\{service="home",key="k_[0-9a-f]{8}",state="ready"\} 1/);
  const overview = (await (await get('/v1/operator', 'admin')).json()) as { services: object[] };
  expect(overview.services).toMatchObject([
    { name: 'closed', kind: 'openai', address: closed.url.origin },
    { name: 'eleven', kind: 'elevenlabs' },
    { name: 'home', kind: 'openai' },
  ]);
});

it('in a gateway of several processes the keys of a group have their places together, and what one finds of a service all know', async () => {
  let [underWay, most] = [0, 0];
  let fails = false;
  const counted = await startScriptedUpstream((reply) => {
    if (fails && reply.request.headers.authorization === 'Bearer key-of-one') return reply.reset();
    underWay += 1;
    most = Math.max(most, underWay);
    // Long enough that all who want to have asked.
    setTimeout(() => {
      underWay -= 1;
      void audio(SOUND)(reply);
    }, 100);
  });
  const both = ['one', 'two'].map((name) => ({
    kind: 'openai',
    name,
    url: `${counted.url.origin}/v1`,
    keys: [`key-of-${name}#2`],
    group: 'account',
  }));
  const env = {
    VOXGATE_UPSTREAM_URL: '',
    VOXGATE_UPSTREAM_KEYS: '',
    VOXGATE_UPSTREAMS: JSON.stringify(both),
  };
  const busy = await startRunningGateway({ processes: 2, env: { ...env, VOXGATE_ENDINGS: 'sound' } });
  try {
    const ended = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const probe = await busy.session('format=raw&pace=burst');
        probe.send({
          type: 'speak',
          turn: 't',
          text: `Words of turn ${n}.`,
          upstream: n % 2 === 0 ? 'one' : 'two',
        });
        return probe.ended('t');
      }),
    );
    expect(ended.map(({ outcome, servedBy }) => [outcome, servedBy?.[0]?.upstream])).toEqual(
      ended.map((_, n) => ['complete', n % 2 === 0 ? 'one' : 'two']),
    );
    expect(most).toBe(2);
    const pool = (await (await fetch(`${busy.url}/v1/pool`)).json()) as {
      keys: { service: string; cap: number }[];
    };
    expect(pool.keys.map(({ service, cap }) => [service, cap])).toEqual([
      ['one', 2],
      ['two', 2],
    ]);

    fails = true;
    // Of three turns one after another in each of two processes; who finds it out first spares the other its own.
    for (let n = 0; n < 5; n += 1) {
      const probe = await busy.session('format=raw&pace=burst');
      probe.send({ type: 'speak', turn: 't', text: `More words of turn ${n}.` });
      expect((await probe.ended('t')).servedBy).toMatchObject([{ upstream: 'two' }]);
    }
    const states = async () => {
      const { services } = (await (await fetch(`${busy.url}/v1/operator`)).json()) as {
        services: { health: { state: string; processes: { process: number; state: string }[] } }[];
      };
      return services[0]!.health.processes.map(({ process, state }) => `${process} ${state}`);
    };
    await expect.poll(states, { timeout: 60_000, interval: 50 }).toEqual(['0 out', '1 out', '2 out']);
    expect(busy.logLines.filter((line) => /upstream_service.*"state":"out"/.test(line))).toHaveLength(3);
  } finally {
    await busy.close();
    await counted.close();
  }
}, 120_000);
