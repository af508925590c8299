// The typed client, every method of it, against a real gateway; and how it bears refusals, silence and interruption.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createVoxgateClient,
  type JobRecord,
  type VoxgateClient,
  VoxgateError,
} from '../../src/client/voxgate-client.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

const VOICE = 'vox:anna';
const SOURCE = new Blob([
  '# Tides\n\nThe sea rises twice a day along most coasts. The moon pulls at the water from far away. ' +
    'Sailors have kept tables of the tides for centuries. A harbour that dries out must be entered at high water.\n',
]);

let gateway: RunningGateway;
let client: VoxgateClient;
const clientOf = (baseUrl: string, more: object = {}) =>
  createVoxgateClient({ baseUrl, apiKey: 'key', userId: 'anna', ...more });
beforeAll(async () => {
  gateway = await startRunningGateway({
    script: speaking,
    // What a key may send is known, or jobs would wait behind sessions until it is found out.
    env: { VOXGATE_UPSTREAM_KEYS: 'user:key@10000' },
  });
  client = clientOf(`${gateway.url}/`);
});
afterAll(() => gateway.close());

describe('looking on', () => {
  it('with a token of its own, or the key', async () => {
    const session = await client.session();
    const { session: id } = session.ready;
    const { token, id: tokenId, scope } = await client.tokens.create({ scope: 'watch', session: id });
    expect([typeof token, scope]).toEqual(['string', 'watch']);
    const events = await client.watch(id, { what: 'events' });
    expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const sound = await client.watch(id, { what: 'audio', format: 'wav', sampleRate: 16_000 });
    expect(sound.headers.get('content-type')).toBe('audio/wav');
    await client.tokens.revoke(tokenId);
    session.close();
    expect(await events.text()).toContain('session_ended');
    await sound.body?.cancel();
    await expect(client.watch('none', { what: 'events' })).rejects.toMatchObject({ status: 404 });
  });
});

