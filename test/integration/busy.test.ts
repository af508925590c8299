// A gateway that is set to stop early, and whose thread really is busy: whoever is new is refused at the door, a turn by
// `busy`, an HTTP reply by its status, and the turn that plays goes on. The load is made here, on the gateway's own thread.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

const HELD_MS = 12;
const PAUSE_MS = 4;

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({ script: speaking, env: { VOXGATE_BUSY_AT: '20' } });
});
afterAll(() => gateway.close());

/** Uses about three quarters of the thread until it is stopped. */
function load(): () => void {
  const timer = setInterval(() => {
    const untilMs = performance.now() + HELD_MS;
    while (performance.now() < untilMs);
  }, HELD_MS + PAUSE_MS);
  return () => clearInterval(timer);
}

/** Of an upgrade: what it was answered with. */
const knock = (path: string) =>
  new Promise<{ status: number | undefined; retryAfter: string | undefined }>((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${path}`);
    socket.on('unexpected-response', (_request, { statusCode, headers }) => {
      socket.terminate();
      resolve({ status: statusCode, retryAfter: headers['retry-after'] });
    });
    socket.on('open', () => {
      socket.terminate();
      resolve({ status: 101, retryAfter: undefined });
    });
    socket.on('error', () => {});
  });

it('refuses sessions, turns, legs and replies while a turn plays on, and takes them again afterwards', async () => {
  const calling = await gateway.session('format=mulaw');
  const silent = await gateway.session('format=mulaw');
  calling.send({ type: 'speak', turn: 'long', text: 'This goes on and on for a good while. '.repeat(12) });
  await calling.event('started');

  const unload = load();
  try {
    await expect.poll(async () => (await knock('/v1/session')).status, { timeout: 10_000 }).toBe(503);
    expect(Number((await knock('/v1/session')).retryAfter)).toBeGreaterThan(0);
    expect((await knock('/v1/legs/raw')).status).toBe(503);

    const asked = ['a', 'b', 'c', 'd', 'e'];
    for (const turn of asked) silent.send({ type: 'speak', turn, text: 'Hello.' });
    for (const turn of asked) expect((await silent.ended(turn)).outcome).toBe('failed');
    for (const error of silent.events('error'))
      expect(error).toMatchObject({
        code: 'busy',
        scope: 'turn',
        retryable: true,
        retryAfterMs: expect.any(Number),
      });

    const reply = await fetch(`${gateway.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tts-1', input: 'Hello.', voice: 'alloy' }),
    });
    expect(reply.status).toBe(503);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);

    const spoken = await fetch(`${gateway.url}/api/v1/tts/stream`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'x-user-id': 'ann', 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hello.', voice: 'gw:one', outputFormat: 'mulaw' }),
    });
    expect(spoken.status).toBe(503);

    // What is named behind the turn that plays is nobody new.
    calling.send({ type: 'speak', turn: 'next', text: 'Hello.' });
    await calling.event('queued', ({ turn }) => turn === 'next');
    await calling.nextAudio();
    expect(calling.events('ended')).toEqual([]);
    expect(await gateway.metric('voxgate_busy_refusals_total')).toBeGreaterThanOrEqual(9);
  } finally {
    unload();
  }

  await expect.poll(async () => (await knock('/v1/session')).status, { timeout: 10_000 }).toBe(101);
  calling.send({ type: 'cancel' });
  expect((await calling.ended('long')).outcome).toBe('cancelled');
  expect((await silent.speaks('again')).outcome).toBe('complete');
});
