// What happens when a turn does not go its quiet way: cancelled, abandoned, refused, broken off. Real sockets on both
// sides; the scripted speech service says when it was hung up on.
import { afterEach, describe, expect, it } from 'vitest';
import {
  type RunningGateway,
  type RunningGatewayOptions,
  spoken,
  startRunningGateway,
} from '../support/running-gateway.ts';
import { audio, openGate, type Script, stallAfter, status } from '../support/scripted-upstream.ts';

/** A loaded machine is given five times what the gateway promises (50 ms). */
const HANG_UP_MS = 250;

/** Nothing here takes so long; a test machine may have much else to do. */
const PATIENT = { timeout: 10_000 };

let gateway: RunningGateway;
const start = async (options: RunningGatewayOptions) => {
  gateway = await startRunningGateway(options);
  return gateway;
};
afterEach(() => gateway.close());

const SPEAK = { type: 'speak', turn: 'a', text: 'A long story.' };

describe('barge-in', () => {
  it('hangs up on the speech service and sends not one byte of the turn after ended', async () => {
    await start({ script: [stallAfter(spoken(2)), audio(spoken())] });
    const probe = await gateway.session();
    probe.send(SPEAK);
    await probe.nextAudio();
    const { hungUp } = await gateway.upstream.request(1);
    const cancelledAtMs = performance.now();
    probe.send({ type: 'cancel', turn: 'a', playedMs: 20 });
    await hungUp;
    const tookMs = performance.now() - cancelledAtMs;
    expect(tookMs).toBeLessThan(HANG_UP_MS);
    expect(await probe.ended('a')).toMatchObject({ outcome: 'cancelled' });
    expect(await probe.event('heard')).toMatchObject({ playedMs: 20, playedBy: 'client' });
    // Everything that was still on its way would come before the answer to this.
    probe.send({ type: 'ping', id: 'after' });
    await probe.event('pong');
    const end = probe.arrivals.findIndex((each) => each.kind === 'event' && each.event.type === 'ended');
    expect(probe.arrivals.slice(end).filter((each) => each.kind === 'audio')).toEqual([]);
    expect(await probe.speaks('next')).toMatchObject({ outcome: 'complete' });
  });

  it('ends a turn that waits for its first byte, and the request with it', async () => {
    await start({ script: () => {} });
    const probe = await gateway.session();
    probe.send(SPEAK);
    const { hungUp } = await gateway.upstream.request(1);
    probe.send({ type: 'cancel' });
    expect(await probe.ended('a')).toMatchObject({ outcome: 'cancelled', audioMs: 0 });
    await hungUp;
    expect(probe.events('started')).toEqual([]);
  });

  it.each([
    ['a proper close', 'close'],
    ['a socket that is gone', 'terminate'],
  ] as const)('a client that leaves by %s takes its request with it', async (_name, leave) => {
    await start({ script: stallAfter(spoken(2)) });
    const probe = await gateway.session();
    probe.send(SPEAK);
    await probe.nextAudio();
    const { hungUp } = await gateway.upstream.request(1);
    const leftAtMs = performance.now();
    probe.socket[leave]();
    await hungUp;
    expect(performance.now() - leftAtMs).toBeLessThan(HANG_UP_MS);
    await probe.closed;
    const left = async () =>
      (await gateway.metric('voxgate_sessions')) + (await gateway.metric('voxgate_upstream_in_flight'));
    await expect.poll(left, PATIENT).toBe(0);
  });

  it('a protocol fault ends the request at once, not when the closing handshake is over', async () => {
    await start({ script: stallAfter(spoken(2)) });
    const probe = await gateway.session();
    probe.send(SPEAK);
    await probe.nextAudio();
    const { hungUp } = await gateway.upstream.request(1);
    // Reserved bits, unmasked; and the answer is never read, so that no closing handshake comes.
    const { socket } = probe as unknown as { socket: { _socket: import('node:net').Socket } };
    socket._socket.pause();
    socket._socket.write(Buffer.from([0xf1, 0x00]));
    const faultAtMs = performance.now();
    await hungUp;
    expect(performance.now() - faultAtMs).toBeLessThan(HANG_UP_MS);
  });
});

