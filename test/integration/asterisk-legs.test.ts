// Calls of Asterisk's beside a bot's session, over both of its legs: simulated channels with a playout clock of their own,
// real sockets, real time.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { audioSocketMessage } from '../../src/legs/audiosocket-leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createChanWebSocketSide } from '../../testkit/carriers/chan-websocket-side.ts';
import { dialWebSocket } from '../../testkit/carriers/dial-websocket.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { type SimulatedCall, startSimulatedCall } from '../../testkit/carriers/simulated-call.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

const UUID = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162';
const TEXT = 'Hello there, this is the office.';
const GOODBYE = 'Goodbye then.';
const FRAME_MS = 20;
/** Of AudioSocket. */
const LEAD_MS = 60;

let gateway: RunningGateway;
let audiosocketPort: number;
const start = async (env: Record<string, string> = {}) => {
  audiosocketPort = await freePort();
  gateway = await startRunningGateway({
    script: speaking,
    env: { VOXGATE_AUDIOSOCKET_PORT: String(audiosocketPort), ...env },
  });
};

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const dialled = (
  kind: 'chan-websocket' | 'audiosocket',
  own: Partial<(typeof CARRIERS)[string]> = {},
  clock = systemClock,
) => {
  const carrier = { ...CARRIERS[kind]!, ...own };
  const silence = new Uint8Array(FRAME_MS * carrier.rules.bytesPerMs).fill(kind === 'audiosocket' ? 0 : 0xff);
  return (call: { callId: string; token?: string }) =>
    startSimulatedCall({
      side: carrier.side(),
      rules: carrier.rules,
      call: { callId: call.callId, token: call.token },
      transport: carrier.transport ?? dialWebSocket({ protocols: carrier.protocols }),
      url:
        kind === 'audiosocket'
          ? `tcp://127.0.0.1:${audiosocketPort}`
          : `ws://127.0.0.1:${gateway.port}/v1/legs/${kind}`,
      clock,
      says: () => silence,
    });
};
const heardMs = ({ playout }: SimulatedCall, bytesPerMs: number) =>
  playout.heard.reduce((sum, { bytes }) => sum + bytes.length, 0) / bytesPerMs;
const spoken = (session: SessionProbe, turn: string) =>
  session.event('heard', (event) => event.turn === turn);

const LEGS = [
  {
    name: 'chan_websocket (JSON)',
    kind: 'chan-websocket' as const,
    bytesPerMs: 8,
    attached: { format: 'mulaw', sampleRate: 8000 },
    playedBy: 'mark',
    dial: dialled('chan-websocket'),
  },
  {
    name: 'chan_websocket (plain text)',
    kind: 'chan-websocket' as const,
    bytesPerMs: 32,
    attached: { format: 'raw', sampleRate: 16_000 },
    playedBy: 'mark',
    dial: dialled('chan-websocket', {
      side: () => createChanWebSocketSide({ syntax: 'plain', format: 'slin16', frameBytes: 640 }),
      rules: { bytesPerMs: 32, mostBufferedMs: 20_000, onClear: 'drop' },
    }),
  },
  {
    name: 'AudioSocket',
    kind: 'audiosocket' as const,
    bytesPerMs: 16,
    attached: { format: 'raw', sampleRate: 8000 },
    playedBy: 'clock',
    dial: dialled('audiosocket'),
  },
];

