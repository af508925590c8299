// A bot whose connection drops while it has a call: the call hears what it would have heard, at the same time, and the bot
// learns what it missed. Every kind of leg, in simulated time: the real session, legs and codecs, and simulated carriers.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLocalLegRegistry,
  type LocalLegRegistry,
} from '../../../src/gateway/calls/local-leg-registry.ts';
import { audioSocketLeg } from '../../../src/legs/audiosocket-leg.ts';
import { LEGS } from '../../../src/legs/legs.ts';
import { CARRIERS } from '../../../testkit/carriers/carriers.ts';
import type { SimulatedCall } from '../../../testkit/carriers/simulated-call.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { connectCall, TOKEN, TOKENS } from '../../support/phone-call.ts';
import {
  carryOut,
  type Drop,
  dropOf,
  openResumableRig,
  type ResumableRig,
} from '../../support/resumable-rig.ts';
import { trialSize } from '../../support/trial-size.ts';

const KINDS = [...LEGS, audioSocketLeg];
/** 24 kHz speech in frames of 192 bytes and 24 ms: no two places of it are alike. */
const SPEECH = readFileSync(new URL('../../../fixtures/audio/ffmpeg-live-24k.mp3', import.meta.url));
const spoken = atOnce((text) => SPEECH.subarray(0, 192 * (30 + text.length)));

type Script = readonly (readonly [atMs: number, message: Readonly<Record<string, unknown>>])[];
/** All that is said in the call is named before the first drop. */
const AT_ONCE: Script = [
  [0, { type: 'speak', turn: 'a', text: 'Good morning, this is the office.' }],
  [0, { type: 'mark', turn: 'a', name: 'end of a' }],
  [5, { type: 'append', turn: 'b', text: 'How can ' }],
  [10, { type: 'append', turn: 'b', text: 'I help you?' }],
  [15, { type: 'end', turn: 'b' }],
  [20, { type: 'mark', turn: 'b', name: 'end of b' }],
];
/** Some of it is sent while the connection is dead, and again. */
const MEANWHILE: Script = [
  ...AT_ONCE,
  [1500, { type: 'speak', turn: 'c', text: 'And a third.' }],
  [1600, { type: 'mark', turn: 'c', name: 'end of c' }],
  [1700, { type: 'ping', id: 'last' }],
];

const FAR_AWAY: Drop = {
  afterMs: 300,
  how: 'both',
  otherMs: 0,
  noticedMs: 0,
  backMs: 2500,
  frames: 0,
};

type Call = { readonly rig: ResumableRig; readonly carrier: SimulatedCall };

async function call(
  kind: string,
  script: Script,
  drops: readonly Drop[],
  attach: Readonly<Record<string, unknown>> = {},
  meanwhile: (call: Call) => Promise<void> = async () => {},
): Promise<Call> {
  const side = CARRIERS[kind]!;
  let registry: LocalLegRegistry | undefined;
  const rig = openResumableRig({
    preset: { captions: 'words' },
    auto: spoken,
    legs(clock) {
      registry = createLocalLegRegistry(clock, TOKENS);
      return registry;
    },
  });
  const { clock, playout, client } = rig;
  const { carrier } = await connectCall(
    { clock, playout, registry: registry! },
    { leg: KINDS.find((leg) => leg.kind === kind)!, side: side.side(), rules: side.rules },
  );
  client.send({ type: 'attach', leg: { token: TOKEN }, ...attach });
  await clock.run(20);
  for (const [atMs, message] of script) clock.after(atMs, () => client.send(message));
  await clock.run(21);
  for (const drop of drops) await carryOut(rig, drop);
  await meanwhile({ rig, carrier });
  await clock.run(10_000);
  return { rig, carrier };
}

const heardBy = ({ carrier }: Call) => Buffer.concat(carrier.playout.heard.map(({ bytes }) => bytes));
/** What it heard, without the silence between turns. */
const soundOf = (each: Call) => {
  const bytes = heardBy(each);
  const silent = new Set([0, 0xff, 0x7f]);
  return Buffer.from(bytes.filter((byte) => !silent.has(byte)));
};
const TOLD = new Set(['ended', 'heard', 'mark', 'pong', 'attached', 'detached', 'caption']);
const told = ({ rig: { client } }: Call) =>
  client.messages.filter(({ type }) => TOLD.has(type)).map(({ n: _n, ...message }) => message);
const byTurn = (each: Call) =>
  told(each)
    .map((message) => JSON.stringify(message))
    .sort();

function expectWhole({ rig, carrier }: Call): void {
  expect(rig.client.faults).toEqual([]);
  expect(rig.told).toEqual(rig.client.sent);
  expect(rig.client.returns.every(({ exact }) => exact === true)).toBe(true);
  expect(carrier.faults).toEqual([]);
  expect(rig.underruns).toEqual([]);
}