describe('a speech service in trouble', () => {
  it('a 429 with a short Retry-After: the turn is queued, told so, and then plays', async () => {
    await start({ script: [status(429, { 'retry-after': '1' }), audio(spoken())] });
    const probe = await gateway.session('pace=burst');
    probe.send(SPEAK);
    expect(await probe.event('queued')).toMatchObject({ turn: 'a', reason: 'quota' });
    expect(await probe.ended('a')).toMatchObject({ outcome: 'complete', requests: 2 });
    expect(probe.events('error')).toEqual([]);
  });

  it('a 429 that lasts longer than anyone waits: error with a time, failed, and the session goes on', async () => {
    await start({
      script: [status(429, { 'retry-after': '60' }), audio(spoken())],
      env: { VOXGATE_UPSTREAM_MAX_WAIT_MS: '500' },
    });
    const probe = await gateway.session('pace=burst');
    probe.send(SPEAK);
    const error = await probe.event('error');
    expect(error).toMatchObject({ code: 'upstream_rate_limited', turn: 'a', scope: 'turn', retryable: true });
    expect(error.retryAfterMs).toBeGreaterThan(50_000);
    expect(await probe.ended('a')).toMatchObject({ outcome: 'failed', audioMs: 0 });
    probe.send({ type: 'ping' });
    await probe.event('pong');
  });

  it('a body cut in the middle, and cut again each time: what came is played, then error and truncated', async () => {
    const gate = openGate();
    const cut: Script = async (reply) => {
      reply.start();
      reply.write(spoken());
      await gate.opened;
      reply.reset();
    };
    await start({ script: [cut, audio(spoken()), cut] });
    const probe = await gateway.session('pace=burst');
    probe.send(SPEAK, { type: 'speak', turn: 'b', text: 'The next.' });
    await probe.nextAudio();
    gate.open();
    expect(await probe.ended('a')).toMatchObject({ outcome: 'truncated' });
    expect(probe.audioOf('a').length / 8).toBeGreaterThan(1500);
    expect(probe.events('error')).toMatchObject([{ code: 'upstream_broken', turn: 'a', scope: 'turn' }]);
    expect(await probe.ended('b')).toMatchObject({ outcome: 'complete' });
  });

  it('a body cut in the middle that comes again: nothing is heard of it', async () => {
    const cut: Script = (reply) => {
      reply.start();
      reply.write(spoken().subarray(0, 7001));
      setImmediate(() => reply.reset());
    };
    await start({ script: [audio(spoken()), cut, audio(spoken())] });
    const probe = await gateway.session('pace=burst');
    probe.send(SPEAK);
    expect(await probe.ended('a')).toMatchObject({ outcome: 'complete', resumes: 0 });
    probe.send({ ...SPEAK, turn: 'b' });
    expect(await probe.ended('b')).toMatchObject({ outcome: 'complete', requests: 2, resumes: 1 });
    expect(probe.audioOf('b').equals(probe.audioOf('a'))).toBe(true);
  });

  it.each([
    ['HTML instead of audio', status(200, { 'content-type': 'text/html' }, '<p>hello'), 'upstream_bad_audio'],
    ['bytes that are no MPEG audio', audio(Buffer.alloc(20_000, 0x55)), 'upstream_bad_audio'],
    ['an empty body', audio(), 'upstream_bad_audio'],
    ['a wrong key', status(401), 'upstream_unauthorized'],
    ['a request it will not take', status(400, {}, '{"errorMessage":"no"}'), 'upstream_rejected'],
    ['a fault of its own', status(500), 'upstream_unreachable'],
  ])('%s: error, failed, no audio', async (_name, script, code) => {
    await start({ script });
    const probe = await gateway.session('pace=burst');
    probe.send(SPEAK);
    expect(await probe.event('error')).toMatchObject({ code, turn: 'a', scope: 'turn' });
    expect(await probe.ended('a')).toMatchObject({ outcome: 'failed', audioMs: 0 });
    expect(probe.events('started')).toEqual([]);
  });

  it('a service that is not there does not keep the gateway from starting or from saying so', async () => {
    await start({ env: { VOXGATE_UPSTREAM_URL: 'http://127.0.0.1:9' } });
    const probe = await gateway.session();
    probe.send(SPEAK);
    expect(await probe.event('error')).toMatchObject({ code: 'upstream_unreachable', retryable: true });
    expect(await probe.ended('a')).toMatchObject({ outcome: 'failed' });
  });
});
