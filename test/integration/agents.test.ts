// `/v1/session?agent=ID`: a stored profile under the session's own settings, and an honest record of what was spoken.
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AgentProfile } from '../../src/speech/agent-profile.ts';
import type { AgentRecord, AgentStatsRecord, JobRecord } from '../../src/speech/service-records.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

/** Of a gateway without keys: whom a session without headers belongs to. */
const HEADERS = { authorization: 'Bearer any', 'x-user-id': 'local' };
const PROFILE: AgentProfile = {
  name: 'Front desk',
  voice: 'vox:anna',
  speed: 1.25,
  language: 'german',
  format: 'raw',
  sampleRate: 16_000,
  aliases: { boss: 'vox:carla', helper: 'vox:dora' },
  pronunciations: [{ written: 'SQL', spoken: 'sequel' }],
};

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({
    script: speaking,
    // What a key may send is known, or jobs would wait behind sessions until it is found out.
    env: { VOXGATE_UPSTREAM_KEYS: 'user:key@10000' },
  });
});
afterAll(() => gateway.close());

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`${gateway.url}${path}`, {
    ...init,
    headers: { ...HEADERS, 'content-type': 'application/json', ...init.headers },
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
const createAgent = (profile: AgentProfile) =>
  call<AgentRecord>('/api/v1/agents', { method: 'POST', body: JSON.stringify(profile) });
const statsOf = (id: string) => call<AgentStatsRecord>(`/api/v1/agent-stats/${id}`);
const lastAsked = () => gateway.upstream.requests.at(-1)!.body as Record<string, unknown>;

describe('the profile', () => {
  it('is what a session begins with, under what its query says', async () => {
    const { id } = await createAgent(PROFILE);
    const probe = await gateway.session(`agent=${id}&speed=2&format=mulaw&sampleRate=8000`);
    probe.send({ type: 'configure' });
    expect(await probe.event('configured')).toMatchObject({
      format: 'mulaw',
      sampleRate: 8000,
      synthesis: { voice: 'vox:anna', speed: 2, language: 'german' },
    });
    probe.terminate();
  });

  it('has names for voices, which the query, configure and speak may use', async () => {
    const { id } = await createAgent(PROFILE);
    const probe = await gateway.session(`agent=${id}&pace=burst&voice=boss`);
    const askedFor = async (turn: string, fields: object = {}) => {
      probe.send({ type: 'speak', turn, text: 'Guten Tag.', ...fields });
      await probe.ended(turn);
      return lastAsked().voice;
    };
    expect(await askedFor('query')).toBe('vox:carla');
    expect(await askedFor('speak', { voice: 'helper' })).toBe('vox:dora');
    probe.send({ type: 'configure', voice: 'helper', voice2: 'boss' });
    expect(await probe.event('configured')).toMatchObject({
      synthesis: { voice: 'vox:dora', voice2: 'vox:carla' },
    });
    expect(await askedFor('configure')).toBe('vox:dora');
    expect(await askedFor('other', { voice: 'vox:unlisted' })).toBe('vox:unlisted');
    probe.send({ type: 'append', turn: 'first', text: 'Und jetzt.', voice: 'boss' });
    probe.send({ type: 'end', turn: 'first' });
    await probe.ended('first');
    expect(lastAsked().voice).toBe('vox:carla');
    probe.terminate();
  });

  it('says words its own way, and captions and heard text keep the caller’s', async () => {
    const { id } = await createAgent(PROFILE);
    const probe = await gateway.session(`agent=${id}&pace=burst&captions=words`);
    probe.send({ type: 'speak', turn: 'a', text: 'We like SQL, not MySQL.' });
    await probe.ended('a');
    expect(lastAsked().text).toBe('We like sequel, not MySQL.');
    const words = probe.events('caption').flatMap(({ words }) => words);
    expect(words.map(({ text }) => text)).toEqual(['We', 'like', 'SQL,', 'not', 'MySQL.']);
    expect(words[2]).toMatchObject({ charStart: 8, charEnd: 12 });
    probe.send({ type: 'played', turn: 'a', ms: 60_000 });
    expect(await probe.event('heard')).toMatchObject({
      spokenText: 'We like SQL, not MySQL.',
      remainingText: '',
    });
    probe.terminate();
  });

  it.each(['/tts/websocket', '/v1/text-to-speech/v/stream-input'])(
    'greets nobody whose protocol has no place for it: %s',
    async (path) => {
      const { id } = await createAgent({ ...PROFILE, greeting: `Welcome to ${path}.` });
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}?agent=${id}`);
      await once(socket, 'open');
      // Whatever a session asks for as it begins is asked for before another one has spoken.
      const probe = await gateway.session('pace=burst');
      probe.send({ type: 'speak', turn: 'a', text: 'Something else.' });
      await probe.event('ended');
      const asked = gateway.upstream.requests.map(({ body }) => (body as { text: string }).text);
      expect(asked.at(-1)).toBe('Something else.');
      expect(asked.join(' ')).not.toContain(path);
      socket.terminate();
      probe.terminate();
    },
  );

  it('greets first, as turn "greeting", which cannot be named again', async () => {
    const { id } = await createAgent({ ...PROFILE, greeting: 'Welcome to the SQL desk.' });
    const probe = await gateway.session(`agent=${id}&pace=burst`);
    probe.send({ type: 'speak', turn: 'a', text: 'Now the second.' });
    await probe.ended('a');
    expect(probe.events('started').map(({ turn }) => turn)).toEqual(['greeting', 'a']);
    expect(probe.audioOf('greeting').length).toBeGreaterThan(8000);
    expect(gateway.upstream.requests.map(({ body }) => (body as { text: string }).text)).toContain(
      'Welcome to the sequel desk.',
    );
    probe.send({ type: 'speak', turn: 'greeting', text: 'Again.' });
    expect(await probe.event('error')).toMatchObject({ code: 'turn_ended', turn: 'greeting' });
    probe.terminate();
  });

  it('of a running session is the one that it began with', async () => {
    const { id } = await createAgent(PROFILE);
    const probe = await gateway.session(`agent=${id}&pace=burst`);
    await call(`/api/v1/agents/${id}`, { method: 'PATCH', body: JSON.stringify({ voice: 'vox:new' }) });
    await probe.speaks('a');
    expect(lastAsked().voice).toBe('vox:anna');
    const next = await gateway.session(`agent=${id}&pace=burst`);
    await next.speaks('a');
    expect(lastAsked().voice).toBe('vox:new');
    for (const each of [probe, next]) each.terminate();
  });
});

describe('refused at the upgrade', () => {
  it.each([
    ['an unknown agent', 'agent=00000000-0000-4000-8000-000000000000', /^refused with 404 .*no agent/s],
    ['an empty id', 'agent=', /^refused with 404/],
    ['two agents', 'agent=a&agent=b', /^refused with 400 .*given twice/s],
    ['a wrong preset, before the agent is looked for', 'agent=none&pace=fast', /^refused with 400 .*pace/s],
    ['a field that is none', 'agents=none', /^refused with 400 .*there are .*agent/s],
  ])('%s', async (_name, query, refusal) => {
    await expect(gateway.session(query)).rejects.toThrow(refusal);
  });

  it('the agent of another user, as if there were none', async () => {
    const { id } = await createAgent(PROFILE);
    const others = gateway.session(`agent=${id}`, { headers: { 'x-user-id': 'somebody-else' } });
    await expect(others).rejects.toThrow(/^refused with 404/);
  });

  it('a preset that does not go with the profile', async () => {
    const { id } = await createAgent({ name: 'Wide', format: 'raw', sampleRate: 11_026 });
    await expect(gateway.session(`agent=${id}&format=mp3`)).rejects.toThrow(
      /^refused with 400 .*sampleRate/s,
    );
    (await gateway.session(`agent=${id}&format=ogg&sampleRate=24000`)).terminate();
  });
});

describe('the record', () => {
  it('counts sessions, turns, code points, seconds and interruptions of what was heard', async () => {
    const { id } = await createAgent({ name: 'Counted' });
    (await gateway.session(`agent=${id}`)).terminate();
    const probe = await gateway.session(`agent=${id}&pace=burst`);
    probe.send({ type: 'speak', turn: 'whole', text: 'Nice to see you. 👋' });
    const { sentMs } = await probe.ended('whole');
    probe.send({ type: 'configure', pace: 'realtime' });
    probe.send({ type: 'speak', turn: 'cut', text: 'This one is cut off in the middle, which is a pity.' });
    await probe.event('started', ({ turn }) => turn === 'cut');
    await probe.nextAudio();
    probe.send({ type: 'cancel', turn: 'cut' });
    const cut = await probe.ended('cut');
    // Nobody heard of this one: it is no turn of the record.
    probe.send({ type: 'append', turn: 'unheard', text: 'Never' }, { type: 'cancel', turn: 'unheard' });
    expect(await probe.ended('unheard')).toMatchObject({ outcome: 'cancelled', sentMs: 0 });
    const stats = await statsOf(id);
    expect(stats).toMatchObject({
      agentId: id,
      sessions: 2,
      turns: 2,
      interruptions: 1,
      characters: 18 + 51,
    });
    expect(stats.secondsSpoken * 1000).toBeCloseTo(sentMs + cut.sentMs, -1);
    expect(stats.firstAudioP50Ms).toBeGreaterThan(0);
    expect(stats.firstAudioP95Ms).toBeGreaterThanOrEqual(stats.firstAudioP50Ms!);
    probe.terminate();
  });

  it('counts a job with the agent, whose profile it has taken', async () => {
    const { id } = await createAgent({
      name: 'Reader',
      voice: 'vox:anna',
      pronunciations: PROFILE.pronunciations,
    });
    const job = await call<JobRecord>('/api/v1/tts', {
      method: 'POST',
      body: JSON.stringify({ text: 'SQL it is.', voice: 'vox:anna', agent: id }),
    });
    const done = () => call<JobRecord>(`/api/v1/tts/${job.id}`);
    await expect.poll(async () => (await done()).status).toBe('completed');
    const { output } = await done();
    expect(lastAsked().text).toBe('sequel it is.');
    await expect.poll(async () => (await statsOf(id)).turns).toBe(1);
    expect(await statsOf(id)).toMatchObject({
      sessions: 0,
      characters: 10,
      secondsSpoken: expect.closeTo(output.duration!, 2) as number,
      firstAudioP50Ms: null,
    });
  });
});

it('a job of a model without dialogue leaves the second voice of the agent alone', async () => {
  const { id } = await createAgent({ name: 'Two', voice2: 'vox:ben', speed: 2 });
  const fields = { model: 'Vox3.0-mini', text: 'Alone.', voice: 'vox:anna', agent: id };
  const { input } = await call<JobRecord>('/api/v1/tts', { method: 'POST', body: JSON.stringify(fields) });
  expect(input).toMatchObject({ voice: 'vox:anna', speed: 2 });
  expect(input).not.toHaveProperty('voice2');
});

it('the limit of connections holds for sessions with an agent, the one that is looked up included', async () => {
  const small = await startRunningGateway({ env: { VOXGATE_MAX_CONNECTIONS: '1' } });
  try {
    const response = await fetch(`${small.url}/api/v1/agents`, {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Only' }),
    });
    const { id } = (await response.json()) as AgentRecord;
    const tried = await Promise.allSettled([small.session(`agent=${id}`), small.session(`agent=${id}`)]);
    expect(tried.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = tried.find((each) => each.status === 'rejected') as PromiseRejectedResult;
    expect(String(refused.reason)).toMatch(/refused with 503/);
  } finally {
    await small.close();
  }
});