describe.each(KINDS.map(({ kind }) => kind))('on a leg of %s', (kind) => {
  it('what was named before is heard as if nothing had happened, sample by sample and ms by ms', async () => {
    const whole = await call(kind, AT_ONCE, []);
    expectWhole(whole);
    expect(told(whole).filter(({ type }) => type === 'heard')).toHaveLength(2);
    await fc.assert(
      fc.asyncProperty(fc.array(dropOf, { minLength: 3, maxLength: 3 }), async (drops) => {
        const dropped = await call(kind, AT_ONCE, drops);
        expectWhole(dropped);
        expect(dropped.carrier.playout.heard).toEqual(whole.carrier.playout.heard);
        expect(told(dropped)).toEqual(told(whole));
        dropped.rig.stop();
      }),
      { numRuns: trialSize(2, 1), endOnFailure: true },
    );
    whole.rig.stop();
  });

  it('what is sent meanwhile is heard once', async () => {
    const whole = await call(kind, MEANWHILE, []);
    await fc.assert(
      fc.asyncProperty(fc.array(dropOf, { minLength: 3, maxLength: 3 }), async (drops) => {
        const dropped = await call(kind, MEANWHILE, drops);
        expectWhole(dropped);
        expect(soundOf(dropped).equals(soundOf(whole))).toBe(true);
        expect(byTurn(dropped)).toEqual(byTurn(whole));
        dropped.rig.stop();
      }),
      { numRuns: trialSize(2, 1), endOnFailure: true },
    );
    whole.rig.stop();
  });
});

describe('a bot that is away from its call', () => {
  it('who listens along gets all of the sound when it is back', async () => {
    const whole = await call('twilio', AT_ONCE, [], { monitor: true });
    const dropped = await call('twilio', AT_ONCE, [FAR_AWAY], { monitor: true });
    for (const turn of ['a', 'b']) {
      const bytes = (each: Call) => Buffer.concat(each.rig.client.audio.get(turn)!);
      expect(bytes(dropped).equals(bytes(whole))).toBe(true);
    }
    expect(heardBy(dropped).equals(heardBy(whole))).toBe(true);
    expectWhole(dropped);
  });

  it('who listens to the caller gets that, too, by its numbers', async () => {
    const whole = await call('twilio', AT_ONCE, [], { inbound: 'forward' });
    const dropped = await call('twilio', AT_ONCE, [FAR_AWAY], { inbound: 'forward' });
    const inbound = ({ rig: { client } }: Call) =>
      client.messages.filter(({ type }) => type === 'inbound').map(({ seq, ms, data }) => [seq, ms, data]);
    const expected = inbound(whole);
    // That run was shorter by the time that the bot was away.
    expect(inbound(dropped).slice(0, expected.length)).toEqual(expected);
    expectWhole(dropped);
  });

  const away = async (meanwhile: (carrier: SimulatedCall, rig: ResumableRig) => void) => {
    const each = await call('twilio', AT_ONCE, [], {}, async ({ rig, carrier }) => {
      const { client, clock } = rig;
      await clock.run(300);
      const socket = client.socket!;
      socket.downFrames = 0;
      client.socket = undefined;
      socket.lose();
      await clock.run(200);
      meanwhile(carrier, rig);
      await clock.run(2000);
      expect(rig.comeBack()).toBeUndefined();
    });
    expect(each.rig.client.faults).toEqual([]);
    return each;
  };

  it('learns that the caller has hung up, and what was heard until then', async () => {
    const each = await away((carrier) => carrier.hangUp());
    const of = (type: string) => told(each).filter((message) => message.type === type);
    expect(of('detached')).toMatchObject([{ reason: 'the call is over' }]);
    expect(of('ended')).toMatchObject([
      { turn: 'a', outcome: 'truncated' },
      { turn: 'b', outcome: 'failed' },
    ]);
    expect(of('heard')).toMatchObject([{ turn: 'a', remainingText: expect.stringContaining('office') }]);
    // The session goes on, and is heard by its client.
    each.rig.client.send({ type: 'speak', turn: 'd', text: 'Hello again.' });
    await each.rig.clock.run(3000);
    expect(each.rig.client.bytesOf('d')).toBeGreaterThan(5000);
  });

  it('learns which keys the caller has pressed', async () => {
    const each = await away((carrier) => carrier.digit('7'));
    expect(each.rig.client.messages.filter(({ type }) => type === 'dtmf')).toMatchObject([{ digit: '7' }]);
    expectWhole(each);
  });

  it('who does not come back in time lets the call go: nothing of the session is left', async () => {
    const each = await call('twilio', AT_ONCE, [], {}, async ({ rig }) => {
      await rig.clock.run(300);
      rig.client.socket!.lose();
      await rig.clock.run(121_000);
    });
    const { rig, carrier } = each;
    expect(rig.closes).toEqual([1006]);
    expect(rig.comeBack()).toBe('session_gone');
    // No session has the leg; the registry closes it after a while.
    await rig.clock.run(60_000);
    expect(await Promise.race([carrier.closed, Promise.resolve('still open')])).not.toBe('still open');
    expect(rig.playout.players()).toBe(0);
  });
});

it('an attached call that comes while its bot is away plays what was named for it', async () => {
  let registry: LocalLegRegistry | undefined;
  const rig = openResumableRig({
    preset: {},
    auto: spoken,
    legs(clock) {
      registry = createLocalLegRegistry(clock, TOKENS);
      return registry;
    },
  });
  const { clock, playout, client } = rig;
  client.send({ type: 'attach', leg: { token: TOKEN } });
  client.send({ type: 'speak', turn: 'a', text: 'Good morning.' });
  await clock.run(100);
  client.socket!.lose();
  await clock.run(500);
  const { carrier } = await connectCall({ clock, playout, registry: registry! });
  await clock.run(3000);
  expect(carrier.playout.heard.length).toBeGreaterThan(40);
  expect(rig.comeBack()).toBeUndefined();
  await clock.run(100);
  expect(client.messages.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['attached', 'started', 'ended', 'heard']),
  );
  expect(client.faults).toEqual([]);
  rig.stop();
});
