// A gateway that is set to stop early, and whose thread really is busy: whoever is new is refused at the door, a turn by
// `busy`, an HTTP reply by its status, and the turn that plays goes on. The load is made here, on the gateway's own thread.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

const HELD_MS = 14;
const PAUSE_MS = 2;
/** Fewer are no load to a gateway, whatever its thread does. */
const CALLS = 5;
const LONG = 'This goes on and on for a good while. '.repeat(20);

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({ script: speaking, env: { VOXGATE_BUSY_AT: '50' } });
});
afterAll(() => gateway.close());

/** A slow machine may be full before the test makes it so: whoever is refused comes back. */
const LATER_MS = 400;
async function dial(): Promise<SessionProbe> {
  for (;;) {
    try {
      return await gateway.session('format=mulaw');
    } catch {
      await pause(LATER_MS);
    }
  }
}
/** Speaks until a turn plays. */
async function begin(call: SessionProbe): Promise<void> {
  for (let n = 1; ; n++) {
    const turn = `long-${n}`;
    call.send({ type: 'speak', turn, text: LONG });
    await Promise.race([call.event('started', (event) => event.turn === turn), call.ended(turn)]);
    if (call.events('started').length > 0) return;
    await pause(LATER_MS);
  }
}

/** Uses most of the thread until it is stopped. */
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
  const calls: SessionProbe[] = [];
  for (let n = 0; n < CALLS; n++) calls.push(await dial());
  const silent = await dial();
  for (const call of calls) await begin(call);
  const calling = calls[0]!;

  const unload = load();
  try {
    // Legs are refused later than sessions.
    await expect.poll(async () => (await knock('/v1/legs/raw')).status).toBe(503);
    expect(Number((await knock('/v1/session')).retryAfter)).toBeGreaterThan(0);
    expect((await knock('/v1/session')).status).toBe(503);

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
      body: JSON.stringify({ model: 'VoxDialog', text: 'Hello.', voice: 'one' }),
    });
    expect([spoken.status, await spoken.text()]).toEqual([503, expect.stringContaining('BUSY')]);

    // What is named behind the turn that plays is nobody new.
    calling.send({ type: 'speak', turn: 'next', text: 'Hello.' });
    await calling.event('queued', ({ turn }) => turn === 'next');
    await calling.nextAudio();
    expect(calls.flatMap((call) => call.events('ended').filter(({ sentMs }) => sentMs > 0))).toEqual([]);
    expect(await gateway.metric('voxgate_busy_refusals_total')).toBeGreaterThanOrEqual(9);
  } finally {
    unload();
  }

  await expect.poll(async () => (await knock('/v1/session')).status).toBe(101);
  for (const call of calls) {
    call.send({ type: 'cancel' });
    const cut = await call.event('ended', ({ sentMs }) => sentMs > 0);
    expect(cut.outcome).toBe('cancelled');
  }
  await begin(silent);
});
