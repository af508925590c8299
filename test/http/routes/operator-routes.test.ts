// What an operator sees of a whole gateway, and the end of one session: who may, what its client is told, and that no other
// session notices.
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createTwilioSide } from '../../../testkit/carriers/twilio-side.ts';
import { dial } from '../../support/fake-carrier.ts';
import { type RunningGateway, spoken, startRunningGateway } from '../../support/running-gateway.ts';
import { audio } from '../../support/scripted-upstream.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const KEYS = { VOXGATE_API_KEYS: 'ann:key-of-ann,bob:key-of-bob', VOXGATE_ADMIN_KEY: 'admin' };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
type Overview = {
  readonly sessions: readonly { readonly id: string }[];
  readonly calls: readonly { readonly id: string; readonly session?: string }[];
  readonly services: readonly object[];
  readonly endingTakes: string;
};
const overview = async (headers: Record<string, string> = bearer('admin')) => {
  const answer = await fetch(`${gateway.url}/v1/operator`, { headers });
  return { status: answer.status, body: (await answer.json()) as Overview };
};
const end = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/operator/sessions/${id}`, { method: 'DELETE', headers });
const errorOf = async (answer: Response) => [
  answer.status,
  ((await answer.json()) as { errorId: string }).errorId,
];

describe('the view of an operator', () => {
  it('has the sessions of all users by tenant, dialect and outcome so far, and the service with its keys', async () => {
    gateway = await startRunningGateway({ env: KEYS });
    const ann = await gateway.session('pace=burst', { headers: bearer('key-of-ann') });
    await ann.speaks('a');
    ann.send({ type: 'speak', turn: 'b', text: 'One more, which is cut.' }, { type: 'cancel', turn: 'b' });
    await ann.ended('b');
    const bob = new WebSocket(
      `${gateway.sessionUrl.replace('/v1/session', '/v1/speak')}?encoding=mulaw&sample_rate=8000`,
      { headers: { authorization: 'Token key-of-bob' } },
    );
    await new Promise((resolve) => bob.once('open', resolve));

    const { status, body } = await overview();
    expect(status).toBe(200);
    expect(body.sessions).toMatchObject([
      {
        id: (await ann.event('ready')).session,
        tenant: 'ann',
        dialect: 'native',
        turnsUnheard: expect.any(Number),
        turnsEnded: { complete: 1, cancelled: 1, truncated: 0, failed: 0 },
        format: 'mulaw',
        sampleRate: 8000,
      },
      { tenant: 'bob', dialect: expect.stringMatching(/deepgram/), turnsEnded: { complete: 0 } },
    ]);
    expect(body.calls).toEqual([]);
    expect(body.services).toMatchObject([
      {
        name: 'speech-service',
        address: gateway.upstream.url.origin,
        keys: [{ fingerprint: expect.stringMatching(/^k_/), state: 'ready', inFlight: 0 }],
        waiting: 0,
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/key-of|upstream-key|which is cut/);
    // A code that clients of that protocol take as final.
    const closed = new Promise((resolve) => bob.once('close', resolve));
    expect((await end(body.sessions[1]!.id, bearer('admin'))).status).toBe(204);
    expect(await closed).toBe(1008);
  });

  it('has the calls that are there, with the session that has them', async () => {
    gateway = await startRunningGateway();
    const call = await dial(`ws://127.0.0.1:${gateway.port}/v1/legs/twilio`, createTwilioSide(), {
      callId: 'CA1',
    });
    await expect
      .poll(async () => (await overview()).body.calls)
      .toMatchObject([{ kind: 'twilio', callSid: 'CA1', tenant: 'local', ageMs: expect.any(Number) }]);
    expect((await overview()).body.calls[0]!.session).toBeUndefined();
    const bot = await gateway.session();
    const { session } = await bot.event('ready');
    bot.send({ type: 'attach', leg: { callSid: 'CA1' } });
    await bot.event('attached');
    const { body } = await overview();
    expect(body.calls).toMatchObject([{ callSid: 'CA1', session }]);
    expect(body.sessions).toMatchObject([{ leg: { kind: 'twilio', callSid: 'CA1', id: body.calls[0]!.id } }]);
    call.hangUp();
    await bot.event('detached');
    expect((await overview()).body.calls).toEqual([]);
  });

  it('says what ending a session takes', async () => {
    gateway = await startRunningGateway({ env: { VOXGATE_ADMIN_KEY: 'admin' } });
    expect((await overview({})).body.endingTakes).toBe('admin-key');
    expect((await overview()).body.endingTakes).toBe('nothing');
  });

  it('is for the admin key where others are served, also from this machine', async () => {
    gateway = await startRunningGateway({ env: KEYS });
    expect((await overview({})).status).toBe(401);
    expect((await overview()).body.endingTakes).toBe('nothing');
    expect((await overview({ 'x-forwarded-for': '1.2.3.4' })).status).toBe(401);
    expect((await overview({ 'x-forwarded-for': '1.2.3.4', ...bearer('key-of-ann') })).status).toBe(401);
    expect((await overview({ 'x-forwarded-for': '1.2.3.4', ...bearer('admin') })).status).toBe(200);
  });
});

