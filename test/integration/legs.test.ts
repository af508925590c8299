// A call of every carrier beside a bot's session: simulated platforms with a playout clock of their own, real sockets, real
// time. What the gateway says was heard is held against what the platform has played.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { LEGS } from '../../src/legs/legs.ts';
import type { CarrierSide } from '../../testkit/carriers/carrier-side.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { dialWebSocket } from '../../testkit/carriers/dial-websocket.ts';
import { type SimulatedCall, startSimulatedCall } from '../../testkit/carriers/simulated-call.ts';
import { type RunningGateway, SPEECH_MS, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

/** Those that play by marks over a WebSocket; Asterisk's have tests of their own. */
const KINDS = ['twilio', 'signalwire', 'telnyx', 'plivo', 'vonage', 'exotel', 'jambonz', 'raw'];
const SILENCE = { mulaw: 0xff, alaw: 0xd5, raw: 0 } as const;

type Call = SimulatedCall & {
  readonly heardMs: number;
  /** What had been heard at each clear, ms. */
  readonly clearedAtMs: readonly number[];
};
type Dial = {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly spoil?: (side: CarrierSide) => CarrierSide;
};

async function dial(gateway: RunningGateway, kind: string, options: Dial = {}): Promise<Call> {
  const { token, headers = {}, spoil = (side) => side } = options;
  const carrier = CARRIERS[kind]!;
  const { rules, audio, protocols } = carrier;
  const own = spoil(carrier.side());
  const clearedAtMs: number[] = [];
  const says = new Uint8Array(rules.bytesPerMs * 20).fill(SILENCE[audio.format]);
  const heardMs = () =>
    call.playout.heard.reduce((sum, { bytes }) => sum + bytes.length, 0) / rules.bytesPerMs;
  const call: SimulatedCall = await startSimulatedCall({
    side: {
      ...own,
      read(frame) {
        const order = own.read(frame);
        if (order.kind === 'clear') clearedAtMs.push(heardMs());
        return order;
      },
    },
    rules,
    call: { callId: `call-of-${kind}`, token },
    transport: dialWebSocket({ protocols, headers }),
    url: `ws://127.0.0.1:${gateway.port}/v1/legs/${kind}`,
    clock: systemClock,
    says: () => says,
  });
  return {
    ...call,
    clearedAtMs,
    get heardMs() {
      return heardMs();
    },
  };
}

const speak = (session: SessionProbe, turn: string) =>
  session.send({ type: 'speak', turn, text: 'Hello there, this is the office.' });
const heardOf = (session: SessionProbe, turn: string) =>
  session.event('heard', (event) => event.turn === turn);
const startedOf = (session: SessionProbe, turn: string) =>
  session.event('started', (event) => event.turn === turn);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * How long the event loop was held up at most, 0 on a quiet machine: gateway and platform share it, so the mark can come
 * so much late, and the clear as well.
 */
function watchStalls(): () => number {
  const everyMs = 5;
  let mostMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    mostMs = Math.max(mostMs, performance.now() - lastMs - everyMs);
    lastMs = performance.now();
  }, everyMs);
  return () => {
    clearInterval(timer);
    return mostMs;
  };
}