describe.each(LEGS)('a call over $name', ({ kind, bytesPerMs, attached: audio, playedBy, dial }) => {
  beforeAll(() => start());
  afterAll(() => gateway.close());

  const attached = async () => {
    const [session, callId] = [await gateway.session(), randomUUID()];
    const carrier = await dial({ callId });
    session.send({ type: 'attach', leg: { callSid: callId } });
    expect(await session.event('attached')).toMatchObject({ kind, callSid: callId, ...audio });
    session.send({ type: 'speak', turn: 'a', text: TEXT }, { type: 'speak', turn: 'b', text: GOODBYE });
    await session.event('started', ({ turn }) => turn === 'a');
    return { session, carrier };
  };
  /** Of the turns, when they have ended. */
  const soundMs = async (session: SessionProbe, ...turns: string[]) => {
    const ends = await Promise.all(turns.map((turn) => session.ended(turn)));
    return ends.reduce((sum, { sentMs }) => sum + sentMs, 0);
  };

  it('hears a turn whole, and the one that was queued behind it', async () => {
    const { session, carrier } = await attached();
    expect(await spoken(session, 'a')).toMatchObject({ playedBy, remainingText: '' });
    expect(await spoken(session, 'b')).toMatchObject({ playedBy, remainingText: '' });
    const wholeMs = await soundMs(session, 'a', 'b');
    await expect.poll(() => heardMs(carrier, bytesPerMs)).toBeGreaterThanOrEqual(wholeMs);
    expect(carrier.faults).toEqual([]);
    carrier.close();
  });

  it('has little more of a turn that is cancelled, and all of the one behind it', async () => {
    const { session, carrier } = await attached();
    await wait(700);
    session.send({ type: 'cancel', turn: 'a' });
    const { playedMs, remainingText } = await spoken(session, 'a');
    const atCutMs = heardMs(carrier, bytesPerMs);
    expect(remainingText).not.toBe('');
    expect(Math.abs(playedMs - atCutMs)).toBeLessThanOrEqual(LEAD_MS + 2 * FRAME_MS);
    expect(await spoken(session, 'b')).toMatchObject({ playedBy, remainingText: '' });
    const nextMs = await soundMs(session, 'b');
    await expect.poll(() => heardMs(carrier, bytesPerMs) - atCutMs).toBeGreaterThanOrEqual(nextMs);
    await wait(100);
    // On AudioSocket what has been sent cannot be had back, and a frame fades.
    const staleMs = kind === 'audiosocket' ? LEAD_MS + FRAME_MS : FRAME_MS;
    expect(heardMs(carrier, bytesPerMs) - atCutMs).toBeLessThanOrEqual(nextMs + staleMs + 2 * FRAME_MS);
    expect(carrier.playout.clears()).toBe(kind === 'audiosocket' ? 0 : 1);
    expect(carrier.faults).toEqual([]);
    carrier.close();
  });

  it('tells digits, and is hung up by the bot', async () => {
    const { session, carrier } = await attached();
    carrier.digit('#');
    expect(await session.event('dtmf')).toMatchObject({ digit: '#' });
    session.send({ type: 'hangup' });
    await carrier.closed;
    expect(await session.event('detached')).toMatchObject({ reason: 'hung up' });
    expect(carrier.faults).toEqual([]);
  });

  it('ends the turn that plays as truncated when the caller hangs up', async () => {
    const { session, carrier } = await attached();
    carrier.hangUp();
    await session.event('detached');
    expect(await session.ended('a')).toMatchObject({ outcome: 'truncated' });
    expect(await session.event('error')).toMatchObject({ code: 'leg_gone', turn: 'a' });
    await carrier.closed;
  });
});