describe('ending one session', () => {
  it('tells its client, ends its turn as what was heard of it, closes with 4410, and leaves others alone', async () => {
    gateway = await startRunningGateway({ script: audio(spoken(4)), env: KEYS });
    const ann = await gateway.session('leadMs=40', { headers: bearer('key-of-ann') });
    const bob = await gateway.session('pace=burst', { headers: bearer('key-of-bob') });
    const { session } = await ann.event('ready');
    ann.send({
      type: 'speak',
      turn: 'a',
      text: 'One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten.',
    });
    await ann.nextAudio();
    expect((await end(session, bearer('admin'))).status).toBe(204);
    expect(await ann.closed).toEqual({ code: 4410, reason: 'ended_by_operator' });
    expect(ann.events('error')[0]).toMatchObject({
      code: 'ended_by_operator',
      scope: 'session',
      retryable: false,
    });
    expect(ann.events('ended')).toMatchObject([{ turn: 'a', outcome: 'truncated' }]);
    expect(ann.events('heard')).toMatchObject([{ turn: 'a' }]);
    expect(await bob.speaks('b')).toMatchObject({ outcome: 'complete' });
    await expect.poll(async () => (await overview()).body.sessions.length).toBe(1);
    expect(await errorOf(await end(session, bearer('admin')))).toEqual([404, 'NOT_FOUND']);
    expect(await gateway.scrape()).toContain('voxgate_ws_closes_total{code="4410"} 1');
  });

  it('is refused without the admin key, to the owner too, and the session goes on', async () => {
    gateway = await startRunningGateway({ env: KEYS });
    const ann = await gateway.session('pace=burst', { headers: bearer('key-of-ann') });
    const { session } = await ann.event('ready');
    expect(await errorOf(await end(session))).toEqual([401, 'UNAUTHORIZED']);
    expect(await errorOf(await end(session, bearer('key-of-ann')))).toEqual([401, 'UNAUTHORIZED']);
    expect(await errorOf(await end('no/such', bearer('admin')))).toEqual([404, 'NOT_FOUND']);
    expect(await errorOf(await end('a'.repeat(65), bearer('admin')))).toEqual([404, 'NOT_FOUND']);
    const posted = await fetch(`${gateway.url}/v1/operator/sessions/${session}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'DELETE']);
    expect(await ann.speaks('a')).toMatchObject({ outcome: 'complete' });
  });

  it('is for this machine where there are no keys, and lets the call go that the session had', async () => {
    gateway = await startRunningGateway();
    const call = await dial(`ws://127.0.0.1:${gateway.port}/v1/legs/twilio`, createTwilioSide(), {
      callId: 'CA1',
    });
    const bot = await gateway.session();
    const { session } = await bot.event('ready');
    bot.send({ type: 'attach', leg: { callSid: 'CA1' } });
    await bot.event('attached');
    expect(await errorOf(await end(session, { origin: 'https://evil.example' }))).toEqual([403, 'FORBIDDEN']);
    expect((await end(session)).status).toBe(204);
    expect((await bot.closed).code).toBe(4410);
    const [left] = (await overview()).body.calls;
    expect(left).toMatchObject({ callSid: 'CA1' });
    expect(left!.session).toBeUndefined();
    const other = await gateway.session();
    other.send({ type: 'attach', leg: { callSid: 'CA1' } });
    await other.event('attached');
    call.hangUp();
  });
});