// Calls of all platforms at once: what they do most is wait for real time.
describe.concurrent.each(KINDS)('a call of %s', (kind) => {
  const { shortestMs = 0, leadMs } = LEGS.find((leg) => leg.kind === kind)!
    .open()
    .rules();
  /** What a last message is filled up to counts as heard by the platform, not by us. */
  const filledMs = Math.max(20, shortestMs);
  let gateway: RunningGateway;
  let session: SessionProbe;
  let call: Call;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    session = await gateway.session();
    call = await dial(gateway, kind);
    session.send({ type: 'attach', leg: { callSid: `call-of-${kind}` } });
    const { format, sampleRate } = await session.event('attached');
    expect({ format, sampleRate }).toEqual(CARRIERS[kind]!.audio);
  });
  afterEach(() => expect(call.faults).toEqual([]));
  afterAll(() => gateway.close());

  it.sequential('hears a whole turn without a gap, and its marks tell so', async () => {
    const stopWatching = watchStalls();
    speak(session, 'whole');
    const heard = await heardOf(session, 'whole');
    expect(heard).toMatchObject({ playedBy: 'mark', remainingText: '' });
    expect(heard.playedMs).toBeGreaterThanOrEqual(SPEECH_MS - 60);
    expect(heard.playedMs - call.heardMs).toBeLessThanOrEqual(40);
    const stalledMs = stopWatching();
    // Audio that a stalled loop sends late is preceded by a message that is filled up, too.
    expect(call.heardMs - heard.playedMs).toBeLessThanOrEqual(40 + filledMs + stalledMs);
    expect(call.playout.gaps.filter(({ ms }) => ms > stalledMs)).toEqual([]);
    expect(call.playout.mostAheadMs()).toBeLessThanOrEqual(leadMs + filledMs + 100 + 2 * stalledMs);
  });

  it.sequential('is silent from a clear on, and is told to the word how far a turn was heard', async () => {
    const beforeMs = call.heardMs;
    speak(session, 'cut');
    await startedOf(session, 'cut');
    await expect.poll(() => call.heardMs - beforeMs, { timeout: 10_000 }).toBeGreaterThan(500);
    const stalledMs = watchStalls();
    await pause(300);
    session.send({ type: 'cancel', turn: 'cut' });
    const cut = await heardOf(session, 'cut');
    await expect.poll(() => call.clearedAtMs.length).toBe(1);
    const trueMs = call.clearedAtMs[0]! - beforeMs;
    expect(trueMs).toBeGreaterThan(500);
    expect(cut.playedBy).toBe('mark');
    expect(Math.abs(cut.playedMs - trueMs)).toBeLessThanOrEqual(40 + 2 * stalledMs());
    await pause(300);
    expect(call.heardMs - call.clearedAtMs[0]!).toBeLessThanOrEqual(20);
    expect(call.playout.bufferedMs()).toBe(0);
  });

  it.sequential('hears the turn that waits behind one that is cut from its first word to its last', async () => {
    speak(session, 'first');
    speak(session, 'second');
    await startedOf(session, 'first');
    await pause(500);
    session.send({ type: 'cancel', turn: 'first' });
    const whole = await heardOf(session, 'second');
    expect(whole.remainingText).toBe('');
    const sinceMs = call.heardMs - call.clearedAtMs[1]!;
    expect(Math.abs(sinceMs - SPEECH_MS)).toBeLessThanOrEqual(60 + filledMs);
  });

  it.sequential('brings digits, and goes when the caller hangs up', async () => {
    call.digit('7');
    expect(await session.event('dtmf')).toMatchObject({ digit: '7' });
    call.hangUp();
    await session.event('detached');
    await call.closed;
  });
});

describe('a platform that never tells what it has played', () => {
  it('is believed to play by the clock', async () => {
    const gateway = await startRunningGateway();
    const session = await gateway.session();
    const call = await dial(gateway, 'twilio', { spoil: (side) => ({ ...side, mark: () => [] }) });
    session.send({ type: 'attach', leg: { callSid: 'call-of-twilio' } });
    await session.event('attached');
    speak(session, 'a');
    await startedOf(session, 'a');
    await pause(900);
    session.send({ type: 'cancel', turn: 'a' });
    const cut = await heardOf(session, 'a');
    await expect.poll(() => call.clearedAtMs.length).toBe(1);
    expect(cut.playedBy).toBe('clock');
    expect(Math.abs(cut.playedMs - call.clearedAtMs[0]!)).toBeLessThanOrEqual(120);
    await gateway.close();
  });
});

describe('a leg that brings its token', () => {
  let gateway: RunningGateway;
  let session: SessionProbe;
  let token: string;
  beforeAll(async () => {
    gateway = await startRunningGateway({ env: { VOXGATE_API_KEYS: 'bot:key-of-the-bot' } });
    session = await gateway.session(undefined, { headers: { Authorization: 'Bearer key-of-the-bot' } });
    token = (await session.event('ready')).attachToken;
  });
  afterAll(() => gateway.close());
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const ways: readonly [string, string, (token: string) => Dial][] = [
    ['in the header of Telnyx', 'telnyx', (own) => ({ headers: { 'x-telnyx-streaming-auth-token': own } })],
    ['as the password of Basic', 'exotel', (own) => ({ headers: { Authorization: basic(`any:${own}`) } })],
    ['as a Bearer token', 'signalwire', (own) => ({ headers: { Authorization: `Bearer ${own}` } })],
    ['as a Bearer token', 'jambonz', (own) => ({ headers: { Authorization: `Bearer ${own}` } })],
    ['in the first message', 'vonage', (own) => ({ token: own })],
    ['in the first message', 'raw', (own) => ({ token: own })],
  ];

  it.each(ways)('%s is let in and found by its session (%s)', async (_where, kind, way) => {
    const call = await dial(gateway, kind, way(token));
    session.send({ type: 'attach', leg: { token } });
    await session.event('attached', (event) => event.kind === kind);
    session.send({ type: 'detach' });
    await session.event('detached', (event) => event.kind === kind);
    call.hangUp();
    await call.closed;
  });

  it.each(ways)('%s that nobody knows is refused (%s)', async (_where, kind, way) => {
    const dialled = dial(gateway, kind, way('bm9ib2R5.session.AAAAAAAAAAAAAAAAAAAAAA'));
    const inHeaders = way('').headers !== undefined;
    if (inHeaders) await expect(dialled).rejects.toThrow(/401/);
    else expect(await (await dialled).closed).toBe(4401);
  });
});