describe('a job', () => {
  it('is created, waited for, found, listed and deleted', async () => {
    const progress: number[] = [];
    const created = await client.jobs.create({ text: 'Hello there.', voice: VOICE, outputFormat: 'wav' });
    const job = await client.jobs.wait(created.id, {
      everyMs: 20,
      onProgress: (record) => progress.push(record.progress),
    });
    expect(job).toMatchObject({ status: 'completed', progress: 1, error: null });
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    const wav = Buffer.from(await (await fetch(job.output.url!)).arrayBuffer());
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.length).toBe(job.output.fileSize);
    expect(await (await fetch(job.output.captionsUrl!)).text()).toMatch(/^WEBVTT\n[\s\S]*Hello there\./);
    expect(await client.jobs.get(job.id)).toEqual(job);
    expect((await client.jobs.list()).items.map(({ id }) => id)).toContain(job.id);
    await client.jobs.delete(job.id);
    await expect(client.jobs.get(job.id)).rejects.toMatchObject({ status: 404, errorId: 'NOT_FOUND' });
  });

  it('of the turbo model is made at its own path', async () => {
    const { id, input } = await client.jobs.createTurbo({ text: 'Quick.', voice: VOICE });
    expect(input.model).toBe('VoxDialog-turbo');
    expect((await client.jobs.wait(id, { everyMs: 20 })).status).toBe('completed');
  });

  it('is made once for one idempotency key', async () => {
    const wish = { text: 'Only once.', voice: VOICE };
    const [one, two] = [
      await client.jobs.create(wish, { idempotencyKey: 'k1' }),
      await client.jobs.create(wish, { idempotencyKey: 'k1' }),
    ];
    expect(two.id).toBe(one.id);
    const other = client.jobs.create({ ...wish, text: 'Another.' }, { idempotencyKey: 'k1' });
    await expect(other).rejects.toMatchObject({ status: 422 });
  });

  it('is cancelled, and lists come in pages to the last one', async () => {
    const ids = [];
    for (const text of ['One.', 'Two.', 'Three.']) {
      const { id } = await clientFor('pages').jobs.create({ text, voice: VOICE });
      ids.unshift(id);
    }
    const seen = [];
    let cursor: string | undefined;
    do {
      const page = await clientFor('pages').jobs.list({ limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
    const { status } = await clientFor('pages').jobs.cancel(ids[0]!);
    expect(['cancelled', 'completed']).toContain(status);
  });
});

const clientFor = (userId: string) => clientOf(gateway.url, { userId });

it('a PlayNote is made of a file, waited for, listed and deleted', async () => {
  const created = await client.playNotes.create(
    { file: SOURCE, name: 'tides.md' },
    { synthesisStyle: 'executive-briefing', voice1: VOICE, voice1Name: null },
  );
  const playNote = await client.playNotes.wait(created.id, { everyMs: 50 });
  expect(playNote).toMatchObject({ status: 'completed', name: 'Tides', error: null });
  expect(await client.playNotes.get(created.id)).toEqual(playNote);
  expect((await client.playNotes.list({ limit: 1 })).items).toEqual([playNote]);
  await client.playNotes.delete(created.id);
  expect(await client.playNotes.list()).toEqual({ items: [], next: undefined });
});

it('a PlayNote of an address in a private network is refused', async () => {
  const made = client.playNotes.create(
    { url: 'http://127.0.0.1/x' },
    { synthesisStyle: 'podcast', voice1: VOICE, voice1Name: null },
  );
  await expect(made).rejects.toBeInstanceOf(VoxgateError);
});

it('agents are created, read, changed and counted, and a session takes one', async () => {
  const { id } = await client.agents.create({ name: 'Host', voice: VOICE });
  expect(await client.agents.patch(id, { greeting: 'Welcome.' })).toMatchObject({ greeting: 'Welcome.' });
  expect(await client.agents.get(id)).toMatchObject({ name: 'Host', voice: VOICE });
  const chunks: Uint8Array[] = [];
  const session = await client.session(
    { agent: id, pace: 'burst' },
    { onAudio: (bytes) => chunks.push(bytes) },
  );
  await session.next('ended', ({ turn }) => turn === 'greeting');
  session.close();
  expect(Buffer.concat(chunks).length).toBeGreaterThan(1000);
  expect(await client.agents.stats(id)).toMatchObject({ sessions: 1, turns: 1, characters: 8 });
});

it('webhooks: the secret, the messages, and one sent again', async () => {
  const hooked = clientFor('hooked');
  expect(await hooked.webhooks.secret()).toMatch(/^whsec_/);
  const job = await hooked.jobs.create({
    text: 'Ring me.',
    voice: VOICE,
    webHookUrl: 'https://receiver.example.com/hook',
  });
  await hooked.jobs.wait(job.id, { everyMs: 20 });
  const { items } = await hooked.webhooks.deliveries();
  expect(items.map(({ type }) => type)).toContain('tts.completed');
  expect(await hooked.webhooks.replay(items[0]!.id)).toMatchObject({ id: items[0]!.id, state: 'pending' });
});

it('speech comes as its audio', async () => {
  const reply = await client.speak({ model: 'VoxDialog', text: 'Hello.', voice: VOICE });
  expect(reply.headers.get('content-type')).toBe('audio/mpeg');
  expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(1000);
});

it('refusals of a session reject with the status', async () => {
  await expect(client.session({ pace: 'fast' })).rejects.toThrow(/400.*pace/s);
});

describe('credentials', () => {
  it('of the address are sent by requests and sessions alike', async () => {
    const seen: unknown[] = [];
    const proxy = createServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(503, {
        'retry-after': 'Fri, 31 Dec 2027 00:00:05 GMT',
        date: 'Fri, 31 Dec 2027 00:00:00 GMT',
      });
      response.end('{"errorMessage":"not now","errorId":"BUSY"}');
    });
    proxy.on('upgrade', ({ headers }, socket) => {
      seen.push(headers.authorization);
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const behind = clientOf(`http://ann:secret@127.0.0.1:${port}/`, { apiKey: '' });
    await expect(behind.voices()).rejects.toMatchObject({ status: 503, retryAfterMs: 5000 });
    await expect(behind.session()).rejects.toMatchObject({ status: 401 });
    proxy.close();
    const pair = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    expect(seen).toEqual([pair, pair]);
  });

  it.each([
    ['apiKey', { apiKey: 'secret\nkey' }],
    ['userId', { userId: 'ann\n' }],
  ])('that no header can hold are refused by name: %s', (name, more) => {
    const make = () => clientOf('http://127.0.0.1:1', more);
    expect(make).toThrow(`${name}: must be visible ASCII characters on one line (value not shown)`);
  });
});

describe('when things go wrong', () => {
  const servers: Server[] = [];
  const answering = async (listener: RequestListener) => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  };
  afterAll(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  it('an error tells status, id and when to come back', async () => {
    const url = await answering((_request, response) => {
      response.writeHead(429, { 'retry-after': '7' });
      response.end(JSON.stringify({ errorMessage: 'Slowly.', errorId: 'RATE_LIMITED' }));
    });
    const error = await clientOf(url)
      .voices()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VoxgateError);
    expect(error).toMatchObject({
      message: 'Slowly.',
      status: 429,
      errorId: 'RATE_LIMITED',
      retryAfterMs: 7000,
    });
  });

  it('what somebody else has answered is told as it was, briefly', async () => {
    const url = await answering((_request, response) => response.writeHead(502).end('x'.repeat(5000)));
    const error = (await clientOf(url)
      .voices()
      .catch((thrown: unknown) => thrown)) as VoxgateError;
    expect(error).toMatchObject({ status: 502, errorId: undefined });
    expect(error.message.length).toBeLessThan(300);
  });

  it.each<[string, RequestListener]>([
    ['says nothing', () => {}],
    ['stops in the middle', (_request, response) => void response.writeHead(200).write('[')],
  ])('an answer that %s is waited for until the deadline', async (_name, listener) => {
    const url = await answering(listener);
    await expect(clientOf(url, { deadlineMs: 100 }).voices()).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+ did not answer within 0\.1 s; check/,
    );
  });

  it('nobody at the address is told with the address', async () => {
    await expect(clientOf('http://127.0.0.1:1').voices()).rejects.toThrow(
      /http:\/\/127\.0\.0\.1:1 cannot be reached/,
    );
  });

  it('waiting ends with the reason of the signal, before the next look', async () => {
    const url = await answering((_request, response) => response.end(JSON.stringify({ status: 'running' })));
    const controller = new AbortController();
    const wait = clientOf(url).jobs.wait('x', {
      signal: controller.signal,
      everyMs: 60_000,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(wait).rejects.toThrow('enough');
  });

  it('waiting outlasts a full minute and a restart, and not what is refused for good', async () => {
    const answers = [
      [429, {}],
      [503, {}],
      [200, { status: 'running' }],
      [500, {}],
      [200, { status: 'completed' }],
    ] as const;
    let asked = 0;
    const url = await answering((_request, response) => {
      const [status, body] = answers[asked++]!;
      response.writeHead(status).end(JSON.stringify(body));
    });
    const seen: string[] = [];
    const onProgress = ({ status }: JobRecord) => seen.push(status);
    expect(await clientOf(url).jobs.wait('x', { everyMs: 1, onProgress })).toEqual({ status: 'completed' });
    expect(seen).toEqual(['running', 'completed']);

    const gone = await answering((_request, response) => response.writeHead(404).end());
    await expect(clientOf(gone).jobs.wait('x')).rejects.toMatchObject({ status: 404 });
    const down = await answering((_request, response) => response.writeHead(503).end());
    await expect(clientOf(down).jobs.wait('x', { everyMs: 1 })).rejects.toMatchObject({ status: 503 });
  });
});
