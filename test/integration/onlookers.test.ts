// Tokens and onlookers over real sockets: who gets in, what they are sent, when they are let go, and that no token ever
// stands in the log.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { PROCESSES } from '../support/gateway-processes.ts';
import { readVtt } from '../support/read-vtt.ts';
import { spoken, startRunningGateway } from '../support/running-gateway.ts';
import { credentialsOf, type RunningService, startRunningService } from '../support/running-service.ts';
import { audio } from '../support/scripted-upstream.ts';
import type { SessionProbe } from '../support/session-probe.ts';

let service: RunningService;
let probe: SessionProbe;
let session: string;
const given: string[] = [];

beforeAll(async () => {
  service = await startRunningService({
    script: audio(spoken(2)),
    env: { VOXGATE_LOG_LEVEL: 'debug', VOXGATE_MAX_ONLOOKERS_PER_SESSION: '20' },
  });
  probe = await service.session(undefined, { headers: credentialsOf('ann') });
  ({ session } = await probe.event('ready'));
});
afterAll(() => service?.close());

type Issued = { readonly id: string; readonly token: string; readonly expiresAt: string };
async function tokenOf(json: object, user = 'ann'): Promise<Issued> {
  const answer = await service.ask('POST', '/v1/tokens', { user, json });
  expect(answer.status, answer.text).toBe(201);
  const issued = answer.json as unknown as Issued;
  given.push(issued.token);
  return issued;
}
const watch = (more: object = {}) => tokenOf({ scope: 'watch', session, ...more });
const see = (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(new URL(`/v1/sessions/${path}`, service.url), { headers, ...(signal && { signal }) });
const refusal = async (path: string, headers: Record<string, string> = {}) => {
  const response = await see(path, headers);
  const { errorId } = (await response.json()) as { errorId: string };
  return [response.status, errorId];
};
/** What comes until `isEnough`, or until it ends. */
async function readUntil(response: Response, isEnough: (all: Buffer) => boolean): Promise<Buffer> {
  let all = Buffer.alloc(0);
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) all = Buffer.concat([all, value]);
    if (done) return all;
    if (!isEnough(all)) continue;
    await reader.cancel();
    return all;
  }
}
const speakWith = (protocols: readonly string[]) =>
  new Promise<{ readonly status: number; readonly protocol: string }>((resolve) => {
    const socket = new WebSocket(service.sessionUrl, [...protocols]);
    socket.once('open', () => {
      resolve({ status: 101, protocol: socket.protocol });
      socket.close();
    });
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => {
      resolve({ status: statusCode, protocol: '' });
      socket.terminate();
    });
    socket.on('error', () => {});
  });