describe('chan_websocket', () => {
  afterEach(() => gateway.close());

  it('finds its session by the token among the variables of the channel, and speaks the subprotocol `media`', async () => {
    await start({ VOXGATE_API_KEYS: 'ann:key-of-ann' });
    const session = await gateway.session(undefined, { headers: { authorization: 'Bearer key-of-ann' } });
    const { attachToken } = await session.event('ready');
    session.send({ type: 'attach', leg: { token: attachToken } });
    const carrier = await dialled('chan-websocket')({ callId: 'pbx-1.9', token: attachToken });
    expect(await session.event('attached')).toMatchObject({ kind: 'chan-websocket', callSid: 'pbx-1.9' });
    carrier.close();
    const stranger = await dialled('chan-websocket')({ callId: 'pbx-1.10', token: 'guessed' });
    expect(await stranger.closed).toBe(4401);
  });

  it('Queue full, frames silently dropped; mark overtakes audio during XOFF (asterisk#2115): holds back, drops none, hears all', async () => {
    await start();
    // A channel that misses every other of its ticks: what waits there would grow as long as anything is sent.
    const levels = { stop: 10, go: 6, full: 18 };
    const side = () => createChanWebSocketSide({ syntax: 'json', format: 'ulaw', frameBytes: 160, levels });
    const rules = { bytesPerMs: 8, mostBufferedMs: levels.full * FRAME_MS, onClear: 'drop' } as const;
    const clock = { ...systemClock, now: () => systemClock.now() / 2 };
    const session = await gateway.session();
    const carrier = await dialled('chan-websocket', { side, rules }, clock)({ callId: 'pbx-1.9' });
    session.send({ type: 'attach', leg: { callSid: 'pbx-1.9' } }, { type: 'speak', turn: 'a', text: TEXT });
    const heard = await spoken(session, 'a');
    expect(heard).toMatchObject({ playedBy: 'mark', remainingText: '' });
    expect(heardMs(carrier, 8)).toBeGreaterThanOrEqual((await session.ended('a')).sentMs);
    expect(heard.playedMs).toBeLessThanOrEqual(heardMs(carrier, 8) + FRAME_MS);
    expect(carrier.faults).toEqual([]);
  });
});

describe('AudioSocket', () => {
  afterEach(() => gateway.close());

  it('belongs to the user who named its UUID before the call, and to no other', async () => {
    await start({ VOXGATE_API_KEYS: 'ann:key-of-ann,bob:key-of-bob' });
    const asUser = (key: string) =>
      gateway.session(undefined, { headers: { authorization: `Bearer ${key}` } });
    const [ann, bob] = [await asUser('key-of-ann'), await asUser('key-of-bob')];
    const uuid = randomUUID();
    ann.send({ type: 'attach', leg: { token: uuid.toUpperCase() } }, { type: 'ping', id: '1' });
    await ann.event('pong');
    bob.send({ type: 'attach', leg: { token: uuid } }, { type: 'ping', id: '1' });
    await bob.event('pong');
    const carrier = await dialled('audiosocket')({ callId: uuid });
    expect(await ann.event('attached')).toMatchObject({ kind: 'audiosocket', callSid: uuid });
    ann.send({ type: 'detach' });
    await ann.event('detached');
    await wait(100);
    expect(bob.events('attached')).toEqual([]);
    carrier.close();
  });

  it('hears a silent call in 8 kHz, and keeps it alive', async () => {
    await start();
    const session = await gateway.session();
    const socket = connect({ host: '127.0.0.1', port: audiosocketPort });
    const came: Buffer[] = [];
    socket.on('data', (chunk) => came.push(chunk));
    socket.write(audioSocketMessage(0x01, Buffer.from(UUID.replaceAll('-', ''), 'hex')));
    session.send({ type: 'attach', leg: { token: UUID } });
    expect(await session.event('attached')).toMatchObject({ format: 'raw', sampleRate: 8000 });
    await expect.poll(() => Buffer.concat(came).length, { timeout: 3000 }).toBeGreaterThanOrEqual(2 * 323);
    const sent = Buffer.concat(came);
    expect(sent.subarray(0, 3).toString('hex')).toBe('100140');
    expect(sent.subarray(3, 323).every((byte) => byte === 0)).toBe(true);
    socket.destroy();
    expect(await session.event('detached')).toMatchObject({ kind: 'audiosocket' });
  });

  it('is let go when the gateway stops', async () => {
    await start();
    const carrier = await dialled('audiosocket')({ callId: UUID });
    await gateway.stop(0);
    await carrier.closed;
    expect(carrier.faults).toEqual([]);
  });
});