describe('tokens', () => {
  it('to speak open a session as a subprotocol, and only voxgate.v1 is echoed', async () => {
    const { id, token, expiresAt } = await tokenOf({ scope: 'speak', expiresInSeconds: 60 });
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 60_000)).toBeLessThan(20_000);
    expect(await speakWith(['voxgate.v1', `token.${token}`])).toEqual({
      status: 101,
      protocol: 'voxgate.v1',
    });
    const watching = await watch();
    expect((await speakWith(['voxgate.v1', `token.${watching.token}`])).status).toBe(403);
    expect((await speakWith(['voxgate.v1', 'token.none'])).status).toBe(401);
    expect((await service.ask('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
    expect((await speakWith(['voxgate.v1', `token.${token}`])).status).toBe(401);
  });

  it('are given to whoever has a key, for a session of his own', async () => {
    const ask = (json: object, user = 'ann') => service.ask('POST', '/v1/tokens', { user, json });
    expect((await ask({ scope: 'watch', session }, 'bob')).status).toBe(404);
    expect((await ask({ scope: 'watch', session: 'none' })).status).toBe(404);
    expect((await ask({ scope: 'speak', expiresInSeconds: 901 })).json.errorMessage).toMatch(
      /expiresInSeconds/,
    );
    expect((await ask({ scope: 'watch', session, media: [] })).status).toBe(400);
    expect((await ask({ scope: 'all' })).status).toBe(400);
    expect((await fetch(`${service.url}/v1/tokens`, { method: 'POST' })).status).toBe(401);
    const { id } = await watch();
    expect((await service.ask('DELETE', `/v1/tokens/${id}`, { user: 'bob' })).status).toBe(404);
  });
});

describe('who may look on', () => {
  it('is told apart by the status', async () => {
    const { token } = await watch({ media: ['captions'] });
    const { token: speak } = await tokenOf({ scope: 'speak' });
    expect(await refusal(`${session}/events`)).toEqual([401, 'UNAUTHORIZED']);
    expect(await refusal(`${session}/events?token=x`)).toEqual([401, 'UNAUTHORIZED']);
    expect(await refusal(`${session}/audio?token=${token}`)).toEqual([403, 'FORBIDDEN']);
    expect(await refusal(`${session}/events?token=${speak}`)).toEqual([403, 'FORBIDDEN']);
    expect(await refusal(`other/events?token=${token}`)).toEqual([403, 'FORBIDDEN']);
    expect(await refusal(`${session}/events`, credentialsOf('bob'))).toEqual([404, 'NOT_FOUND']);
    expect(await refusal(`none/audio`, credentialsOf('ann'))).toEqual([404, 'NOT_FOUND']);
    expect(await refusal(`${session}/audio?format=opus`, credentialsOf('ann'))).toEqual([
      400,
      'INVALID_REQUEST',
    ]);
    expect(await refusal(`${session}/audio?format=mp3&sampleRate=9000`, credentialsOf('ann'))).toEqual([
      400,
      'INVALID_REQUEST',
    ]);
    const head = await fetch(new URL(`/v1/sessions/${session}/audio`, service.url), {
      method: 'HEAD',
      headers: credentialsOf('ann'),
    });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    const post = await service.ask('POST', `/v1/sessions/${session}/audio`);
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('looking on', () => {
  it('captions, events and sound of one turn, from one request; and the session in the list', async () => {
    const before = service.upstream.requests.length;
    const { token } = await watch();
    const key = credentialsOf('ann');
    const [vtt, events, mulaw, wav, mp3] = await Promise.all([
      see(`${session}/captions.vtt?token=${token}`),
      see(`${session}/events`, { authorization: `Bearer ${token}` }),
      see(`${session}/audio?format=mulaw`, key),
      see(`${session}/audio?format=wav&token=${token}`),
      see(`${session}/audio`, key),
    ]);
    expect([vtt, events, mulaw, wav, mp3].map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/vtt; charset=utf-8',
      'text/event-stream; charset=utf-8',
      'audio/basic',
      'audio/wav',
      'audio/mpeg',
    ]);
    expect(vtt.headers.get('access-control-allow-origin')).toBe('*');
    const list = await service.ask('GET', '/v1/sessions');
    expect(list.json).toEqual({
      sessions: [
        {
          id: session,
          tenant: 'ann',
          dialect: 'native',
          ageMs: expect.any(Number) as number,
          turnsUnheard: 0,
          turnsEnded: { complete: 0, cancelled: 0, truncated: 0, failed: 0 },
          bufferedBytes: expect.any(Number) as number,
          format: 'mulaw',
          sampleRate: 8000,
          onlookers: 5,
          ...(PROCESSES > 1 && { process: expect.any(Number) as number }),
        },
      ],
    });
    expect((await service.ask('GET', '/v1/sessions', { user: 'bob' })).json).toEqual({ sessions: [] });
    expect(await service.metric('voxgate_onlookers')).toBe(5);

    probe.send({ type: 'speak', turn: 'a', text: 'The first sentence. And the second one is here.' });
    const [words, told, shared, riff, whole] = await Promise.all([
      readUntil(vtt, (all) => all.includes('second')),
      readUntil(events, (all) => all.includes('event: heard')),
      readUntil(mulaw, (all) => all.length > 8 * 4000),
      readUntil(wav, (all) => all.length > 48 * 4000),
      readUntil(mp3, (all) => all.length > 8 * 4000),
    ]);
    expect(readVtt(words.toString()).map(({ text }) => text)).toEqual([
      'The first sentence.',
      'And the second one is here.',
    ]);
    expect(told.toString()).toMatch(
      /^retry: 2000\n\nid: \d+\nevent: started\ndata: \{"type":"started","turn":"a"/,
    );
    expect(told.toString()).toMatch(/\nevent: caption\ndata: \{"type":"caption"/);
    const sound = shared.subarray(shared.findIndex((byte) => byte !== 0xff));
    const isSent = Buffer.from(probe.audioOf('a')).includes(sound.subarray(0, 8000));
    expect(isSent || probe.events('underrun').length > 0).toBe(true);
    expect(riff.toString('latin1', 0, 4)).toBe('RIFF');
    expect(whole[0]).toBe(0xff);
    expect(service.upstream.requests.length - before).toBe(1);
    await expect.poll(() => service.metric('voxgate_onlookers')).toBe(0);
  });

  it('ends at once when the token is revoked, and no other does', async () => {
    const { id, token } = await watch();
    const { token: other } = await watch();
    const mine = await see(`${session}/events?token=${token}`);
    const sound = await see(`${session}/audio?format=wav&token=${token}`);
    const theirs = await see(`${session}/events?token=${other}`);
    expect((await service.ask('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
    expect((await readUntil(mine, () => false)).toString()).toMatch(
      /event: closed\n.*"reason":"unauthorized"/,
    );
    await readUntil(sound, () => false);
    expect(await refusal(`${session}/events?token=${token}`)).toEqual([401, 'UNAUTHORIZED']);
    await expect.poll(() => service.metric('voxgate_onlookers')).toBe(1);
    await theirs.body!.cancel();
  });

  it('ends with the session', async () => {
    const own = await service.session(undefined, { headers: credentialsOf('ann') });
    const { session: id } = await own.event('ready');
    const events = await see(`${id}/events`, credentialsOf('ann'));
    const vtt = await see(`${id}/captions.vtt`, credentialsOf('ann'));
    own.socket.close();
    expect((await readUntil(events, () => false)).toString()).toContain('"reason":"session_ended"');
    expect((await readUntil(vtt, () => false)).toString()).toMatch(/^WEBVTT/);
  });

  it('is refused beyond the bound, with a status', async () => {
    const leave = new AbortController();
    const many = await Promise.all(
      Array.from({ length: 20 }, () => see(`${session}/events`, credentialsOf('ann'), leave.signal)),
    );
    expect(many.every(({ status }) => status === 200)).toBe(true);
    expect(await refusal(`${session}/events`, credentialsOf('ann'))).toEqual([429, 'CONNECTION_LIMIT']);
    leave.abort();
  });
});

describe('what is going on', () => {
  it('in the pool is for the admin key', async () => {
    expect((await service.ask('GET', '/v1/pool')).status).toBe(401);
    const answer = await service.ask('GET', '/v1/pool', { headers: { authorization: 'Bearer admin' } });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('upstream-key');
    expect(answer.text.length).toBeGreaterThan(10);
  });

  it('is told to local programs by a gateway without keys, which take tokens as well', async () => {
    const local = await startRunningGateway();
    const own = await local.session();
    const { session: id } = await own.event('ready');
    const list = (await (await fetch(`${local.url}/v1/sessions`)).json()) as { sessions: { id: string }[] };
    expect(list.sessions.map((one) => one.id)).toEqual([id]);
    const events = await fetch(`${local.url}/v1/sessions/${id}/events`);
    expect(events.status).toBe(200);
    const made = await fetch(`${local.url}/v1/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ scope: 'watch', session: id }),
    });
    const { token } = (await made.json()) as Issued;
    expect((await fetch(`${local.url}/v1/sessions/${id}/audio?token=${token}`)).status).toBe(200);
    expect((await fetch(`${local.url}/v1/sessions/${id}/audio?token=x`)).status).toBe(401);
    await local.close();
    await expect(readUntil(events, () => false).then(String)).resolves.toContain('"session_ended"');
  });
});

it('no token ever stood in the log', () => {
  const log = service.logLines.join('\n');
  expect(given.length).toBeGreaterThan(5);
  for (const token of given) expect(log).not.toContain(token);
});
